import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import { dryRunOutcome } from "../../src/payments/dry-run.ts";
import { interruptGraceMs } from "../../src/payments/send-attempt.ts";
import type { Fault } from "../support/model-service.ts";
import { type Asked, apiKey, createClock } from "../support/payment-context.ts";
import { b2c, createBench, endOf, stk, withdraw } from "./flow-bench.ts";

describe("one payment", () => {
  test("is in the journal before it is sent, and accepted after", async () => {
    const bench = await createBench();
    const states: (string | undefined)[] = [];
    bench.onRequest = () => {
      void bench.journal.list({}).then(([attempt]) => states.push(attempt?.state));
    };
    const result = await bench.pay(b2c());
    expect(result).toMatchObject({
      replayed: false,
      answer: { status: 200, body: { transactionId: "T-1" } },
      attempt: { state: "accepted", transactionId: "T-1", status: "QUEUED" },
    });
    expect(states).toEqual(["started"]);
    const [attempt] = await bench.journal.list({});
    expect(attempt).toMatchObject({
      body: b2c().body,
      idempotencyKey: bench.posts()[0]?.headers["idempotency-key"],
      payee: "254700000001",
      tries: [{ httpStatus: 200 }],
    });
    expect(JSON.stringify(attempt)).not.toContain(apiKey);
  });

  test("what can't be recorded is not sent", async () => {
    const bench = await createBench();
    const journal = { ...bench.journal, open: async () => Promise.reject(new CliError("usage", "cannot be recorded")) };
    expect(endOf(await bench.pay(b2c(), { journal }))).toBe("usage");
    expect(bench.service.requests).toHaveLength(0);
  });

  test("an outcome that can't be recorded is still reported", async () => {
    const bench = await createBench();
    const broken = async () => Promise.reject(new CliError("usage", "disk full"));
    const notes: string[] = [];
    const result = await bench.pay(b2c(), { journal: { ...bench.journal, addTry: broken, close: broken }, notes });
    expect(endOf(result)).toBe("sent");
    expect(notes.join()).toMatch(/disk full/);
    expect((await bench.journal.list({}))[0]?.state).toBe("started");
  });

  test("interrupted before sending: nothing was sent", async () => {
    const bench = await createBench();
    expect(endOf(await bench.pay(b2c(), { signal: AbortSignal.abort() }))).toBe("interrupted");
    expect(bench.service.requests).toHaveLength(0);
    expect(await bench.journal.list({})).toHaveLength(0);
  });

  test("interrupted in flight: unknown, with the command that settles it", async () => {
    const bench = await createBench();
    const controller = new AbortController();
    bench.onRequest = () => controller.abort();
    bench.faults.push("reset-after");
    const error = await bench.pay(b2c(), { signal: controller.signal, flags: { yes: true, profile: "my shop" } });
    expect(error).toMatchObject({
      kind: "outcome-unknown",
      sent: "unknown",
      command: ["journal", "resume", expect.stringMatching(/^[-0-9a-f]{36}$/), "--profile", "my shop"],
    });
    expect(bench.posts()).toHaveLength(1);
    expect((await bench.journal.list({}))[0]?.state).toBe("unknown");
  });

  test.each(["429", "refused-connection", "reset-before", "500-before"] as const)("interrupted while %s is waited out: it is not sent again", async (fault) => {
    const bench = await createBench();
    const controller = new AbortController();
    // Nothing in flight is cut off: the time that it is given after Ctrl-C does not end.
    const clock = { ...createClock(bench.time), sleep: async (ms: number) => (ms === interruptGraceMs ? new Promise<void>(() => undefined) : undefined) };
    let sent = 0;
    bench.onRequest = () => {
      sent++;
      controller.abort();
    };
    bench.faults.push(fault);
    const isOpen = fault === "reset-before" || fault === "500-before";
    expect(endOf(await bench.pay(b2c(), { signal: controller.signal, clock }))).toBe(isOpen ? "outcome-unknown" : "interrupted");
    expect(sent).toBe(1);
    expect((await bench.journal.list({}))[0]?.state).toBe(isOpen ? "unknown" : "refused");
  });

  test("interrupted in flight: an answer that arrives still counts", async () => {
    const bench = await createBench();
    const controller = new AbortController();
    bench.onRequest = () => controller.abort();
    expect(endOf(await bench.pay(b2c(), { signal: controller.signal }))).toBe("sent");
    expect((await bench.journal.list({}))[0]?.state).toBe("accepted");
  });
});

