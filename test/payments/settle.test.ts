import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import type { Attempt, AttemptFilter, Journal } from "../../src/journal/port.ts";
import { markAttempt, settleAttempts, unsettledError } from "../../src/payments/settle.ts";
import { lookUpAttempts } from "../../src/payments/settle-lookup.ts";
import type { CallInput } from "../../src/ports.ts";
import type { Transport } from "../../src/service/transport.ts";
import { newAttempt } from "../support/new-attempt.ts";
import type { PaymentContextOptions } from "../support/payment-context.ts";
import { b2c, createBench, endOf, type FlowBench, stk, withdraw } from "./flow-bench.ts";

const hour = 3_600_000;
const newest = async ({ journal }: FlowBench): Promise<Attempt> => {
  const [attempt] = await journal.list({});
  if (attempt === undefined) throw new Error("no attempt");
  return attempt;
};
/** Pays with every answer lost; `after`: the service acted. */
const lose = async (bench: FlowBench, plan = b2c(), fault: "reset-after" | "reset-before" = "reset-after"): Promise<Attempt> => {
  bench.faults.push(...Array.from({ length: 4 }, () => fault));
  expect(endOf(await bench.pay(plan))).toBe("outcome-unknown");
  return await newest(bench);
};
type Options = Partial<PaymentContextOptions> & { readonly byId?: boolean };
const settle = async (bench: FlowBench, attempts: readonly Attempt[], { byId = true, ...options }: Options = {}) => {
  const context = bench.context({ flags: { yes: true }, ...options });
  const settled = await settleAttempts(attempts, context, { byId, passphraseStdin: false });
  return { settled, error: unsettledError(settled, context.flags), states: settled.map(({ attempt }) => attempt.state) };
};
const kindOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof CliError ? error.kind : error),
  );

