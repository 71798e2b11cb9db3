import { describe, expect, it } from "vitest";
import { runCli, type Service } from "../../support/cli.ts";

const accepted: Service = ({ path }) =>
  path.endsWith("/b2c")
    ? { body: { transactionId: "P1", status: "QUEUED", message: "Queued", pricingQuote: { amount: 100, fee: 5, total: 105 } } }
    : { status: 404, body: { success: false } };
const payout = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "P1"];
const errorOf = (stderr: string) => JSON.parse(stderr).error;

describe("b2c", () => {
  it("pays with --yes, and shows fee and total", async () => {
    const { code, stdout, requests } = await runCli([...payout, "--yes", "--command-id", "SalaryPayment"], { service: accepted });
    expect(code).toBe(0);
    expect(stdout).toContain("KES 105.00");
    expect(stdout).toContain("money is held");
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ phone: "254712345678", amount: 100, reference: "P1", commandId: "SalaryPayment" });
  });

  it("says once on each stream that a payout that was waited for ended unpaid", async () => {
    const service: Service = ({ method }) => ({ body: method === "POST" ? { transactionId: "P1", status: "QUEUED" } : { id: "P1", status: "FAILED" } });
    const { code, stdout, stderr } = await runCli([...payout, "--yes", "--wait"], { service });
    expect([code, stdout.split("ended unpaid").length, stderr.split("ended unpaid").length]).toEqual([7, 2, 2]);
    expect(stdout).toContain("payments-cli wallet");
  });

  it("A5: 10 to 150000, said with both bounds", async () => {
    const codes: number[] = [];
    for (const amount of ["9", "10", "150000", "150000.01", "150001"]) {
      const { code, stderr } = await runCli(["b2c", "--phone", "0712345678", "--amount", amount, "--reference", "A5", "--dry-run", "--json"], {
        service: accepted,
      });
      codes.push(code);
      if (code === 2) expect(errorOf(stderr).message).toMatch(/10 to 150,000/);
    }
    expect(codes).toEqual([2, 0, 0, 2, 2]);
  });

  it("a dry run shows people the amount with its decimals and grouping", async () => {
    const { code, stdout } = await runCli(["b2c", "--phone", "0712345678", "--amount", "12500", "--reference", "D1", "--dry-run"], { service: accepted });
    expect([code, stdout.includes("Amount: KES 12,500.00")]).toEqual([0, true]);
  });

  it("P3: declined at the question is 130 and sends nothing", async () => {
    const { code, prompts, requests } = await runCli(payout, { service: accepted, answers: [false] });
    expect([code, requests.length]).toEqual([130, 0]);
    expect(prompts[0]).toMatch(/KES 100\.00 to 254712345678[\s\S]*fee/);
  });

  it("P4: without a terminal it needs --yes, whatever is piped in", async () => {
    const { code, stderr, requests } = await runCli(payout, { service: accepted, stdin: "y\n" });
    expect([code, requests.length]).toEqual([2, 0]);
    expect(stderr).toContain("--yes");
  });

  it("P6: names what is missing", async () => {
    const { code, stderr } = await runCli(["b2c", "--phone", "0712345678", "--json"], { service: accepted });
    expect(code).toBe(2);
    expect(errorOf(stderr)).toMatchObject({ kind: "usage", message: expect.stringMatching(/--amount.*--reference/) });
  });

  it("remarks and description are one field", async () => {
    const same = await runCli([...payout, "--remarks", "Rent", "--description", "Rent", "--dry-run", "--json"], { service: accepted });
    expect(JSON.parse(same.stdout).body).toMatchObject({ remarks: "Rent" });
    const both = await runCli([...payout, "--remarks", "Rent", "--description", "Food", "--dry-run"], { service: accepted });
    expect(both.code).toBe(2);
  });

  it("a reference is trimmed, and the own key is sent as given", async () => {
    const { requests } = await runCli(["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "  R-9 ", "--yes", "--idempotency-key", "my-key-1"], {
      service: accepted,
    });
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ reference: "R-9" });
    expect(requests[0]?.headers["idempotency-key"]).toBe("my-key-1");
  });
});

describe("b2c stats", () => {
  const service: Service = () => ({ body: '{"success":true,"stats":{"totalVolume":1500.50,"count":3},"big":12345678901234567890}' });
  it("prints the answer, digit for digit", async () => {
    const { code, stdout } = await runCli(["b2c", "stats", "--json"], { service });
    expect(code).toBe(0);
    expect(stdout).toContain("1500.50");
    expect(stdout).toContain("12345678901234567890");
  });
  it("has the stats as its row", async () => {
    const { stdout } = await runCli(["b2c", "stats", "-o", "csv"], { service });
    expect(stdout.trim().split(/\r?\n/)).toEqual(["totalVolume,count", "1500.50,3"]);
  });
});
