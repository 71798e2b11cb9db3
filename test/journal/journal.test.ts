import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../src/journal/journal.ts";
import type { Journal } from "../../src/journal/port.ts";
import { openDatabase } from "../../src/storage/sqlite.ts";
import { atEnd, createHome } from "../support/ends.ts";
import { createClock } from "../support/payment-context.ts";
import { proposal, testApprovals } from "./approval-conformance.ts";
import { attempt, kindOf, testJournal, time } from "./conformance.ts";

const open = async (dataFolder = createHome()): Promise<Journal & { readonly dataFolder: string }> => {
  const journal = await openJournal({ dataFolder, clock: createClock(time) });
  atEnd(journal.dispose);
  return { ...journal, dataFolder };
};

testJournal("a file of SQLite", () => {
  const folder = createHome();
  return () => open(folder);
});

testApprovals("a file of SQLite", () => {
  const folder = createHome();
  return { maker: () => open(folder), checker: () => open(folder), owner: () => open(folder) };
});

test("a run that writes nothing keeps the newest time too, so a clock that is set back after it is seen", async () => {
  const journal = await open();
  const openAt = async (nowMs: number): Promise<string | undefined> => {
    time.nowMs = nowMs;
    return await (await open(journal.dataFolder)).newestTime();
  };
  await journal.open(attempt("a"));
  const begun = time.nowMs;
  const dayLater = begun + 25 * 3_600_000;
  expect(await openAt(dayLater)).toBe(new Date(dayLater).toISOString());
  expect(await openAt(begun + 3_600_000)).toBe(new Date(dayLater).toISOString());
});

test("a proposal that nobody approved in time has expired", async () => {
  const journal = await open();
  await journal.approvals.propose(proposal("p", { expiresMs: 1000 }));
  time.nowMs += 1000;
  expect(await journal.approvals.find("p")).toMatchObject({ state: "expired" });
  expect(await kindOf(journal.approvals.decide("p", "approved"))).toBe("usage");
  expect(await journal.approvals.list({ guardKeys: ["guard-p"], baseUrl: "https://a.example" })).toEqual([]);
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
    const folder = createHome();
    await open(folder);
    chmodSync(join(folder, "journal.db"), 0o644);
    await open(folder);
    expect(statSync(join(folder, "journal.db")).mode & 0o777).toBe(0o600);
  });

  test("a folder that can't be made, and a file that is no database, are usage errors that leave it alone", async () => {
    const root = createHome();
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
    const folder = createHome();
    const journal = await open(folder);
    await journal.open(attempt("a"));
    const database = await openDatabase(join(folder, "journal.db"));
    database.exec("CREATE TRIGGER full BEFORE INSERT ON attempts BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END");
    database.close();
    const error = await journal.open(attempt("b")).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind: "usage", sent: "no" });
    expect(String(error)).toMatch(/disk is full/);
    expect(await journal.list({})).toHaveLength(1);
  });
});

test("pruning leaves no phone number in the file or its log", async () => {
  const journal = await open();
  const startedAt = "2025-01-01T00:00:00.000Z";
  time.nowMs = Date.parse(startedAt);
  for (const id of ["a", "b"]) await journal.open(attempt(id, { startedAt, body: `{"phone":"254711223344","n":"${id}"}`, payee: "254711223344" }));
  for (const id of ["a", "b"]) await journal.close(id, { state: "accepted", answer: '{"phone":"254711223344"}' });
  time.nowMs = Date.UTC(2026, 2, 1);
  expect(await journal.prune(30 * 86_400_000)).toBe(2);
  for (const file of ["journal.db", "journal.db-wal"]) expect(readFileSync(join(journal.dataFolder, file)).includes("254711223344")).toBe(false);
});