describe("a lost answer", () => {
  const lost: readonly Fault[] = [
    "reset-after",
    "timeout-after",
    "500-after",
    "truncated-after",
    "html-502-after",
    "redirect-after",
    "without-id-after",
    "408-after",
  ];
  test.each(lost)("%s, then the same key and bytes again: one payment", async (fault) => {
    const bench = await createBench();
    bench.faults.push(fault);
    expect(endOf(await bench.pay(b2c()))).toBe("sent");
    const [first, second] = bench.posts();
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
    expect(bench.service.payments).toHaveLength(1);
  });

  const then: readonly Fault[] = ["400", "401", "402", "says-false", "refused-connection", "429"];
  test.each(lost.flatMap((fault) => then.map((next) => [fault, next] as const)))("%s, then %s for ever: never refused", async (fault, next) => {
    const bench = await createBench();
    bench.faults.push(fault, ...Array.from({ length: 10 }, () => next));
    const error = await bench.pay(b2c());
    expect(error).toMatchObject({ kind: "outcome-unknown", sent: "unknown", idempotencyKey: expect.any(String), journalId: expect.any(String) });
    expect((await bench.journal.list({}))[0]).toMatchObject({ state: "unknown", unanswered: true });
  });
});

describe("a plain refusal closes the attempt", () => {
  test.each([
    ["400", "rejected"],
    ["401", "auth"],
    ["402", "payment-required"],
    ["says-false", "rejected"],
    ["refused-connection", "unavailable"],
    ["429", "rejected"],
  ] as const)("%s is %s", async (fault, kind) => {
    const bench = await createBench();
    bench.faults.push(...Array.from({ length: 4 }, () => fault));
    const error = await bench.pay(b2c());
    expect(error).toMatchObject({ kind, sent: "no", idempotencyKey: expect.any(String), journalId: expect.any(String) });
    expect((await bench.journal.list({}))[0]).toMatchObject({ state: "refused" });
    bench.faults.length = 0;
    // A top-up lets the same command through, with a new key (reports.md, H3).
    expect(endOf(await bench.pay(b2c()))).toBe("sent");
    expect((await bench.journal.list({})).map(({ state }) => state)).toEqual(["accepted", "refused"]);
    expect(new Set(bench.posts().map(({ headers }) => headers["idempotency-key"])).size).toBe(fault === "refused-connection" ? 1 : 2);
  });
});