describe("the look-up", () => {
  test("finds the one transaction, through capped pages, and sends nothing", async () => {
    const bench = await createBench();
    for (let index = 0; index < 8; index += 1)
      await bench.pay(b2c({ reference: `O-${index}`, payee: String(index), body: `{"amount":100,"reference":"O-${index}"}` }));
    const attempt = await lose(bench);
    for (let index = 8; index < 12; index += 1)
      await bench.pay(b2c({ reference: `O-${index}`, payee: String(index), body: `{"amount":100,"reference":"O-${index}"}` }));
    const posts = bench.posts().length;
    const { settled, error } = await settle(bench, [attempt], { flags: {} });
    expect(error).toBeUndefined();
    expect(settled[0]?.attempt).toMatchObject({ state: "accepted", transactionId: "T-9", status: "QUEUED" });
    expect(bench.posts()).toHaveLength(posts);
  });

  test("an amount that differs, another flow, and a claimed one are not it", async () => {
    const bench = await createBench();
    await bench.pay(b2c({ amount: "200", body: '{"amount":200,"reference":"R-1"}' }));
    await bench.pay(stk());
    await bench.pay(b2c({ allowDuplicate: true }));
    const attempt = await lose(bench, b2c({ allowDuplicate: true }), "reset-before");
    const { error } = await settle(bench, [attempt], { flags: {} });
    expect(error).toMatchObject({ kind: "outcome-unknown", sent: "unknown", journalId: attempt.id, idempotencyKey: attempt.idempotencyKey });
    expect(bench.service.payments).toHaveLength(3);
  });

  test("what a person marked accepted may be the one that is found: it settles no other attempt", async () => {
    const bench = await createBench();
    const marked = await lose(bench, b2c({ allowDuplicate: true }));
    await markAttempt(marked, "accepted", bench.journal);
    const attempt = await lose(bench, b2c({ allowDuplicate: true }), "reset-before");
    expect(bench.service.payments).toHaveLength(1);
    const { error } = await settle(bench, [attempt], { flags: {} });
    expect(error).toMatchObject({ kind: "outcome-unknown", journalId: attempt.id });
    // Sent again with its own key, the service itself tells.
    const { settled } = await settle(bench, [attempt]);
    expect([settled[0]?.attempt, bench.service.payments.length]).toEqual([expect.objectContaining({ state: "accepted", transactionId: "T-2" }), 2]);
  });

  test("goes on where the total is below the rows already read: what comes later may be a second one", async () => {
    const place = { baseUrl: "https://pay.example", startedAt: "2026-03-01T08:00:00.000Z" };
    const wanted = { id: "a", operation: "b2c", reference: "R-1", amount: "100", ...place } as const;
    const rowsFrom = (offset: number) => [
      { id: `T-${offset}`, reference: "R-1", amount: 100, status: "PAID" },
      ...fillers.map((id) => ({ id: `${id}-${offset}` })),
    ];
    const fillers = Array.from({ length: 99 }, (_, index) => `F-${index}`);
    const call = async (_: unknown, { query }: CallInput = {}) => {
      const offset = Number(query?.["offset"] ?? 0);
      return { status: 200, headers: {}, text: "", body: { transactions: offset < 200 ? rowsFrom(offset) : [], total: 40 } };
    };
    const found = await lookUpAttempts([wanted], {
      client: { call },
      journal: { list: async () => [], seeTransactions: async () => [] },
      signal: new AbortController().signal,
    });
    expect(found.get("a")?.candidates.map(({ id }) => id)).toEqual(["T-0", "T-100"]);
  });

  test("one that another attempt claims while this one is settled is not its own", async () => {
    const bench = await createBench();
    const attempt = await lose(bench);
    const other = { ...attempt, id: "another" };
    let looks = 0;
    const journal: Journal = {
      ...bench.journal,
      list: async (filter) => (filter.transactionId === "T-1" && ++looks > 1 ? [other] : bench.journal.list(filter)),
    };
    const { states, error } = await settle(bench, [attempt], { flags: {}, journal });
    expect([states, error?.kind]).toEqual([["unknown"], "outcome-unknown"]);
  });

  test("one in a list that could not be read to its end proves nothing", async () => {
    const bench = await createBench();
    const attempt = await lose(bench);
    const transport: Transport = {
      close: async () => undefined,
      send: async ({ url }) => {
        const offset = Number(url.searchParams.get("offset") ?? "0");
        const rows = [offset === 0 ? { id: "T-1", reference: "R-1", amount: 100, status: "QUEUED" } : { id: `F-${offset}`, reference: "x", amount: 1 }];
        const text = JSON.stringify({ transactions: rows, total: offset + 100 });
        return { status: 200, headers: { "content-type": "application/json" }, body: new TextEncoder().encode(text) };
      },
    };
    const { states } = await settle(bench, [attempt], { flags: {}, transport });
    expect(states).toEqual(["unknown"]);
  });

  test("several: still unknown, and not sent again", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk());
    const [payment] = bench.service.payments;
    if (payment !== undefined) bench.service.payments.push({ ...payment, id: "T-99" });
    const posts = bench.posts().length;
    const { error } = await settle(bench, [attempt]);
    expect(error?.message).toMatch(/2 transactions.*T-99/);
    expect(bench.posts()).toHaveLength(posts);
  });

  test("two open attempts of one reference and amount: neither takes the one transaction by look-up", async () => {
    const bench = await createBench();
    const paid = await lose(bench, stk());
    const lost = await lose(bench, stk({ allowDuplicate: true }), "reset-before");
    expect((await settle(bench, [lost, paid])).states).toEqual(["accepted", "accepted"]);
    expect(bench.service.payments.map(({ key }) => key)).toEqual([paid.idempotencyKey, lost.idempotencyKey]);
    expect(await bench.journal.find(paid.id)).toMatchObject({ transactionId: "T-1" });
    expect(await bench.journal.find(lost.id)).toMatchObject({ transactionId: "T-2" });
  });

  test("one that fails is no reason to give up", async () => {
    const bench = await createBench();
    const attempt = await lose(bench);
    bench.strikesReads = true;
    bench.faults.push("401");
    expect((await settle(bench, [attempt])).states).toEqual(["accepted"]);
    expect(bench.service.payments).toHaveLength(1);
  });
});

