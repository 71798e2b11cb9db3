import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import type { Journal, NewAttempt } from "../../src/journal/port.ts";

/** What a journal reads its time from. */
export const time = { nowMs: Date.UTC(2026, 2, 1) };
/** Opens one and the same journal, each time as another process would. */
export type Opener = () => Promise<Journal>;

export const attempt = (id: string, more: Partial<NewAttempt> = {}): NewAttempt => ({
  id,
  idempotencyKey: `key-${id}`,
  operation: "b2c",
  endpoint: "POST /x",
  body: `{"phone":"254700000001","amount":${more.amount ?? "100"}${more.currency === undefined ? "" : `,"currency":"${more.currency}"`}}`,
  profile: "shop",
  baseUrl: "https://a.example",
  reference: "R-1",
  payee: "254700000001",
  amount: "100",
  currency: "KES",
  startedAt: new Date(time.nowMs).toISOString(),
  keyFingerprint: "f",
  keySalt: `salt-${id}`,
  guardKey: `guard-${id}`,
  ...more,
});
export const kindOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return "done";
  } catch (error) {
    return error instanceof CliError ? error.kind : String(error);
  }
};

/** What every implementation of the journal has to do (src/journal/port.ts). */
export const testJournal = (name: string, createOpener: () => Opener): void => {
  const open = (): Promise<Journal> => createOpener()();
  const openTwice = async (): Promise<readonly [Journal, Journal]> => {
    const opener = createOpener();
    return [await opener(), await opener()];
  };
  describe(name, () => {
    describe("an attempt's life", () => {
      test("stays accepted if the service's id and status hold what no database keeps", async () => {
        const journal = await open();
        await journal.open(attempt("a"));
        await journal.close("a", { state: "accepted", transactionId: "T\0\ud800-1", status: "SE\0NT", answer: "{}" });
        expect(await journal.find("a")).toMatchObject({ state: "accepted", transactionId: "T\ufffd\ufffd-1", status: "SE\ufffdNT" });
      });

      test("is what was written, in order, newest first", async () => {
        const journal = await open();
        await journal.open(attempt("a", { batchId: "B", batchRow: 3, evidence: "{}" }));
        time.nowMs += 1000;
        await journal.open(attempt("b"));
        await journal.addTry("a", { atMs: time.nowMs, error: "reset", outcome: "unanswered" });
        await journal.addTry("a", { atMs: time.nowMs, httpStatus: 200, outcome: "answered" });
        await journal.close("a", { state: "accepted", transactionId: "T-1", status: "QUEUED", answer: '{"a":1.0}' });
        const a = await journal.find("a");
        expect(a).toMatchObject({
          ...attempt("a", { startedAt: a?.startedAt ?? "" }),
          batchId: "B",
          batchRow: 3,
          evidence: "{}",
          state: "accepted",
          transactionId: "T-1",
          status: "QUEUED",
          answer: '{"a":1.0}',
          unanswered: true,
        });
        expect(a?.tries.map(({ httpStatus, error }) => httpStatus ?? error)).toEqual(["reset", 200]);
        expect((await journal.list({})).map(({ id }) => id)).toEqual(["b", "a"]);
        expect(await journal.find("key-b")).toMatchObject({ id: "b", state: "started", unanswered: false });
        expect(await journal.find("nothing")).toBeUndefined();
      });

      test("accepted is never taken back; refused can turn out accepted", async () => {
        const journal = await open();
        await journal.open(attempt("a"));
        await journal.close("a", { state: "refused" });
        await journal.close("a", { state: "accepted", transactionId: "T" });
        await journal.close("a", { state: "refused" });
        await journal.reopen("a");
        expect(await journal.find("a")).toMatchObject({ state: "accepted", transactionId: "T" });
      });

      test("a refusal does not close what went unanswered before; a person does, and then it begins afresh", async () => {
        const journal = await open();
        await journal.open(attempt("a"));
        await journal.addTry("a", { atMs: 0, error: "reset", outcome: "unanswered" });
        await journal.close("a", { state: "refused", tried: { atMs: 0, httpStatus: 402, outcome: "refused" } });
        expect(await journal.find("a")).toMatchObject({ state: "unknown", unanswered: true, tries: [{ error: "reset" }, { httpStatus: 402 }] });
        expect((await journal.find("a"))?.closedAt).toBeUndefined();
        await journal.close("a", { state: "refused", byHand: true });
        expect(await journal.find("a")).toMatchObject({ state: "refused", closedAt: expect.any(String) });
        await journal.reopen("a");
        expect(await journal.find("a")).toMatchObject({ state: "started", unanswered: false });
        await journal.close("a", { state: "refused" });
        expect((await journal.find("a"))?.state).toBe("refused");
      });

      test("what is not there is not changed", async () => {
        const journal = await open();
        await journal.setStatus("nobody", "PAID");
        await journal.close("nobody", { state: "accepted" });
        expect(await journal.list({})).toEqual([]);
      });

      test("another process reads what one has written", async () => {
        const [one, two] = await openTwice();
        await one.open(attempt("a"));
        await two.setStatus("a", "COMPLETED");
        expect(await one.find("a")).toEqual(await two.find("a"));
        expect(await one.find("a")).toMatchObject({ status: "COMPLETED", state: "started" });
      });

      test("a try that certainly ended leaves nothing unanswered", async () => {
        const journal = await open();
        await journal.open(attempt("a"));
        for (const tried of [{ error: "refused" }, { httpStatus: 429 }, { httpStatus: 402 }])
          await journal.addTry("a", { atMs: 0, outcome: "refused", ...tried });
        expect((await journal.find("a"))?.unanswered).toBe(false);
        await journal.addTry("a", { atMs: 0, httpStatus: 503, outcome: "unanswered" });
        expect((await journal.find("a"))?.unanswered).toBe(true);
      });

      test("filters", async () => {
        const journal = await open();
        time.nowMs = Date.parse("2026-01-01T23:59:59.999Z");
        await journal.open(attempt("a", { reference: "X" }));
        time.nowMs += 1;
        await journal.open(attempt("b", { operation: "stk", baseUrl: "https://b.example" }));
        await journal.close("b", { state: "unknown" });
        const ids = async (filter: Parameters<Journal["list"]>[0]) => (await journal.list(filter)).map(({ id }) => id).join("");
        expect(await ids({ reference: "X" })).toBe("a");
        expect(await ids({ day: "2026-01-01" })).toBe("a");
        expect(await ids({ day: "2026-01-02" })).toBe("b");
        expect(await ids({ state: "unknown" })).toBe("b");
        expect(await ids({ operation: "stk", baseUrl: "https://b.example" })).toBe("b");
        expect(await ids({ guardKey: "guard-a" })).toBe("a");
        expect(await ids({ idempotencyKey: "key-a", state: "refused" })).toBe("");
        expect(await ids({ limit: 1 })).toBe("b");
      });

      test("the same key on the same endpoint twice can't be recorded; on another it can", async () => {
        const journal = await open();
        await journal.open(attempt("a", { idempotencyKey: "K" }));
        expect(await kindOf(journal.open(attempt("b", { idempotencyKey: "K" })))).toBe("duplicate");
        await journal.open(attempt("c", { idempotencyKey: "K", endpoint: "POST /y" }));
        expect(await journal.list({})).toHaveLength(2);
      });

      test("the newest time never goes back", async () => {
        const journal = await open();
        expect(await journal.newestTime()).toBeUndefined();
        time.nowMs = Date.UTC(2026, 5, 1);
        await journal.open(attempt("a"));
        time.nowMs = Date.UTC(2026, 2, 2);
        await journal.open(attempt("b"));
        expect(await journal.newestTime()).toBe("2026-06-01T00:00:00.000Z");
      });
    });

    describe("the guard's last look", () => {
      test("a like that was not judged refuses the opening, and nothing is written", async () => {
        const [one, two] = await openTwice();
        await one.open(attempt("a", { guardKey: "G" }), []);
        expect(await kindOf(two.open(attempt("b", { guardKey: "G" }), []))).toBe("duplicate");
        expect(await two.find("b")).toBeUndefined();
        await two.open(attempt("c", { guardKey: "G" }), ["a"]);
        await two.open(attempt("d", { guardKey: "G" }));
        await one.open(attempt("e", { guardKey: "G", baseUrl: "https://other.example" }), []);
      });

      test("of two at the same moment one is opened", async () => {
        const journals = await openTwice();
        const ends = await Promise.all(
          Array.from({ length: 20 }, (_, index) => kindOf(journals[index % 2]?.open(attempt(`r${index}`, { guardKey: "G" }), []) ?? Promise.resolve())),
        );
        expect(ends.filter((end) => end === "done")).toHaveLength(1);
        expect(ends.filter((end) => end === "duplicate")).toHaveLength(19);
      });

      test("a refused like does not count, and one that fails leaves the others of its commit alone", async () => {
        const journal = await open();
        await journal.open(attempt("a", { guardKey: "G" }));
        await journal.close("a", { state: "refused" });
        const ends = await Promise.all([
          kindOf(journal.open(attempt("b"))),
          kindOf(journal.open(attempt("a"))),
          kindOf(journal.open(attempt("c", { guardKey: "G" }), [])),
          kindOf(journal.open(attempt("d", { guardKey: "G" }), [])),
        ]);
        expect(ends).toEqual(["done", "duplicate", "done", "duplicate"]);
      });
    });

    test("pruning drops what was sent of closed attempts, and keeps what the guard needs", async () => {
      const journal = await open();
      const startedAt = "2025-01-01T00:00:00.000Z";
      const evidence = "{}";
      time.nowMs = Date.parse(startedAt);
      for (const id of ["a", "b", "c"]) await journal.open(attempt(id, { startedAt, evidence }));
      await journal.close("a", { state: "accepted", transactionId: "T-1", answer: "{}" });
      await journal.close("b", { state: "refused" });
      time.nowMs = Date.UTC(2026, 2, 1);
      await journal.open(attempt("d"));
      await journal.close("d", { state: "accepted", transactionId: "T-4" });
      expect(await journal.prune(30 * 86_400_000)).toBe(2);
      expect(await journal.prune(30 * 86_400_000)).toBe(0);
      const a = await journal.find("a");
      expect(a).toMatchObject({ body: null, guardKey: "guard-a", transactionId: "T-1", payee: "…001", reference: "R-1", amount: "100", state: "accepted" });
      expect([a?.answer, a?.evidence]).toEqual([undefined, undefined]);
      for (const id of ["c", "d"]) expect((await journal.find(id))?.body).not.toBeNull();
    });

    describe("an attempt is sent by one process at a time", () => {
      const held = { kind: "duplicate", sent: "unknown", journalId: "a", idempotencyKey: "key-a" };
      test("while it is open nobody else begins it again or closes it", async () => {
        const [one, two] = await openTwice();
        expect(await one.open(attempt("a"))).toMatchObject({ id: "a", state: "started" });
        for (const journal of [one, two]) await expect(journal.reopen("a")).rejects.toMatchObject(held);
        for (const state of ["accepted", "refused", "unknown"] as const) await expect(two.close("a", { state, byHand: true })).rejects.toMatchObject(held);
        expect(await two.find("a")).toMatchObject({ state: "started", unanswered: false });
        await one.close("a", { state: "unknown" });
        expect(await two.reopen("a")).toMatchObject({ state: "started", unanswered: true });
        await expect(one.reopen("a")).rejects.toMatchObject(held);
        await two.close("a", { state: "accepted", transactionId: "T-1" });
        // What was accepted meanwhile is held by nobody, and not to be sent.
        expect(await one.reopen("a")).toMatchObject({ state: "accepted", transactionId: "T-1" });
      });

      test("a process that ended without closing it holds it no longer", async () => {
        const [one, two] = await openTwice();
        await one.open(attempt("a"));
        await one.open(attempt("b"));
        one.dispose();
        expect(await two.reopen("a")).toMatchObject({ state: "started", unanswered: true });
        // A request of the dead process may have arrived: a refusal does not close it.
        await two.close("a", { state: "refused" });
        expect((await two.find("a"))?.state).toBe("unknown");
        await two.close("b", { state: "refused", byHand: true });
        expect((await two.find("b"))?.state).toBe("refused");
      });

      test("many attempts of a process that ended are taken over at once", async () => {
        const [one, two] = await openTwice();
        const ids = Array.from({ length: 20 }, (_, at) => `a${at}`);
        await Promise.all(ids.map((id) => one.open(attempt(id))));
        one.dispose();
        expect(await Promise.all(ids.map((id) => kindOf(two.reopen(id))))).toEqual(ids.map(() => "done"));
      });

      test("of two that take it over at the same moment one has it", async () => {
        const opener = createOpener();
        const [dead, ...others] = await Promise.all(Array.from({ length: 5 }, opener));
        await dead?.open(attempt("a"));
        dead?.dispose();
        const ends = await Promise.all(others.map((journal) => kindOf(journal.reopen("a"))));
        expect(ends.toSorted()).toEqual(["done", "duplicate", "duplicate", "duplicate"]);
      });

      test("what is not there cannot be begun again", async () => {
        await expect((await open()).reopen("nobody")).rejects.toMatchObject({ kind: "not-found" });
      });
    });

    test("what a look-up saw is older than the attempts opened after it, and no older than those before", async () => {
      const journal = await open();
      const baseUrl = "https://a.example";
      await journal.open(attempt("a"));
      expect(await journal.seeTransactions({ id: "a", baseUrl }, ["T-1", "T-2"])).toEqual([]);
      expect(await journal.seeTransactions({ id: "a", baseUrl }, ["T-1", "T-2"])).toEqual([]);
      await journal.open(attempt("b"));
      expect(await journal.seeTransactions({ id: "b", baseUrl }, ["T-1", "T-3"])).toEqual(["T-1"]);
      expect(await journal.seeTransactions({ id: "b", baseUrl: "https://b.example" }, ["T-1"])).toEqual([]);
    });

    describe("locks", () => {
      test("one at a time by name, free again after", async () => {
        const [one, two] = await openTwice();
        const inner = await one.exclusively("file", async () => [
          await two.exclusively("file", async () => "both"),
          await two.exclusively("other", async () => "other"),
        ]);
        expect(inner).toEqual([undefined, "other"]);
        expect(await two.exclusively("file", async () => "free")).toBe("free");
        await expect(
          one.exclusively("file", async () => {
            throw new Error("broke");
          }),
        ).rejects.toThrow("broke");
        expect(await two.exclusively("file", async () => "free again")).toBe("free again");
      });
    });
  });
};
