import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../src/journal/journal.ts";
import type { Journal } from "../../src/journal/port.ts";
import { createPayment, type PaymentPlan } from "../../src/payments/create-payment.ts";
import { markAttempt, settleAttempts } from "../../src/payments/settle.ts";
import { type Transport, type TransportAnswer, TransportError, type TransportRequest } from "../../src/service/transport.ts";
import { createClock, createPaymentContext } from "../support/payment-context.ts";

const time = { nowMs: Date.UTC(2026, 2, 1) };
const clock = createClock(time);
let folder = "";
let journal: Journal;
beforeEach(async () => {
  time.nowMs = Date.UTC(2026, 2, 1);
  folder = mkdtempSync(join(tmpdir(), "payments-two-senders-"));
  journal = await openJournal({ dataFolder: folder, clock });
});
afterEach(() => {
  journal.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const plan: PaymentPlan = {
  operation: "b2c",
  body: '{"phone":"254712345678","amount":100,"reference":"TWO"}',
  reference: "TWO",
  payee: "254712345678",
  amount: "100",
  currency: "KES",
  allowDuplicate: false,
  dryRun: false,
  idempotencyKey: "own-two",
};
const answer = (status: number, body: unknown): TransportAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  body: new TextEncoder().encode(JSON.stringify(body)),
});
const empty = answer(200, { transactions: [], total: 0 });
const over = (send: Transport["send"], more: { readonly answers?: (string | boolean)[] } = {}) =>
  createPaymentContext({ journal, clock, transport: { send, close: async () => undefined }, flags: { yes: more.answers === undefined, retries: 0 }, ...more });
const lost = async (): Promise<never> => {
  throw new TransportError("reset", true, "reset");
};
const only = async () => (await journal.list({}))[0];

/** The first process is refused, but only after `meanwhile` has sent the same attempt from another one. */
const refusedAfter = (meanwhile: () => Promise<unknown>) =>
  over(async () => {
    await meanwhile();
    return answer(402, { success: false, message: "no credits" });
  });

test("refused in one process while another that sent it too lost its answer: unknown, and 9", async () => {
  const other = () => createPayment(plan, over(lost)).catch(() => undefined);
  await expect(createPayment(plan, refusedAfter(other))).rejects.toMatchObject({ kind: "outcome-unknown", sent: "unknown" });
  expect(await only()).toMatchObject({ state: "unknown", unanswered: true });
});

test("refused in one process while another that sent it too was killed: unknown", async () => {
  const killed = async () => {
    let begun: (request: TransportRequest) => void = () => {};
    const started = new Promise<TransportRequest>((done) => {
      begun = done;
    });
    void createPayment(
      plan,
      over((request) => {
        begun(request);
        return new Promise<never>(() => {});
      }),
    );
    await started;
  };
  await expect(createPayment(plan, refusedAfter(killed))).rejects.toMatchObject({ kind: "outcome-unknown" });
  expect(await only()).toMatchObject({ state: "unknown" });
});

test("refused in one process while a resume that sent it too was killed: unknown", async () => {
  const killed = async () => {
    const attempts = await journal.list({});
    let begun: () => void = () => {};
    const started = new Promise<void>((done) => {
      begun = done;
    });
    const context = over((request) => {
      if (request.method === "GET") return Promise.resolve(empty);
      begun();
      return new Promise<never>(() => {});
    });
    void settleAttempts(attempts, context, { byId: true, passphraseStdin: false });
    await started;
  };
  await expect(createPayment({ ...plan, idempotencyKey: undefined }, refusedAfter(killed))).rejects.toMatchObject({ kind: "outcome-unknown" });
  expect(await only()).toMatchObject({ state: "unknown" });
});

test("refused in one process while another was answered: accepted stays, and the refused one says 9", async () => {
  const other = () =>
    createPayment(
      plan,
      over(async () => answer(200, { transactionId: "T-1", status: "QUEUED" })),
    );
  await expect(createPayment(plan, refusedAfter(other))).rejects.toMatchObject({ kind: "outcome-unknown" });
  expect(await only()).toMatchObject({ state: "accepted", transactionId: "T-1" });
});

test("a person may still say refused, and the own key then begins afresh: a plain refusal closes it", async () => {
  await createPayment(
    plan,
    refusedAfter(() => createPayment(plan, over(lost)).catch(() => undefined)),
  ).catch(() => undefined);
  const attempt = await only();
  if (attempt === undefined) throw new Error("no attempt");
  expect(await markAttempt(attempt, "refused", journal)).toMatchObject({ state: "refused" });
  const refuses = over(async () => answer(402, { success: false, message: "no credits" }));
  await expect(createPayment(plan, refuses)).rejects.toMatchObject({ kind: "payment-required" });
  expect(await only()).toMatchObject({ state: "refused" });
});

test("a question that stood past the day, or while another process settled it, sends nothing", async () => {
  await createPayment(plan, over(lost)).catch(() => undefined);
  const sent: string[] = [];
  const settleWhile = async (standing: () => Promise<void>) => {
    const context = over(
      async ({ method }) => {
        sent.push(method);
        return empty;
      },
      { answers: [] },
    );
    const asking = { ...context, prompt: { ...context.prompt, confirm: () => standing().then(() => true) } };
    return (await settleAttempts(await journal.list({}), asking, { byId: true, passphraseStdin: false }))[0];
  };
  const late = await settleWhile(async () => {
    time.nowMs += 25 * 3_600_000;
  });
  expect(late).toMatchObject({ attempt: { state: "unknown" }, why: expect.stringContaining("24 hours") });
  time.nowMs -= 24.9 * 3_600_000;
  const settled = await settleWhile(async () => {
    const attempt = await only();
    if (attempt !== undefined) await journal.close(attempt.id, { state: "accepted", transactionId: "T-9" });
  });
  expect(settled).toMatchObject({ attempt: { state: "accepted", transactionId: "T-9" } });
  expect(sent).not.toContain("POST");
});

test("a journal that can't be read once the payment was accepted makes no failure of it", async () => {
  const context = over(async () => answer(200, { transactionId: "T-1", status: "QUEUED" }));
  const broken: Journal = {
    ...journal,
    find: async () => Promise.reject(new Error("disk I/O error")),
    close: async () => Promise.reject(new Error("disk I/O error")),
  };
  const result = await createPayment(plan, { ...context, journal: async () => broken });
  expect(result).toMatchObject({ answer: { body: { transactionId: "T-1" } }, attempt: { state: "accepted" } });
});