describe("the same key and bytes again", () => {
  test("for what the list does not have; a refusal then leaves it unknown", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk(), "reset-before");
    for (const fault of ["402", "401", "400", "refused-connection", "says-false"] as const) {
      bench.faults.push(...Array.from({ length: 4 }, () => fault));
      const { error, states } = await settle(bench, [attempt], { byId: false });
      expect([error?.kind, states]).toEqual(["outcome-unknown", ["unknown"]]);
      bench.faults.length = 0;
    }
    expect((await settle(bench, [attempt], { flags: {} })).states).toEqual(["accepted"]);
    expect(bench.service.payments).toHaveLength(1);
    expect(new Set(bench.posts().map(({ headers, body }) => `${headers["idempotency-key"]} ${body}`)).size).toBe(1);
  });

  test("money out only with --yes or on a question", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, b2c(), "reset-before");
    for (const answers of [undefined, [false]])
      expect(await settle(bench, [attempt], { flags: {}, ...(answers === undefined ? {} : { answers }) })).toMatchObject({
        states: ["unknown"],
        error: { kind: "outcome-unknown" },
      });
    expect(bench.service.payments).toHaveLength(0);
    expect((await settle(bench, [attempt], { flags: {}, answers: [true] })).states).toEqual(["accepted"]);
  });

  test("withdrawals one at a time, by id, with their evidence", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, withdraw());
    const { error } = await settle(bench, [attempt], { byId: false });
    expect(error?.message).toMatch(/one at a time.*evidence, not proof/);
    expect((await settle(bench, [attempt])).states).toEqual(["accepted"]);
    expect(bench.service.payments).toHaveLength(1);
  });

  test("a withdrawal made with the second key goes on with it, or not at all", async () => {
    const bench = await createBench();
    const withdrawalKey = "withdrawal_key_0123456789";
    bench.faults.push(...Array.from({ length: 4 }, () => "reset-after" as const));
    await bench.pay(withdraw(), { withdrawalKey, answers: ["open sesame"] });
    const attempt = await newest(bench);
    expect(await kindOf(settle(bench, [attempt]))).toBe("auth");
    expect(await kindOf(settle(bench, [attempt], { withdrawalKey: "another_key_0123456789", answers: ["open sesame"] }))).toBe("auth");
    expect((await settle(bench, [attempt], { withdrawalKey, answers: ["open sesame"] })).states).toEqual(["accepted"]);
    expect(bench.posts().every(({ headers }) => headers["authorization"] === `Bearer ${withdrawalKey}`)).toBe(true);
  });

  test("never after 24 hours, or with a clock that went back; a look-up still settles", async () => {
    const bench = await createBench();
    const lost = await lose(bench, stk(), "reset-before");
    const paid = await lose(bench, stk({ reference: "R-2", body: '{"amount":100,"reference":"R-2"}' }));
    bench.time.nowMs += 24 * hour;
    const late = await settle(bench, [lost, paid]);
    expect(late.states).toEqual(["unknown", "accepted"]);
    expect(late.error?.message).toContain("24 hours");
    bench.time.nowMs -= 23 * hour;
    expect((await settle(bench, [lost])).error?.message).toContain("clock");
    expect(bench.service.payments).toHaveLength(1);
  });

  test("another API key is 3 by id, and a reason among others", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk());
    const apiKey = "another_key_0123456789";
    expect(await kindOf(settle(bench, [attempt], { apiKey }))).toBe("auth");
    expect(await kindOf(settle(bench, [{ ...attempt, baseUrl: "https://other.example" }]))).toBe("config");
    expect((await settle(bench, [attempt], { apiKey, byId: false })).error?.message).toContain("another API key");
    expect(bench.posts()).toHaveLength(4);
  });
});

