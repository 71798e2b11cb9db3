import { describe, expect, test } from "vitest";
import { createHome, runCli, type Service } from "../support/cli.ts";

const startMs = Date.UTC(2026, 2, 1, 8);
type Payment = { readonly id: string; readonly reference: string; readonly amount: number; readonly status: string; readonly key?: string };

/** A service that had made `before`, loses every answer to a creation until it is well, and gives `details` with each transaction. */
const createWorld = (before: readonly Payment[], details: object = {}) => {
  const payments: Payment[] = [...before];
  const state = { lost: true };
  const service: Service = ({ method, path, query, body, headers }) => {
    if (method === "POST") {
      const key = headers["idempotency-key"] ?? "";
      const { reference, amount } = JSON.parse(body);
      if (state.lost) return { status: 500, body: {} };
      const made = payments.find((payment) => payment.key === key) ?? { id: `T-${payments.length + 1}`, reference, amount, status: "SENT", key };
      if (!payments.includes(made)) payments.push(made);
      return { body: { transactionId: made.id, status: made.status } };
    }
    const asked = payments.find(({ id }) => path.endsWith(`/transactions/${id}`));
    if (asked !== undefined) return { body: { ...asked, ...(before.includes(asked) ? details : {}) } };
    const isListed = path.endsWith("/transactions") && query.get("flow") !== "b2c" && (query.get("offset") ?? "0") === "0";
    return { body: { transactions: isListed ? payments.map(({ key: _, ...rest }) => rest) : [], total: query.get("flow") === "b2c" ? 0 : payments.length } };
  };
  return { payments, state, service };
};
const old: Payment = { id: "T-OLD", reference: "RENT", amount: 500, status: "COMPLETED" };
const pay = ["stk", "--phone", "0712345678", "--amount", "500", "--reference", "RENT", "--retries", "0", "--json"];
const resume = ["journal", "resume", "--all", "--retries", "0", "--json"];
const attemptsOf = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout).attempts;

describe("a transaction that is older than the attempt is never taken for it", () => {
  test("seen in the mirror before it began: the attempt is sent again, and has its own", async () => {
    const home = createHome();
    const { payments, state, service } = createWorld([old]);
    const clock = { nowMs: startMs };
    expect(await runCli(["tx", "sync"], { home, service, clock })).toMatchObject({ code: 0 });
    clock.nowMs += 1_000;
    expect(await runCli(pay, { home, service, clock })).toMatchObject({ code: 9 });
    state.lost = false;
    const resumed = await runCli(resume, { home, service, clock });
    expect([resumed.code, attemptsOf(resumed)]).toMatchObject([0, [{ state: "accepted", transactionId: "T-2" }]]);
    expect(payments.map(({ id }) => id)).toEqual(["T-OLD", "T-2"]);
  });

  test.each([
    ["createdAt", { createdAt: "2026-02-01T08:00:00Z" }],
    ["a day alone", { date: "2026-02-01" }],
    ["a time without a zone", { timestamp: "2026-02-01 08:00:00" }],
    ["when it was paid, in its metadata", { metadata: { completedAt: "2026-02-01T08:00:00+03:00" } }],
    ["of several the first", { createdAt: "2026-02-01T08:00:00Z", updatedAt: "2026-03-02T08:00:00Z" }],
  ])("dated before it: %s", async (_, details) => {
    const home = createHome();
    const { state, service } = createWorld([old], details);
    const clock = { nowMs: startMs };
    expect(await runCli(pay, { home, service, clock })).toMatchObject({ code: 9 });
    // What could be sent again is not there yet: nothing is claimed.
    const early = await runCli(resume, { home, service, clock });
    expect(early.code).toBe(9);
    state.lost = false;
    const resumed = await runCli(resume, { home, service, clock });
    expect([resumed.code, attemptsOf(resumed)]).toMatchObject([0, [{ state: "accepted", transactionId: "T-2" }]]);
  });

  test("seen by an earlier look-up: of another attempt, and by a clock that went back since", async () => {
    const home = createHome();
    const { state, service } = createWorld([old, { ...old, id: "T-OLD-2" }]);
    const clock = { nowMs: startMs };
    expect(await runCli(pay, { home, service, clock })).toMatchObject({ code: 9 });
    // Two that may be its own: it stays unknown, and a person closes it.
    expect((await runCli(resume, { home, service, clock })).code).toBe(9);
    const [first] = attemptsOf(await runCli(["journal", "list", "--json"], { home }));
    expect((await runCli(["journal", "resume", first.id, "--mark", "refused"], { home, service, clock })).code).toBe(0);
    clock.nowMs -= 30_000;
    expect(await runCli(pay, { home, service, clock })).toMatchObject({ code: 9 });
    state.lost = false;
    const resumed = await runCli(resume, { home, service, clock });
    expect([resumed.code, attemptsOf(resumed)]).toMatchObject([0, [{ state: "accepted", transactionId: "T-3" }]]);
  });

  test("one that is dated after it began, or a moment before by the service's clock, or not at all, is its own", async () => {
    for (const details of [{ createdAt: "2026-03-01T08:00:05Z" }, { createdAt: "2026-03-01T07:59:40Z" }, { date: "2026-03-01" }, { date: "soon" }, {}]) {
      const home = createHome();
      const { service } = createWorld([{ ...old, id: "T-OWN" }], details);
      const clock = { nowMs: startMs };
      expect(await runCli(pay, { home, service, clock })).toMatchObject({ code: 9 });
      const resumed = await runCli(resume, { home, service, clock });
      expect([resumed.code, attemptsOf(resumed)]).toMatchObject([0, [{ state: "accepted", transactionId: "T-OWN" }]]);
    }
  });
});
