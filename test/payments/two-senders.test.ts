import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import { openJournal } from "../../src/journal/journal.ts";
import type { Attempt, Journal } from "../../src/journal/port.ts";
import { createPayment } from "../../src/payments/create-payment.ts";
import type { PaymentPlan } from "../../src/payments/draft.ts";
import { markAttempt, settleAttempts, unsettledError } from "../../src/payments/settle.ts";
import type { Context } from "../../src/ports.ts";
import { type Transport, type TransportAnswer, TransportError } from "../../src/service/transport.ts";
import { createHome } from "../support/ends.ts";
import { createClock, createPaymentContext } from "../support/payment-context.ts";

const time = { nowMs: Date.UTC(2026, 2, 1) };
const clock = createClock(time);
let folder = "";
const journals: Journal[] = [];
/** Each process has a journal of its own; disposing it is what the system does when a process is killed. */
const openProcess = async (): Promise<Journal> => {
  const journal = await openJournal({ dataFolder: folder, clock });
  journals.push(journal);
  return journal;
};
let journal: Journal;
beforeEach(async () => {
  time.nowMs = Date.UTC(2026, 2, 1);
  folder = createHome();
  journal = await openProcess();
});
afterEach(() => {
  for (const one of journals.splice(0)) one.dispose();
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
const listed = (...transactions: readonly unknown[]): TransportAnswer => answer(200, { transactions, total: transactions.length });
const accepted = answer(200, { transactionId: "T-1", status: "QUEUED" });
const noCredits = answer(402, { success: false, message: "no credits" });
type More = { readonly answers?: (string | boolean)[]; readonly journal?: Journal };
const over = (send: Transport["send"], more: More = {}) =>
  createPaymentContext({ journal, clock, transport: { send, close: async () => undefined }, flags: { yes: more.answers === undefined, retries: 0 }, ...more });
const lost = async (): Promise<never> => {
  throw new TransportError("reset", true, "reset");
};
const only = async (): Promise<Attempt> => {
  const [attempt] = await journal.list({});
  if (attempt === undefined) throw new Error("no attempt");
  return attempt;
};
const settle = (attempts: readonly Attempt[], context: Context) => settleAttempts(attempts, context, { byId: true, passphraseStdin: false });

/** A process whose request is on its way until it is answered. */
const inFlight = async (process: Journal) => {
  let answerWith: (answer: TransportAnswer) => void = () => undefined;
  let end: Promise<string> = Promise.resolve("");
  await new Promise<void>((sent) => {
    const send = (): Promise<TransportAnswer> => {
      sent();
      return new Promise((resolve) => {
        answerWith = resolve;
      });
    };
    end = createPayment(plan, over(send, { journal: process })).then(
      () => "accepted",
      (error: unknown) => (error instanceof CliError ? error.kind : String(error)),
    );
  });
  return { end: () => end, answer: (answer: TransportAnswer) => answerWith(answer) };
};

/** What another process does while the request is on its way. None of it may send a request that creates something. */
const others: Readonly<Record<string, (process: Journal) => Promise<void>>> = {
  "the same key once more": async (process) => {
    const error = await createPayment(plan, over(lost, { journal: process })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "duplicate", sent: "unknown", idempotencyKey: "own-two", journalId: expect.any(String) });
  },
  "a payment like it": async (process) => {
    const { idempotencyKey: _, ...like } = plan;
    await expect(createPayment(like, over(lost, { journal: process }))).rejects.toMatchObject({ kind: "duplicate" });
  },
  "a resume of it": async (process) => {
    const context = over(async ({ method }) => (method === "GET" ? listed() : lost()), { journal: process });
    const [settled] = await settle([await only()], context);
    expect(settled).toMatchObject({ attempt: { state: "started" }, why: expect.stringContaining("being sent") });
    expect(unsettledError(settled === undefined ? [] : [settled], context.flags)).toMatchObject({ kind: "outcome-unknown" });
  },
  "a resume that finds a transaction like it": async (process) => {
    const found = listed({ id: "T-old", reference: "TWO", amount: 100, status: "COMPLETED" });
    const [settled] = await settle(
      [await only()],
      over(async ({ method }) => (method === "GET" ? found : lost()), { journal: process }),
    );
    expect(settled).toMatchObject({ attempt: { state: "started" } });
  },
  "a person who closes it by hand": async (process) => {
    for (const state of ["accepted", "refused"] as const)
      await expect(markAttempt(await only(), state, process)).rejects.toMatchObject({ kind: "duplicate", sent: "unknown" });
  },
};

describe.each(Object.entries(others))("%s, while another process is sending it, sends nothing and changes nothing", (_, act) => {
  test.each([
    ["at once", 0],
    ["hours later, as that process was stopped and goes on", 23 * 3_600_000],
  ])("%s", async (_when, laterMs) => {
    const first = await inFlight(journal);
    time.nowMs += laterMs;
    await act(await openProcess());
    expect(await only()).toMatchObject({ state: "started", unanswered: false });
    // It was sent once: what refuses it says for certain that no payment exists.
    first.answer(noCredits);
    expect(await first.end()).toBe("payment-required");
    expect(await only()).toMatchObject({ state: "refused" });
  });
});

test("the same key twice in one process is sent once", async () => {
  const first = await inFlight(journal);
  await expect(createPayment(plan, over(lost))).rejects.toMatchObject({ kind: "duplicate", sent: "unknown" });
  first.answer(accepted);
  expect(await first.end()).toBe("accepted");
});

test("a process that was killed holds nothing: the next goes on with its key, and a refusal does not close what it may have paid", async () => {
  const killed = await openProcess();
  await inFlight(killed);
  killed.dispose();
  expect(await only()).toMatchObject({ state: "started" });
  await expect(
    createPayment(
      plan,
      over(async () => noCredits),
    ),
  ).rejects.toMatchObject({ kind: "outcome-unknown" });
  expect(await only()).toMatchObject({ state: "unknown", unanswered: true });
});

test("of many that take over from a killed process at once one sends, and the others say so or show its answer", async () => {
  const killed = await openProcess();
  await inFlight(killed);
  killed.dispose();
  const now = { open: 0, most: 0, posts: 0 };
  const send: Transport["send"] = async () => {
    now.posts += 1;
    now.open += 1;
    now.most = Math.max(now.most, now.open);
    await new Promise((done) => setImmediate(done));
    now.open -= 1;
    return accepted;
  };
  const processes = await Promise.all(Array.from({ length: 6 }, openProcess));
  const ends = await Promise.all(
    processes.map((one) =>
      createPayment(plan, over(send, { journal: one })).then(
        ({ replayed }) => (replayed ? "replayed" : "sent"),
        (error: unknown) => (error instanceof CliError ? error.kind : String(error)),
      ),
    ),
  );
  expect(ends.filter((end) => end === "sent")).toHaveLength(1);
  expect(ends.every((end) => ["sent", "replayed", "duplicate"].includes(end))).toBe(true);
  expect(now).toMatchObject({ most: 1, posts: 1 });
});

test("one that another process settled while this one was about to send it is not sent", async () => {
  await createPayment(plan, over(lost)).catch(() => undefined);
  const other = await openProcess();
  const quicker: Journal = {
    ...journal,
    reopen: async (id, judged) => {
      await other.close(id, { state: "accepted", transactionId: "T-1", answer: '{"transactionId":"T-1"}' });
      return journal.reopen(id, judged);
    },
  };
  expect(await createPayment(plan, over(lost, { journal: quicker }))).toMatchObject({ replayed: true, answer: { body: { transactionId: "T-1" } } });
  expect(await only()).toMatchObject({ state: "accepted", transactionId: "T-1" });
});

test("a process whose lock was deleted sends nothing more: others would take its attempts for those of a dead one", async () => {
  await createPayment(plan, over(lost)).catch(() => undefined);
  rmSync(join(folder, "locks"), { recursive: true });
  await expect(createPayment({ ...plan, idempotencyKey: "another", allowDuplicate: true }, over(lost))).rejects.toMatchObject({ kind: "usage", sent: "no" });
});

test("a question that stood past the day, or while another process settled it, sends nothing", async () => {
  await createPayment(plan, over(lost)).catch(() => undefined);
  const sent: string[] = [];
  const settleWhile = async (standing: () => Promise<void>) => {
    const context = over(
      async ({ method }) => {
        sent.push(method);
        return listed();
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
    await journal.close((await only()).id, { state: "accepted", transactionId: "T-9" });
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

describe("a journal that no longer lets an attempt be sent", () => {
  test.each([
    ["the first try", 1, { kind: "usage", sent: "no" }, 0],
    ["a try after one without an answer", 2, { kind: "outcome-unknown", sent: "unknown" }, 1],
  ] as const)("at %s: nothing more leaves", async (_case, forbidden, error, requests) => {
    let [looks, sends] = [0, 0];
    const confirm = async (): Promise<void> => {
      looks += 1;
      if (looks === forbidden) throw new CliError("usage", "The lock is lost.");
    };
    const send = async (): Promise<never> => {
      sends += 1;
      return await lost();
    };
    const context = createPaymentContext({
      journal: { ...journal, confirm },
      clock,
      transport: { send, close: async () => undefined },
      flags: { yes: true, retries: 3 },
    });
    await expect(createPayment(plan, context)).rejects.toMatchObject(error);
    expect(sends).toBe(requests);
  });
});