describe("another attempt of the same payment", () => {
  const again = () => b2c({ allowDuplicate: true });
  test.each(["unknown", "refused"] as const)("that is %s: the one transaction may be its own, or not", async (state) => {
    const bench = await createBench();
    const other = await lose(bench, again(), "reset-before");
    const attempt = await lose(bench, again());
    if (state === "refused") await markAttempt(other, "refused", bench.journal);
    const { states } = await settle(bench, [attempt], { flags: {} });
    expect(states).toEqual([state === "unknown" ? "unknown" : "accepted"]);
  });

  test.each<readonly [string, Partial<Attempt>, Attempt["state"]]>([
    ["of the same reference and amount", {}, "unknown"],
    ["the amount written otherwise", { amount: "100.00" }, "unknown"],
    ["of another amount", { amount: "101" }, "accepted"],
    ["of another reference", { reference: "FOOD" }, "accepted"],
    ["of another operation", { operation: "stk" }, "accepted"],
    ["of another service", { baseUrl: "https://other.example" }, "accepted"],
    ["with a transaction of its own", { transactionId: "T9" }, "accepted"],
    ["that was refused after all", { state: "refused" }, "accepted"],
  ])("that a person marked as accepted, so that its transaction is not known, %s", async (_, more, state) => {
    const bench = await createBench();
    const attempt = await lose(bench);
    const other: Attempt = { ...attempt, id: "another", state: "accepted", ...more };
    const isAsked = (filter: AttemptFilter): boolean =>
      (["transactionId", "baseUrl", "operation", "reference"] as const).every((name) => filter[name] === undefined || filter[name] === other[name]);
    const journal: Journal = { ...bench.journal, list: async (filter) => [...(await bench.journal.list(filter)), ...(isAsked(filter) ? [other] : [])] };
    expect((await settle(bench, [attempt], { flags: {}, journal })).states).toEqual([state]);
  });

  test("that has a transaction of its own does not stand in the way", async () => {
    const bench = await createBench();
    await bench.pay(again());
    const attempt = await lose(bench, again());
    expect((await settle(bench, [attempt], { flags: {} })).settled[0]?.attempt).toMatchObject({ state: "accepted", transactionId: "T-2" });
  });
});

describe("what the journal answers", () => {
  test("while the transaction is found: another process closes it, or the journal is lost", async () => {
    const bench = await createBench();
    const attempt = await lose(bench);
    const journalThat = (error: Error): Journal => ({ ...bench.journal, close: () => Promise.reject(error) });
    const busy = await settle(bench, [attempt], { flags: {}, journal: journalThat(new CliError("duplicate", "is being sent")) });
    expect(busy.settled).toMatchObject([{ attempt: { state: "unknown" }, why: "is being sent" }]);
    for (const error of [new CliError("usage", "lost"), new TypeError("broken")])
      await expect(settle(bench, [attempt], { flags: {}, journal: journalThat(error) })).rejects.toBe(error);
  });

  test("before it is sent again: a lost journal ends it, another process is a reason", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk(), "reset-before");
    const posts = bench.posts().length;
    const journalThat = (error: Error): Journal => ({ ...bench.journal, reopen: () => Promise.reject(error) });
    const lost = journalThat(new CliError("usage", "lost"));
    await expect(settle(bench, [attempt], { journal: lost })).rejects.toMatchObject({ message: "lost", sent: "unknown", journalId: attempt.id });
    const broken = new TypeError("broken");
    await expect(settle(bench, [attempt], { journal: journalThat(broken) })).rejects.toBe(broken);
    const busy = await settle(bench, [attempt], { journal: journalThat(new CliError("duplicate", "is being sent")) });
    expect(busy.settled).toMatchObject([{ attempt: { state: "unknown" }, why: "is being sent" }]);
    expect(bench.posts()).toHaveLength(posts);
  });

  test("a request that is no longer stored is not sent again", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk(), "reset-before");
    const posts = bench.posts().length;
    const journal: Journal = { ...bench.journal, find: async () => ({ ...attempt, body: null }) };
    expect((await settle(bench, [attempt], { journal })).settled).toMatchObject([{ why: expect.stringContaining("stored") }]);
    expect(bench.posts()).toHaveLength(posts);
  });

  test("a policy holds back what was never approved, unless it could not be sent again anyway", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, b2c(), "reset-before");
    const posts = bench.posts().length;
    await bench.journal.approvals.setPolicy("KES", { from: "50", approvers: 1 });
    expect((await settle(bench, [attempt])).settled).toMatchObject([{ attempt: { state: "unknown" }, heldBack: { kind: "approval-required" } }]);
    bench.time.nowMs += 24 * hour;
    const [late] = (await settle(bench, [attempt])).settled;
    expect([late?.heldBack, late?.why]).toEqual([undefined, expect.stringContaining("24 hours")]);
    expect(bench.posts()).toHaveLength(posts);
  });
});

