import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type CliResult, runCli, type Service } from "../support/cli.ts";

const json =
  (body: unknown, status = 200): Service =>
  () => ({ status, body });
const text =
  (body: string): Service =>
  () => ({ status: 200, headers: { "content-type": "application/json" }, body });
const errorOf = (result: CliResult): Record<string, unknown> => {
  expect(result.stdout).toBe("");
  expect(result.stderr.trimEnd().split("\n").length).toBe(1);
  return JSON.parse(result.stderr).error;
};

/** Rows of cases/reports.md under "Output and streams" that need no process of their own; O3 and O4 are in test/process/output. */
describe("cases/reports.md, output and streams", () => {
  it("O1: a failure is no result", async () => {
    const service = json({ success: false, code: "PAYMENT_REQUIRED", message: "Add credits" }, 402);
    const result = await runCli(["stk", "--phone", "0712345678", "--amount", "150", "--reference", "O1", "--json"], { service });
    expect(result.code).toBe(5);
    expect(errorOf(result)).toMatchObject({ kind: "payment-required", code: "PAYMENT_REQUIRED", message: "Add credits", sent: "no" });
  });

  it.each([45, 0])("O2: stdout is one JSON document with %i transactions", async (count) => {
    const all = Array.from({ length: count }, (_, index) => ({ id: `T${index}`, reference: `R${index}`, amount: 1, status: "SENT" }));
    const result = await runCli(["tx", "list", "--json"], { service: json({ transactions: all, total: count }) });
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(result.stdout)).toEqual({ transactions: all, total: count });
  });

  it("O5: an HTML error page is said as such", async () => {
    const service: Service = () => ({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad Gateway</h1>" });
    const result = await runCli(["global", "wallet", "--json", "--retries", "0"], { service });
    expect(result.code).toBe(10);
    const error = errorOf(result);
    expect(error["message"]).toMatch(/502[\s\S]*HTML|HTML[\s\S]*502/);
    expect(result.stderr).not.toMatch(/<h1>|\n\s+at /);
  });

  describe("O6: text from the service does not drive the terminal", () => {
    const reference = "A\u001b]0;owned\u0007\r\u202eB\u009b";
    const service = json({ id: "T1", reference, amount: 10, status: "COMPLETED", provider: "P", providerRef: "X", metadata: { receipt: "\u001b[2J" } });
    it.each([
      ["tx", "get", "T1"],
      ["tx", "get", "T1", "--fields", "reference"],
    ])("in a table: %s %s %s %s", async (...argv) => {
      const result = await runCli(argv, { service, terminal: true });
      expect(result.code).toBe(0);
      expect((result.stdout + result.stderr).replace(/\u001b\[\d+m/g, "")).not.toMatch(/[\u001b\u0007\r\u009b\u202e]/);
    });
    it("in JSON it comes back as it was", async () => {
      const result = await runCli(["tx", "get", "T1", "--json"], { service });
      expect(result.stdout).not.toMatch(/[\u001b\u0007\r\u009b\u202e]/);
      expect(JSON.parse(result.stdout).reference).toBe(reference);
    });
    it("in an error", async () => {
      const result = await runCli(["tx", "get", "T1"], { service: json({ message: reference }, 404) });
      expect(result.code).toBe(4);
      expect(result.stderr).not.toMatch(/[\u001b\u0007\r\u009b\u202e]/);
    });
  });

  it("O7: a 200 that says it failed is a refusal", async () => {
    const rails = JSON.parse(readFileSync(new URL("../cases/rails.json", import.meta.url), "utf8"));
    const rail = rails.find((one: { rail: string }) => one.rail === "UG_MOMO");
    const service: Service = (request) => {
      if (request.method === "POST") return { status: 200, body: { success: false, message: "Rail closed" } };
      if (request.path.endsWith("/providers")) return { body: { success: true, providers: [rail] } };
      return { body: { success: true, wallet: {}, wallets: [], balances: [] } };
    };
    const argv = ["global", "withdraw", "--rail", "UG_MOMO", "--channel", "MOBILE_MONEY", "--operator", "MTN", "--msisdn", "0772000001"];
    const result = await runCli([...argv, "--amount", "5000", "--currency", "UGX", "--yes", "--json"], { service });
    expect(result.code).toBe(6);
    expect(errorOf(result)).toMatchObject({ kind: "rejected", message: "Rail closed", sent: "no" });
  });

  it("O8: numbers keep their digits", async () => {
    const body = '{"id":"T2","reference":"R","amount":1003800,"status":"COMPLETED","big":12345678901234567890,"part":1500.00}';
    const result = await runCli(["tx", "get", "T2", "--json"], { service: text(body) });
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/"amount": 1003800,[\s\S]*"big": 12345678901234567890,[\s\S]*"part": 1500\.00/);
  });

  it("O9: a command that failed says so by its code", async () => {
    const result = await runCli(["tx", "get", "nope", "--json"], { service: json({ message: "no such transaction" }, 404) });
    expect(result.code).toBe(4);
    expect(errorOf(result)).toMatchObject({ kind: "not-found", status: 404 });
  });
});
