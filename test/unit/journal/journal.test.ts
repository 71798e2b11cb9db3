import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Journal, NewAttempt } from "../../../src/kernel/context.ts";
import { CliError } from "../../../src/kernel/errors.ts";
import { openJournal } from "../../../src/store/journal.ts";
import { openDatabase } from "../../../src/store/sqlite.ts";
import { createClock } from "../../support/payment-context.ts";

const root = mkdtempSync(join(tmpdir(), "payments-journal-"));
let folders = 0;
const opened: Journal[] = [];
const time = { nowMs: Date.UTC(2026, 2, 1) };
const open = async (dataFolder = join(root, String(folders++))): Promise<Journal & { readonly dataFolder: string }> => {
  const journal = await openJournal({ dataFolder, clock: createClock(time) });
  opened.push(journal);
  return { ...journal, dataFolder };
};
afterAll(() => {
  for (const journal of opened) journal.dispose();
  rmSync(root, { recursive: true, force: true });
});

const attempt = (id: string, more: Partial<NewAttempt> = {}): NewAttempt => ({
  id,
  idempotencyKey: `key-${id}`,
  operation: "b2c",
  endpoint: "POST /x",
  body: '{"phone":"254700000001"}',
  profile: "shop",
  baseUrl: "https://a.example",
  reference: "R-1",
  payee: "254700000001",
  amount: "100",
  currency: "KES",
  startedAt: new Date(time.nowMs).toISOString(),
  keyFingerprint: "f",
  keySalt: "s",
  guardKey: `guard-${id}`,
  ...more,
});
const kindOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return "done";
  } catch (error) {
    return error instanceof CliError ? error.kind : String(error);
  }
};

describe("an attempt's life", () => {
  test("is what was written, in order, newest first", async () => {
    const journal = await open();
    await journal.open(attempt("a", { batchId: "B", batchRow: 3, evidence: "{}" }));
    time.nowMs += 1000;
    await journal.open(attempt("b"));
    await journal.addTry("a", { atMs: time.nowMs, error: "reset", left: true });
    await journal.addTry("a", { atMs: time.nowMs, httpStatus: 200, left: true });
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

  test("a try that certainly ended leaves nothing unanswered", async () => {
    const journal = await open();
    await journal.open(attempt("a"));
    for (const tried of [
      { error: "refused", left: false },
      { httpStatus: 429, left: true },
      { httpStatus: 402, left: true },
    ])
      await journal.addTry("a", { atMs: 0, ...tried });
    expect((await journal.find("a"))?.unanswered).toBe(false);
    await journal.addTry("a", { atMs: 0, httpStatus: 503, left: true });
    expect((await journal.find("a"))?.unanswered).toBe(true);
  });

  test("filters", async () => {
    const journal = await open();
    await journal.open(attempt("a", { reference: "X", startedAt: "2026-01-01T23:59:59.999Z" }));
    await journal.open(attempt("b", { startedAt: "2026-01-02T00:00:00.000Z", operation: "stk", baseUrl: "https://b.example" }));
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
    const [one, two] = [await open(join(root, "shared")), await open(join(root, "shared"))];
    await one.open(attempt("a", { guardKey: "G" }), []);
    expect(await kindOf(two.open(attempt("b", { guardKey: "G" }), []))).toBe("duplicate");
    expect(await two.find("b")).toBeUndefined();
    await two.open(attempt("c", { guardKey: "G" }), ["a"]);
    await two.open(attempt("d", { guardKey: "G" }));
    await one.open(attempt("e", { guardKey: "G", baseUrl: "https://other.example" }), []);
  });

  test("of two at the same moment one is opened", async () => {
    const journals = [await open(join(root, "race")), await open(join(root, "race"))];
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

describe("locks", () => {
  test("one at a time by name, free again after", async () => {
    const [one, two] = [await open(join(root, "locks")), await open(join(root, "locks"))];
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

describe("files", () => {
  test("are 0600 in a folder of 0700, SQLite's own too", async () => {
    const journal = await open();
    await journal.open(attempt("a"));
    await journal.exclusively("x", async () => undefined);
    const mode = (path: string) => (statSync(join(journal.dataFolder, path)).mode & 0o777).toString(8);
    expect(mode(".")).toBe("700");
    for (const file of ["journal.db", "journal.db-wal", "journal.db-shm"]) expect(mode(file)).toBe("600");
  });

  test("a wide mode is tightened", async () => {
    const folder = join(root, "wide");
    await open(folder);
    chmodSync(join(folder, "journal.db"), 0o644);
    await open(folder);
    expect(statSync(join(folder, "journal.db")).mode & 0o777).toBe(0o600);
  });

  test("a folder that can't be made, and a file that is no database, are usage errors that leave it alone", async () => {
    const file = join(root, "file");
    writeFileSync(file, "I am no database, and longer than a header is. ".repeat(50));
    expect(await kindOf(open(join(file, "data")))).toBe("usage");
    mkdirSync(join(root, "broken"));
    writeFileSync(join(root, "broken", "journal.db"), readFileSync(file));
    expect(await kindOf(open(join(root, "broken")))).toBe("usage");
    expect(readFileSync(join(root, "broken", "journal.db"), "utf8")).toBe(readFileSync(file, "utf8"));
    expect(existsSync(join(root, "broken", "journal.db-wal"))).toBe(false);
  });

  test("a journal that can't be written is read all the same, and refuses to record", async () => {
    const folder = join(root, "full");
    const journal = await open(folder);
    await journal.open(attempt("a"));
    const database = await openDatabase(join(folder, "journal.db"));
    database.exec("CREATE TRIGGER full BEFORE INSERT ON attempts BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END");
    database.close();
    const error = await journal.open(attempt("b")).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind: "usage", sent: "no" });
    expect(String(error)).toMatch(/cannot be recorded.*disk is full.*nothing was sent/);
    expect(await journal.list({})).toHaveLength(1);
  });
});

describe("pruning", () => {
  test("drops what was sent of closed attempts, keeps what the guard needs, leaves no phone number in the file", async () => {
    const journal = await open();
    const old = { startedAt: "2025-01-01T00:00:00.000Z" };
    time.nowMs = Date.parse(old.startedAt);
    for (const id of ["a", "b", "c"])
      await journal.open(attempt(id, { ...old, body: `{"phone":"254711223344","n":"${id}"}`, payee: "254711223344", guardKey: `G${id}` }));
    await journal.close("a", { state: "accepted", transactionId: "T-1", answer: '{"phone":"254711223344"}' });
    await journal.close("b", { state: "refused" });
    await journal.close("c", { state: "accepted", transactionId: "T-3" });
    time.nowMs = Date.UTC(2026, 2, 1);
    await journal.open(attempt("d", { ...old }));
    expect(await journal.prune(30 * 86_400_000)).toBe(3);
    expect(await journal.prune(30 * 86_400_000)).toBe(0);
    const a = await journal.find("a");
    expect(a).toMatchObject({ body: null, guardKey: "Ga", transactionId: "T-1", payee: "…344", state: "accepted" });
    expect(a?.answer).toBeUndefined();
    expect((await journal.find("d"))?.body).not.toBeNull();
    for (const file of ["journal.db", "journal.db-wal"]) expect(readFileSync(join(journal.dataFolder, file)).includes("254711223344")).toBe(false);
  });
});