describe("several attempts", () => {
  test("of another address or key are not looked for, and keep their reason", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk());
    const reads = () => bench.service.requests.filter(({ method }) => method === "GET").length;
    const before = reads();
    for (const [other, options, says] of [
      [{ ...attempt, baseUrl: "https://other.example" }, {}, "https://other.example"],
      [attempt, { apiKey: "another_key_0123456789" }, "another API key"],
    ] as const) {
      const { settled, states } = await settle(bench, [other], { byId: false, ...options });
      expect(states).toEqual(["unknown"]);
      expect(settled[0]).toMatchObject({ why: expect.stringContaining(says), elsewhere: { says: expect.any(String) } });
    }
    expect(reads()).toBe(before);
    expect((await settle(bench, [attempt, { ...attempt, id: "B", baseUrl: "https://other.example" }], { byId: false })).states).toEqual([
      "accepted",
      "unknown",
    ]);
  });

  test("a damaged one is neither looked for nor sent, and a person closes it", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk());
    const damaged: Attempt = { ...attempt, damaged: true };
    const requests = bench.service.requests.length;
    const journal: Journal = { ...bench.journal, find: async () => damaged };
    const { settled } = await settle(bench, [damaged], { journal });
    expect(settled).toEqual([{ attempt: damaged, why: expect.stringContaining(attempt.id) }]);
    expect(bench.service.requests).toHaveLength(requests);
  });

  test("whose look-up fails are sent again, and the failure is a note", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk(), "reset-before");
    bench.strikesReads = true;
    bench.faults.push(...Array.from({ length: 4 }, () => "reset-before" as const));
    const notes: string[] = [];
    expect((await settle(bench, [attempt], { notes })).states).toEqual(["accepted"]);
    expect([notes.length, bench.service.payments.length]).toEqual([1, 1]);
  });

  test("after an interruption: what is being sent gets its answer, what was not its turn yet is left", async () => {
    const bench = await createBench();
    const first = await lose(bench, stk(), "reset-before");
    const second = await lose(bench, stk({ reference: "R-2", body: '{"amount":100,"reference":"R-2"}' }), "reset-before");
    const interrupted = new AbortController();
    bench.onRequest = ({ method }) => {
      if (method === "POST") interrupted.abort();
    };
    const { settled, states } = await settle(bench, [first, second], { signal: interrupted.signal });
    expect(states).toEqual(["accepted", "unknown"]);
    expect(settled[1]).toEqual({ attempt: second, why: expect.stringContaining("interrupted") });
    expect(bench.service.payments).toHaveLength(1);
  });

  test("interrupted while they are looked for: nothing is sent", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk(), "reset-before");
    const posts = bench.posts().length;
    const interrupted = new AbortController();
    bench.onRequest = () => interrupted.abort();
    bench.strikesReads = true;
    bench.faults.push("reset-before");
    await expect(settle(bench, [attempt], { signal: interrupted.signal })).rejects.toThrow();
    expect(bench.posts()).toHaveLength(posts);
  });
});