describe("the duplicate guard", () => {
  test("an accepted payout stands in the way of its like, spaces around the reference or not", async () => {
    const bench = await createBench();
    await bench.pay(b2c());
    const again = await bench.pay(b2c({ reference: " R-1 ", amount: "200" }));
    expect(again).toMatchObject({ kind: "duplicate", sent: "no", hint: expect.stringContaining("--allow-duplicate") });
    expect(endOf(await bench.pay(b2c({ reference: "r-1" })))).toBe("sent");
    expect(endOf(await bench.pay(b2c({ payee: "254700000002" })))).toBe("sent");
    expect(endOf(await bench.pay(b2c({ allowDuplicate: true })))).toBe("sent");
  });

  test("one that ended unpaid is looked up twice, and frees it", async () => {
    const bench = await createBench();
    await bench.pay(b2c());
    const [payment] = bench.service.payments;
    if (payment === undefined) throw new Error("no payment");
    payment.status = "failed";
    const before = bench.time.nowMs;
    expect(endOf(await bench.pay(b2c()))).toBe("sent");
    expect(bench.time.nowMs - before).toBe(3_000);
    expect((await bench.journal.find((await bench.journal.list({}))[1]?.id ?? ""))?.status).toBe("failed");
  });

  test("paid, then FAILED: still stands in the way; REVERSED frees it", async () => {
    const bench = await createBench();
    const first = await bench.pay(b2c());
    if (first instanceof CliError) throw first;
    await bench.journal.setStatus(first.attempt.id, "COMPLETED");
    const [payment] = bench.service.payments;
    if (payment === undefined) throw new Error("no payment");
    payment.status = "FAILED";
    expect(endOf(await bench.pay(b2c()))).toBe("duplicate");
    payment.status = "REVERSED";
    expect(endOf(await bench.pay(b2c()))).toBe("sent");
  });

  test("a look-up that fails, or answers about another, stands in the way", async () => {
    const bench = await createBench();
    await bench.pay(b2c());
    bench.strikesReads = true;
    bench.faults.push("500-before", "500-before", "500-before", "500-before");
    expect(endOf(await bench.pay(b2c()))).toBe("duplicate");
    bench.faults.length = 0;
    const [attempt] = await bench.journal.list({});
    await bench.pay(b2c({ payee: "254700000009" }));
    const [, other] = bench.service.payments;
    if (other !== undefined) other.status = "FAILED";
    await bench.journal.close(attempt?.id ?? "", { state: "accepted", transactionId: "T-missing" });
    expect(endOf(await bench.pay(b2c()))).toBe("duplicate");
  });

  test("what the service says about another id says nothing about the earlier payout", async () => {
    const bench = await createBench();
    await bench.pay(b2c());
    const { transport } = bench.service;
    const send: typeof transport.send = async (request, options) =>
      request.method === "POST"
        ? transport.send(request, options)
        : {
            status: 200,
            headers: { "content-type": "application/json" },
            body: new TextEncoder().encode('{"id":"T-9","reference":"R-1","amount":100,"status":"FAILED"}'),
          };
    expect(endOf(await bench.pay(b2c(), { transport: { ...transport, send } }))).toBe("duplicate");
    expect(bench.service.payments).toHaveLength(1);
  });

  test("unknown stands in the way of its like for money in too; accepted money in does not", async () => {
    const bench = await createBench();
    bench.faults.push(...Array.from({ length: 4 }, () => "reset-after" as const));
    expect(endOf(await bench.pay(stk()))).toBe("outcome-unknown");
    expect(await bench.pay(stk())).toMatchObject({ kind: "duplicate", command: ["journal", "resume", expect.any(String)] });
    expect(endOf(await bench.pay(stk({ reference: "R-2" })))).toBe("sent");
    expect(endOf(await bench.pay(stk({ reference: "R-2" })))).toBe("sent");
  });

  test("a withdrawal: same rail, payee and amount within 24 hours", async () => {
    const bench = await createBench();
    expect(endOf(await bench.pay(withdraw()))).toBe("sent");
    expect(endOf(await bench.pay(withdraw({ amount: "500.00" })))).toBe("duplicate");
    expect(endOf(await bench.pay(withdraw({ amount: "501" })))).toBe("sent");
    bench.time.nowMs += 24 * 3_600_000;
    expect(endOf(await bench.pay(withdraw()))).toBe("sent");
  });

  test("is asked on a terminal", async () => {
    const bench = await createBench();
    await bench.pay(b2c());
    expect(await bench.pay(b2c(), { answers: [false], flags: {} })).toMatchObject({ kind: "interrupted", sent: "no" });
    expect(endOf(await bench.pay(b2c(), { answers: [true, true], flags: {} }))).toBe("sent");
    expect(
      endOf(await bench.pay(b2c({ batch: { run: { id: "B", keySalt: "00", inFlight: new AbortController().signal }, row: 1 } }), { answers: [], flags: {} })),
    ).toBe("duplicate");
  });
});

