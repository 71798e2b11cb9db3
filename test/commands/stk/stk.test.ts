import { describe, expect, it } from "vitest";
import { runCli, type Service, withFlags } from "../../support/cli.ts";

const accepted: Service = () => ({ body: { transactionId: "T1", status: "SENT" } });
const push = ["stk", "--phone", "0712345678", "--amount", "150", "--reference", "INV-1"];
const errorOf = (stderr: string) => JSON.parse(stderr).error;

describe("stk", () => {
  it("sends exactly what was given, once, with a key", async () => {
    const { code, stdout, requests } = await runCli([...push, "--json"], { service: accepted });
    expect([code, JSON.parse(stdout)]).toEqual([0, { transactionId: "T1", status: "SENT" }]);
    expect(requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ["POST", "/api/v1/merchants/payments/stk-push", '{"phone":"254712345678","amount":150,"reference":"INV-1"}'],
    ]);
    expect(requests[0]?.headers["idempotency-key"]).toMatch(/.{16,}/);
  });

  it("takes no key of blanks, which would be a new one at each run", async () => {
    const { code, requests } = await runCli([...push, "--idempotency-key", "  "], { service: accepted });
    expect([code, requests]).toEqual([2, []]);
  });

  it("says in words what happens next", async () => {
    const { stdout } = await runCli(push, { service: accepted });
    expect(stdout).toContain("SENT, still open");
    expect(stdout).toContain("Waiting for the customer's PIN");
    expect(stdout).toContain("payments-cli tx get T1");
    expect(stdout).toContain("KES 150.00");
  });

  it.each([
    ["QUEUED", "Waiting for the customer's PIN"],
    ["COMPLETED", "the fee has been taken"],
    ["EXPIRED", "No fee is charged"],
    ["REVERSED", "was made and then reversed"],
    ["ON_HOLD", "counts as open"],
  ])("%s: %s", async (status, words) => {
    const { stdout } = await runCli(push, { service: () => ({ body: { transactionId: "T1", status } }) });
    expect(stdout.slice(stdout.indexOf("\n\n"))).toContain(words);
    if (words !== "Waiting for the customer's PIN") expect(stdout).not.toContain("PIN");
  });

  it("A1, A2: reads the phone as people write it", async () => {
    for (const [typed, sent] of [
      ["0110000001", "254110000001"],
      ["+254 700-000-001", "254700000001"],
    ] as const) {
      const { stdout, requests } = await runCli(["stk", "--phone", typed, "--amount", "10", "--reference", "A1", "--dry-run", "--json"], { service: accepted });
      expect(JSON.parse(stdout)).toMatchObject({ method: "POST", body: { phone: sent, amount: 10 } });
      expect(requests).toEqual([]);
    }
  });

  it("A3: takes whole shillings", async () => {
    const { code, stderr, requests } = await runCli(["stk", "--phone", "0712345678", "--amount", "10.50", "--reference", "A3", "--json"], {
      service: accepted,
    });
    expect([code, requests.length]).toEqual([2, 0]);
    expect(errorOf(stderr)).toMatchObject({ kind: "usage", message: expect.stringContaining("whole shillings") });
  });

  it("A6: a negative amount is refused in words", async () => {
    const { code, stderr } = await runCli(["stk", "--phone", "0712345678", "--amount", "-5", "--reference", "A6"], { service: accepted });
    expect(code).toBe(2);
    expect(stderr).toContain("must be positive");
  });

  it("P1: names every missing flag at once, and an empty flag is a missing one", async () => {
    const { code, stderr, requests } = await runCli(["stk", "--reference", "", "--json"], { service: accepted });
    expect([code, requests.length]).toEqual([2, 0]);
    expect(errorOf(stderr).message).toMatch(/--phone.*--amount.*--reference/);
  });

  it("says after the wait that another amount was paid than was asked for", async () => {
    const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
    const words = ["stk", "--phone", "0712345037", "--amount", "151", "--reference", "A-9", "--wait", "--sandbox"];
    const { code, stdout } = await runCli(words, { clock });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Careful: KES 151\.00 .*KES 150\.00/)]);
  });

  it("O1: a 402 is 5 with the service's own words", async () => {
    const service: Service = () => ({ status: 402, body: { success: false, code: "PAYMENT_REQUIRED", message: "Add credits" } });
    const { code, stdout, stderr } = await runCli([...push, "--json"], { service });
    expect([code, stdout]).toEqual([5, ""]);
    expect(errorOf(stderr)).toMatchObject({ code: "PAYMENT_REQUIRED", message: "Add credits" });
  });

  it("asks on a terminal for what is missing, explains wrong input and offers a reference", async () => {
    const { code, prompts, requests } = await runCli(["stk"], { service: accepted, answers: ["0712***678", "0712345678", "10.5", "1,500", ""] });
    expect(code).toBe(0);
    expect(prompts.join("\n")).toMatch(/masked[\s\S]*whole shillings/);
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
      phone: "254712345678",
      amount: 1500,
      reference: expect.stringMatching(/^STK-20260301-[2-9A-Z]{4}$/),
    });
  });

  it("waits until it is paid", async () => {
    let reads = 0;
    const service: Service = ({ method }) =>
      method === "POST"
        ? { body: { transactionId: "T1", status: "SENT" } }
        : { body: { id: "T1", reference: "INV-1", amount: 150, status: ++reads < 3 ? "SENT" : "COMPLETED", metadata: { mobileMoneyReceipt: "QK1" } } };
    const { code, stdout } = await runCli([...push, "--wait", "60", "--json"], { service });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: "T1", status: "COMPLETED" });
  });

  it("L3: still open when the time is over is 8, with the transaction on stdout", async () => {
    const service: Service = ({ method }) =>
      method === "POST" ? { body: { transactionId: "T1", status: "SENT" } } : { body: { id: "T1", reference: "INV-1", amount: 150, status: "SENT" } };
    const { code, stdout, stderr } = await runCli([...push, "--wait=3", "--json"], { service });
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ status: "SENT" });
    expect(errorOf(stderr)).toMatchObject({ kind: "pending", sent: "yes" });
  });

  it("a field that the answer lacks is no failure of a payment that was made", async () => {
    const { code, stdout, stderr } = await runCli([...push, "--json", "--fields", "transactionId,no.such"], { service: accepted });
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, { transactionId: "T1", "no.such": null }, ""]);
    const table = await runCli(withFlags(push, ["--fields", "nope", "--reference", "INV-2"]), { service: accepted });
    expect([table.code, table.notes.includes("no field nope")]).toEqual([0, true]);
  });

  it("refuses a wait that is no number, and a key that no header can carry", async () => {
    for (const extra of [
      ["--wait", "soon"],
      ["--idempotency-key", "a b"],
      ["--callback-url", "ftp://x.example"],
    ]) {
      const { code, requests } = await runCli([...push, ...extra], { service: accepted });
      expect([code, requests.length]).toEqual([2, 0]);
    }
  });

  it("quotes the id in the command to paste, as it is the service's text", async () => {
    const service: Service = () => ({ body: { id: "T; x", transactionId: "T; x", status: "SENT" } });
    const { code, stderr } = await runCli(["stk", "--phone", "0712345678", "--amount", "10", "--reference", "Q-1", "--wait", "1"], { service });
    expect([code, stderr]).toEqual([8, expect.stringContaining("payments-cli tx get 'T; x'")]);
  });
});
