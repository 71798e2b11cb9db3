import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import type { AttemptEnd, Try } from "../../src/journal/port.ts";
import { type Sendable, sendAttempt } from "../../src/payments/send-attempt.ts";
import type { Answer, CallInput } from "../../src/ports.ts";
import { newAttempt } from "../support/new-attempt.ts";
import { createClock } from "../support/payment-context.ts";

const startedMs = Date.parse("2026-03-01T00:00:00.000Z");
const answer: Answer = { status: 201, headers: {}, body: { transactionId: "T1", status: "QUEUED" }, text: '{"transactionId":"T1","status":"QUEUED"}' };
const unanswered: Try = { atMs: startedMs, error: "timeout", outcome: "unanswered" };
const begun = (more: Partial<Sendable> = {}): Sendable => ({ ...newAttempt("A1"), body: "{}", state: "started", tries: [], unanswered: false, ...more });

type World = {
  readonly attempt?: Partial<Sendable>;
  /** Minutes that the journal's clock is ahead of this machine's. */
  readonly journalAhead?: number;
  readonly inFlight?: AbortSignal;
  readonly signal?: AbortSignal;
  readonly confirm?: (id: string) => Promise<void>;
  readonly call?: (input: CallInput) => Promise<Answer>;
};
/** One sending: what the client was given, what the journal was asked in turn, and the verdict. */
const send = async ({ attempt = {}, journalAhead = 0, call = async () => answer, ...given }: World = {}) => {
  const clock = createClock({ nowMs: startedMs + 10 * 60_000 });
  const asked: (readonly [string, ...unknown[]])[] = [];
  const inputs: CallInput[] = [];
  const signal = given.signal ?? new AbortController().signal;
  const verdict = await sendAttempt(begun(attempt), {
    clock,
    signal,
    note: () => undefined,
    flags: { sandbox: false },
    ...(given.inFlight === undefined ? {} : { inFlight: given.inFlight }),
    journal: {
      nowMs: async () => clock.now() + journalAhead * 60_000,
      confirm: async (id) => {
        asked.push(["confirm", id]);
        await given.confirm?.(id);
      },
      addTry: async (id: string, tried: Try) => void asked.push(["addTry", id, tried]),
      close: async (id: string, end: AttemptEnd) => void asked.push(["close", id, end]),
    },
    client: {
      call: async (_, input = {}) => {
        inputs.push(input);
        return await call(input);
      },
    },
  });
  return { verdict, asked, input: inputs[0] ?? {}, signal };
};

describe("what the client is given", () => {
  test("a first sending has no earlier one, and its key and bytes are the attempt's", async () => {
    const { input } = await send();
    expect(input).toMatchObject({ body: "{}", idempotencyKey: "A1" });
    expect("firstSentMs" in input).toBe(false);
  });

  test("an attempt without an answer so far was first sent when it began, by this machine's clock", async () => {
    for (const journalAhead of [0, 7, -7]) {
      const { input } = await send({ attempt: { unanswered: true }, journalAhead });
      expect(input.firstSentMs).toBe(startedMs - journalAhead * 60_000);
    }
  });

  test("the signal of a batch is used as it is; a payment of its own waits a little for its answer", async () => {
    const batch = new AbortController();
    expect((await send({ inFlight: batch.signal })).input.signal).toBe(batch.signal);
    const { input, signal } = await send();
    expect(input.stop).toBe(signal);
    expect(input.signal).toBeInstanceOf(AbortSignal);
    expect(input.signal).not.toBe(signal);
  });

  test("nothing listens to the program's signal any more when it is over", async () => {
    const { signal } = await send();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("each try", () => {
  test("asks the journal first, and does not leave where that says no", async () => {
    const taken = new CliError("usage", "another process is sending it", { sent: "no" });
    let left = 0;
    const { verdict, asked } = await send({
      confirm: async () => {
        throw taken;
      },
      call: async ({ beforeTry }) => {
        await beforeTry?.();
        left += 1;
        return answer;
      },
    });
    expect([left, asked[0]]).toEqual([0, ["confirm", "A1"]]);
    expect(verdict).toMatchObject({ error: { kind: "usage", journalId: "A1", idempotencyKey: "A1" }, attempt: { state: "refused" } });
  });

  test("without an answer is written down at once; the answered one goes with the end", async () => {
    const answered: Try = { atMs: startedMs + 1, httpStatus: 201, outcome: "answered" };
    const { asked, verdict } = await send({
      call: async ({ onTry }) => {
        await onTry?.(unanswered);
        await onTry?.(answered);
        return answer;
      },
    });
    expect(asked).toEqual([
      ["addTry", "A1", unanswered],
      ["close", "A1", { state: "accepted", tried: answered, answer: answer.text, transactionId: "T1", status: "QUEUED" }],
    ]);
    expect(verdict).toMatchObject({ answer, attempt: { state: "accepted", transactionId: "T1", unanswered: true } });
  });
});

describe("an attempt that ends without an answer that accepts it", () => {
  const refusedAfter = async (tries: readonly Try[]) =>
    await send({
      call: async ({ onTry }) => {
        for (const tried of tries) await onTry?.(tried);
        throw new CliError("rejected", "no such payee", { sent: "no" });
      },
    });

  test("is refused where the client proves that nothing was done", async () => {
    expect((await refusedAfter([])).verdict).toMatchObject({ error: { kind: "rejected", sent: "no" }, attempt: { state: "refused" } });
  });

  test("stays unknown where an earlier try went unanswered", async () => {
    const { verdict } = await refusedAfter([unanswered]);
    expect(verdict).toMatchObject({ error: { kind: "outcome-unknown", sent: "unknown", command: ["journal", "resume", "A1"] }, attempt: { state: "unknown" } });
  });

  test.each([
    ["a fault of this program", new TypeError("x is not a function"), "x is not a function"],
    ["what is no error at all", "plain text", "plain text"],
    ["a fault that says nothing was sent", new CliError("bug", "broken", { sent: "no" }), "broken"],
  ])("is unknown after %s", async (_, thrown, message) => {
    const { verdict, asked } = await send({ call: () => Promise.reject(thrown) });
    expect(asked).toEqual([["close", "A1", { state: "unknown" }]]);
    expect(verdict).toMatchObject({ error: { kind: "outcome-unknown", sent: "unknown", journalId: "A1" } });
    expect("error" in verdict && verdict.error.cause).toMatchObject({ message });
  });
});