describe("the question", () => {
  test("money out without a terminal needs --yes", async () => {
    const bench = await createBench();
    expect(await bench.pay(b2c(), { flags: {} })).toMatchObject({ kind: "usage", hint: expect.stringContaining("--yes") });
    expect(endOf(await bench.pay(stk(), { flags: {} }))).toBe("sent");
    expect(bench.posts()).toHaveLength(1);
  });

  test("says what, to whom, from which profile and host, and that the fee is known later", async () => {
    const bench = await createBench();
    const asked: Asked[] = [];
    expect(endOf(await bench.pay(b2c(), { flags: {}, answers: [true], asked }))).toBe("sent");
    for (const part of ["KES 100.00", "254700000001", "R-1", "shop", "http://127.0.0.1:9", "fee"]) expect(asked[0]?.message).toContain(part);
    expect(endOf(await bench.pay(b2c({ reference: "R-3" }), { flags: {}, answers: [false] }))).toBe("interrupted");
    expect(bench.posts()).toHaveLength(1);
  });

  test("a live withdrawal asks for the amount to be typed; a sandbox one does not", async () => {
    const bench = await createBench();
    expect(endOf(await bench.pay(withdraw(), { flags: {}, answers: ["5000", "no"] }))).toBe("interrupted");
    expect(bench.posts()).toHaveLength(0);
    expect(endOf(await bench.pay(withdraw(), { flags: {}, answers: ["500"] }))).toBe("sent");
    expect(endOf(await bench.pay(withdraw({ amount: "7" }), { flags: {}, answers: [true], account: { mode: "sandbox" } }))).toBe("sent");
  });

  test("the withdrawal key's passphrase is asked even with --yes, or read from standard input", async () => {
    const bench = await createBench();
    const withdrawalKey = "withdrawal_key_0123456789";
    expect(await bench.pay(withdraw(), { withdrawalKey })).toMatchObject({ kind: "usage", hint: expect.stringContaining("--passphrase-stdin") });
    expect(endOf(await bench.pay(withdraw(), { withdrawalKey, answers: ["wrong", "wrong", "wrong"] }))).toBe("auth");
    expect(bench.posts()).toHaveLength(0);
    expect(await bench.journal.list({})).toHaveLength(0);
    expect(endOf(await bench.pay(withdraw(), { withdrawalKey, answers: ["wrong", "open sesame"] }))).toBe("sent");
    expect(endOf(await bench.pay(withdraw({ amount: "8", passphraseStdin: true }), { withdrawalKey, stdin: "open sesame\r\n" }))).toBe("sent");
    expect(bench.posts().every(({ headers }) => headers["authorization"] === `Bearer ${withdrawalKey}`)).toBe(true);
  });
});