describe("what is said of those that stay unknown", () => {
  const attemptOf = (id: string, state: Attempt["state"] = "unknown"): Attempt => ({ ...newAttempt(id), state, tries: [], unanswered: true });
  const elsewhere = (says: string, more: { readonly command?: readonly string[] } = {}) => ({ says, error: new CliError("usage", says), ...more });

  test("nothing where all are settled", () => expect(unsettledError([{ attempt: attemptOf("A", "accepted") }], { sandbox: false })).toBeUndefined());

  test("the first that this account can settle comes first, with the command; the others are counted and named", () => {
    const error = unsettledError(
      [
        { attempt: attemptOf("B"), elsewhere: elsewhere("say B", { command: ["journal", "resume", "B", "--profile", "b"] }) },
        { attempt: attemptOf("A"), why: "it is held up." },
        { attempt: attemptOf("C", "refused") },
      ],
      { sandbox: false },
    );
    expect(error).toMatchObject({ kind: "outcome-unknown", journalId: "A", idempotencyKey: "A", sent: "unknown", command: ["journal", "resume", "A"] });
    expect(error?.message).toMatch(/A.*nor 1 more: it is held up$/);
    expect(error?.hint).toContain("say B");
  });

  test("of another profile alone: its own command, which says it all", () => {
    const command = ["journal", "resume", "B", "--profile", "b"];
    const error = unsettledError([{ attempt: attemptOf("B"), elsewhere: elsewhere("say B", { command }) }], { sandbox: false });
    expect(error).toMatchObject({ journalId: "B", command });
    expect(error?.message).not.toContain("more");
    expect(error?.hint).not.toContain("say B");
  });

  test("of another key alone: no command, but what to do", () => {
    const error = unsettledError([{ attempt: attemptOf("B"), elsewhere: elsewhere("say B") }], { sandbox: false });
    expect([error?.command, error?.hint]).toEqual([undefined, expect.stringContaining("say B")]);
  });

  test("why they are held back, if all are", () => {
    const heldBack = new CliError("duplicate", "held");
    expect(unsettledError([{ attempt: attemptOf("A"), heldBack }], { sandbox: false })).toBe(heldBack);
    expect(unsettledError([{ attempt: attemptOf("A"), heldBack }, { attempt: attemptOf("B") }], { sandbox: false })?.kind).toBe("outcome-unknown");
  });
});

describe("what contradicts the journal", () => {
  test("is shown: refused, yet listed; accepted, yet not listed", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk());
    await markAttempt(attempt, "refused", bench.journal);
    const refused = await settle(bench, [attempt]);
    expect(refused.settled[0]?.contradiction).toContain("T-1");
    await bench.journal.close(attempt.id, { state: "accepted", transactionId: "T-7" });
    expect((await settle(bench, [attempt])).settled[0]?.contradiction).toContain("does not list T-7");
    expect(bench.posts()).toHaveLength(4);
  });

  test("is not seen where the journal is right, or where the list could not be read to its end", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk());
    await bench.journal.close(attempt.id, { state: "accepted", transactionId: "T-1" });
    const contradictions = async () => (await settle(bench, [attempt])).settled.map(({ contradiction }) => contradiction);
    expect(await contradictions()).toEqual([undefined]);
    bench.strikesReads = true;
    bench.faults.push(...Array.from({ length: 8 }, () => "reset-before" as const));
    expect(await contradictions()).toEqual([undefined]);
  });

  test("is not seen of what was accepted without an id", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk(), "reset-before");
    await markAttempt(attempt, "accepted", bench.journal);
    expect((await settle(bench, [attempt])).settled[0]?.contradiction).toBeUndefined();
  });

  test("is a transaction that another attempt has too", async () => {
    const bench = await createBench();
    const attempt = await lose(bench, stk(), "reset-before");
    const journal: Journal = {
      ...bench.journal,
      list: async (filter) => (filter?.transactionId === undefined ? await bench.journal.list(filter) : [{ ...attempt, id: "other" }]),
    };
    const { settled } = await settle(bench, [attempt], { journal });
    expect(settled[0]).toMatchObject({ attempt: { state: "accepted" }, contradiction: expect.stringContaining("attempt other") });
  });

  test("accepted is not marked refused", async () => {
    const bench = await createBench();
    await bench.pay(stk());
    const attempt = await newest(bench);
    expect(await kindOf(markAttempt(attempt, "refused", bench.journal))).toBe("usage");
    expect((await markAttempt(attempt, "accepted", bench.journal)).state).toBe("accepted");
  });
});
