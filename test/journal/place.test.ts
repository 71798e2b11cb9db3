import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../src/journal/journal.ts";
import type { Journal } from "../../src/journal/port.ts";
import { openDatabase } from "../../src/storage/sqlite.ts";
import { createHome, runCli } from "../support/cli.ts";
import { newAttempt } from "../support/new-attempt.ts";
import { createClock } from "../support/payment-context.ts";

const newHome = (): string => {
  const home = createHome();
  mkdirSync(join(home, "data"), { recursive: true });
  return home;
};

const open = (dataFolder: string): Promise<Journal> => openJournal({ dataFolder, clock: createClock({ nowMs: Date.UTC(2026, 2, 1) }) });
const journalIn = (home: string): string => join(home, "data", "journal.db");

/** A home as a killed process leaves it: the attempt "a" is in the log alone. Its journal has no attempts before that. */
const killedHome = async (change: (path: string) => void = () => undefined): Promise<string> => {
  const [living, home] = [newHome(), newHome()];
  const journal = await open(join(living, "data"));
  await journal.open(newAttempt("a"));
  change(journalIn(living));
  for (const end of ["", "-wal"]) copyFileSync(`${journalIn(living)}${end}`, `${journalIn(home)}${end}`);
  mkdirSync(join(home, "data", "locks"));
  journal.dispose();
  return home;
};
/** A home whose journal was closed, with "a" in the file. */
const closedHome = async (): Promise<string> => {
  const home = newHome();
  const journal = await open(join(home, "data"));
  await journal.open(newAttempt("a"));
  journal.dispose();
  return home;
};

const contentOf = (home: string): readonly (readonly [string, string])[] =>
  ["journal.db", "journal.db-wal"]
    .filter((name) => statSync(join(home, "data", name), { throwIfNoEntry: false })?.isFile())
    .map((name) => [name, readFileSync(join(home, "data", name), "base64")]);

const payout = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R", "--yes", "--json"];

/** Nothing is sent or changed, reading is refused too, and the advice leads nobody to begin a new journal. */
const expectRefused = async (home: string, words: RegExp): Promise<void> => {
  const before = contentOf(home);
  for (const argv of [payout, ["journal", "list", "--json"], ["journal", "resume", "--all", "--json"]]) {
    const { code, stdout, stderr, requests } = await runCli(argv, { home, service: () => ({ body: { transactionId: "T-1", status: "QUEUED" } }) });
    expect([code, stdout, requests]).toEqual([2, "", []]);
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ kind: "usage", sent: "no" });
    expect(error.message).toMatch(words);
    expect(error.hint).not.toMatch(/\b(mv|ren|rm|del)\b|move|rename|remove|delete|PAYMENTS_HOME/i);
    expect(error.message).not.toMatch(/left as it (is|was)/);
  }
  expect(contentOf(home)).toEqual(before);
};

describe("a journal that was lost or cut off is not taken for a new one", () => {
  test("what a killed process left is read", async () => {
    const home = await killedHome();
    const { code, stdout } = await runCli(["journal", "list", "--json"], { home });
    expect([code, JSON.parse(stdout).attempts]).toMatchObject([0, [{ id: "a", state: "started" }]]);
  });

  test.each([
    ["empty, its log beside it", killedHome, truncateSync, /missing or empty/],
    ["empty, without a log", closedHome, truncateSync, /empty/],
    ["gone, its log left behind", killedHome, rmSync, /missing or empty/],
    ["gone, with its log", closedHome, rmSync, /missing/],
  ])("%s", async (_, make, damage, words) => {
    const home = await make();
    damage(journalIn(home));
    await expectRefused(home, words);
  });

  test.each([0.3, 0.6, 0.9])("cut off at %d of its length, its log beside it", async (part) => {
    // The log begins where the file was last brought up to date: it does not repeat what was cut off.
    const home = await killedHome();
    const database = await openDatabase(journalIn(home));
    for (let at = 0; at < 50; at++) database.exec(`INSERT INTO attempts SELECT ${columnsBut(database, at)} FROM attempts WHERE id = 'a'`);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE); UPDATE attempts SET status = 'SEEN' WHERE id = 'a'");
    const cut = newHome();
    for (const end of ["", "-wal"]) copyFileSync(`${journalIn(home)}${end}`, `${journalIn(cut)}${end}`);
    database.close();
    truncateSync(journalIn(cut), Math.floor((readFileSync(journalIn(cut)).length * part) / 4096) * 4096);
    await expectRefused(cut, /malformed|cut off/);
  });

  test.each([0.3, 0.6, 0.99])("cut off at %d of its length while another process has it open, its log empty", async (part) => {
    const home = newHome();
    const other = await open(join(home, "data"));
    await other.open(newAttempt("a"));
    await other.prune(100 * 365 * 86_400_000);
    truncateSync(journalIn(home), Math.floor(readFileSync(journalIn(home)).length * part));
    await expectRefused(home, /malformed|cut off/);
    other.dispose();
  });

  test("the whole folder is gone: that is a new beginning", async () => {
    const home = await closedHome();
    rmSync(join(home, "data"), { recursive: true });
    expect(JSON.parse((await runCli(["journal", "list", "--json"], { home })).stdout)).toEqual({ attempts: [] });
  });
});