describe("the person's own key", () => {
  const idempotencyKey = "own-1";
  test("accepted: the stored answer, nothing is sent", async () => {
    const bench = await createBench();
    const first = await bench.pay(b2c({ idempotencyKey }));
    const again = await bench.pay(b2c({ idempotencyKey }), { flags: {} });
    if (first instanceof CliError || again instanceof CliError) throw new Error("refused");
    expect(again).toMatchObject({ replayed: true, answer: { text: first.answer.text, body: first.answer.body } });
    expect(bench.posts()).toHaveLength(1);
    expect(bench.posts()[0]?.headers["idempotency-key"]).toBe(idempotencyKey);
  });

  test("accepted by look-up: the transaction is read", async () => {
    const bench = await createBench();
    bench.faults.push(...Array.from({ length: 4 }, () => "reset-after" as const));
    await bench.pay(b2c({ idempotencyKey }));
    const [attempt] = await bench.journal.list({});
    await bench.journal.close(attempt?.id ?? "", { state: "accepted", transactionId: "T-1", status: "QUEUED" });
    expect(await bench.pay(b2c({ idempotencyKey }))).toMatchObject({ replayed: true, answer: { body: { id: "T-1", status: "QUEUED" } } });
  });

  test("unknown: sent again with the same key; a refusal then leaves it unknown", async () => {
    const bench = await createBench();
    bench.faults.push(...Array.from({ length: 4 }, () => "reset-after" as const), "402");
    expect(endOf(await bench.pay(b2c({ idempotencyKey })))).toBe("outcome-unknown");
    expect(endOf(await bench.pay(b2c({ idempotencyKey })))).toBe("outcome-unknown");
    expect(endOf(await bench.pay(b2c({ idempotencyKey })))).toBe("sent");
    expect(bench.service.payments).toHaveLength(1);
    expect(await bench.journal.list({})).toHaveLength(1);
  });

  test("unknown and older than a day: not sent again", async () => {
    const bench = await createBench();
    bench.faults.push(...Array.from({ length: 4 }, () => "reset-after" as const));
    await bench.pay(b2c({ idempotencyKey }));
    bench.time.nowMs += 25 * 3_600_000;
    expect(await bench.pay(b2c({ idempotencyKey }))).toMatchObject({ kind: "outcome-unknown", hint: expect.stringContaining("--mark") });
    expect(bench.service.payments).toHaveLength(1);
  });

  test("refused: sent again, and the guard still looks at others", async () => {
    const bench = await createBench();
    bench.faults.push("402", "402");
    expect(endOf(await bench.pay(b2c({ idempotencyKey })))).toBe("payment-required");
    expect(endOf(await bench.pay(b2c({ idempotencyKey })))).toBe("payment-required");
    expect(endOf(await bench.pay(b2c()))).toBe("sent");
    expect(endOf(await bench.pay(b2c({ idempotencyKey })))).toBe("duplicate");
  });

  test("with another body: usage; on another operation: another attempt; with another API key: auth", async () => {
    const bench = await createBench();
    bench.faults.push("402");
    await bench.pay(b2c({ idempotencyKey }));
    expect(await bench.pay(b2c({ idempotencyKey, body: '{"amount":1}' }))).toMatchObject({ kind: "usage", sent: "no" });
    expect(endOf(await bench.pay(b2c({ idempotencyKey }), { apiKey: "another_key_0123456789" }))).toBe("auth");
    expect(endOf(await bench.pay(stk({ idempotencyKey })))).toBe("sent");
    expect(await bench.journal.list({})).toHaveLength(2);
  });
});

test("two processes at once pay once", async () => {
  const bench = await createBench();
  const ends = (await Promise.all([bench.pay(b2c()), bench.pay(b2c()), bench.pay(b2c())])).map(endOf).sort();
  expect(ends).toEqual(["duplicate", "duplicate", "sent"]);
  expect(bench.service.payments).toHaveLength(1);
});

test("a dry run is the request, and neither recorded nor sent", async () => {
  const bench = await createBench();
  const outcome = await dryRunOutcome(b2c({ idempotencyKey: "own" }), bench.context());
  expect(outcome.rows).toEqual([{ method: "POST", path: "/api/v1/merchants/payments/b2c", body: JSON.parse(b2c().body), idempotencyKey: "own" }]);
  expect(await bench.journal.list({})).toHaveLength(0);
  expect(bench.service.requests).toHaveLength(0);
});

test("a withdrawal keeps the wallet's figures from before as evidence", async () => {
  const bench = await createBench();
  await bench.pay(withdraw());
  expect((await bench.journal.list({}))[0]?.evidence).toBe('{"currency":"KES","availableBalance":100}');
});

test("a refused attempt that is sent again meanwhile stands in the way (seed 847 of the simulation)", async () => {
  const bench = await createBench();
  bench.faults.push("402");
  await bench.pay(b2c({ idempotencyKey: "own" }));
  const ends = (await Promise.all([bench.pay(b2c({ idempotencyKey: "own" })), bench.pay(b2c())])).map(endOf);
  expect(ends).toEqual(["sent", "duplicate"]);
  expect(bench.service.payments).toHaveLength(1);
});