const columnsBut = (database: Awaited<ReturnType<typeof openDatabase>>, at: number): string =>
  database
    .prepare("SELECT name FROM pragma_table_info('attempts')")
    .all()
    .map((row) => String(Object.values(Object(row))[0]))
    .map((name) => (name === "seq" ? "NULL" : name === "id" || name === "idempotency_key" ? `'${name}-${at}'` : name))
    .join(", ");

test("a journal of version 1 is brought up to date, and every record in it stays whole", async () => {
  const home = await closedHome();
  const database = await openDatabase(journalIn(home));
  const added = ["approvals", "approval_items", "decisions", "policies"].map((table) => `DROP TABLE ${table};`);
  database.exec(
    `${added.join(" ")} DROP INDEX attempts_approval; DROP INDEX attempts_payee; ALTER TABLE attempts DROP COLUMN approval_id; PRAGMA user_version = 1`,
  );
  database.close();
  const journals = await Promise.all([open(join(home, "data")), open(join(home, "data"))]);
  for (const journal of journals) {
    const attempts = await journal.list({});
    expect(attempts.length).toBeGreaterThan(0);
    expect(attempts.filter(({ damaged }) => damaged === true)).toEqual([]);
    expect(await journal.approvals.list()).toEqual([]);
    journal.dispose();
  }
});

describe("what is no journal of this version is neither read nor changed", () => {
  const setVersion = (version: number) => async (path: string) => {
    const database = await openDatabase(path);
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
  };
  test("one of a newer version", async () => {
    const home = await closedHome();
    await setVersion(3)(journalIn(home));
    await expectRefused(home, /newer version/);
  });

  test("one that a newer version changed in its log alone", async () => {
    const living = newHome();
    const journal = await open(join(living, "data"));
    await journal.open(newAttempt("a"));
    await setVersion(3)(journalIn(living));
    const home = newHome();
    for (const end of ["", "-wal"]) copyFileSync(`${journalIn(living)}${end}`, `${journalIn(home)}${end}`);
    // The program that has it open records no more.
    await expect(journal.open(newAttempt("b"))).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("newer version") });
    await expect(journal.reopen("a")).rejects.toMatchObject({ kind: "usage" });
    journal.dispose();
    await expectRefused(home, /newer version/);
  });

  test("a database of another program, and one whose version was lost", async () => {
    const home = newHome();
    const database = await openDatabase(journalIn(home), { wal: false });
    database.exec("CREATE TABLE notes (text TEXT)");
    database.close();
    await expectRefused(home, /not a journal/);
    const old = await closedHome();
    await setVersion(0)(journalIn(old));
    await expectRefused(old, /not a journal/);
  });

  test.each(["not a database, but long enough to be taken for the head of one. ".repeat(99), "short"])(
    "a file that is no database, a good log beside it: %#",
    async (text) => {
      const home = await killedHome();
      writeFileSync(journalIn(home), text);
      await expectRefused(home, /not a database/);
    },
  );
});

test.each(["", "-wal"])("a folder in the place of journal.db%s", async (end) => {
  const home = await killedHome();
  const path = `${journalIn(home)}${end}`;
  renameSync(path, join(home, "aside"));
  mkdirSync(path);
  await expectRefused(home, /cannot be read/);
});

describe("links are not followed", () => {
  test.each(["", "-wal", "-shm"])("journal.db%s", async (end) => {
    const [home, elsewhere] = [await killedHome(), newHome()];
    const target = join(elsewhere, "target");
    if (existsSync(`${journalIn(home)}${end}`)) renameSync(`${journalIn(home)}${end}`, target);
    else writeFileSync(target, "");
    symlinkSync(target, `${journalIn(home)}${end}`);
    const before = readFileSync(target, "base64");
    await expectRefused(home, /symbolic link/);
    expect([readFileSync(target, "base64"), readdirSync(elsewhere).sort()]).toEqual([before, ["data", "target"]]);
  });

  test("to nothing: no journal is made behind it", async () => {
    const home = newHome();
    symlinkSync(join(home, "behind"), journalIn(home));
    await expectRefused(home, /symbolic link/);
    expect(existsSync(join(home, "behind"))).toBe(false);
  });

  test("the folder", async () => {
    const home = await closedHome();
    renameSync(join(home, "data"), join(home, "moved"));
    symlinkSync(join(home, "moved"), join(home, "data"));
    await expectRefused(home, /symbolic link/);
  });
});

test("a folder that is not absolute is refused, and the current one stays empty", async () => {
  const before = readdirSync(".");
  for (const dataFolder of ["", ".", "data", "./data"]) {
    await expect(open(dataFolder)).rejects.toMatchObject({ kind: "usage", hint: expect.stringContaining("PAYMENTS_HOME") });
  }
  expect(readdirSync(".")).toEqual(before);
});

test("of two that make the journal at once one is kept, whole, and nothing else is left", async () => {
  const home = newHome();
  const journals = await Promise.all(Array.from({ length: 4 }, () => open(join(home, "data"))));
  await Promise.all(journals.map((journal, at) => journal.open(newAttempt(`a${at}`))));
  expect((await journals[0]?.list({}))?.length).toBe(4);
  for (const journal of journals) journal.dispose();
  expect(
    readdirSync(join(home, "data"))
      .filter((name) => !/-(wal|shm)$/.test(name))
      .sort(),
  ).toEqual(["journal.db", "locks"]);
});
