import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getuid } from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { openDatabase } from "../../src/storage/sqlite.ts";
import { createHome, runCli, type Service } from "../support/cli.ts";

const b2c = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R", "--yes", "--json"];

const removeAll = (data: string): void => {
  for (const name of readdirSync(data)) if (name.startsWith("journal.db")) rmSync(join(data, name));
};

/** What somebody does to the journal while the payment is under way. */
const damages: Readonly<Record<string, (data: string) => void>> = {
  "deleted with its log": removeAll,
  "deleted without its log": (data) => rmSync(join(data, "journal.db")),
  "moved away": (data) => renameSync(join(data, "journal.db"), join(data, "old.db")),
  "cut off": (data) => truncateSync(join(data, "journal.db")),
};

test.each(Object.entries(damages))("the journal %s while a payment is in flight: its end is shown, and nothing is paid again", async (_, damage) => {
  const home = createHome();
  let posts = 0;
  const service: Service = ({ method }) => {
    if (method !== "POST") return { body: { id: "T-1", status: "QUEUED" } };
    posts += 1;
    damage(join(home, "data"));
    return { body: { transactionId: "T-1", status: "QUEUED" } };
  };
  expect(await runCli(b2c, { home, service })).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("T-1") });
  expect(await runCli(b2c, { home, service })).toMatchObject({ code: 2, requests: [] });
  expect(posts).toBe(1);
});

test("the end of a payment whose journal vanished says that it was not recorded", async () => {
  const home = createHome();
  const service: Service = () => {
    removeAll(join(home, "data"));
    return { body: { transactionId: "T-1", status: "QUEUED" } };
  };
  const { code, stderr } = await runCli(b2c.slice(0, -1), { home, service });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/moved or deleted/)]);
});

/** Twelve rows, one after the other, of which three are paid when the account is empty; the damage comes while the fourth is in flight. */
const damagedBatch = async (home: string, damage: (data: string) => void) => {
  const file = join(home, "pay.csv");
  writeFileSync(file, `phone,amount,reference\n${Array.from({ length: 12 }, (_row, at) => `07123456${at + 10},100,R-${at}\n`).join("")}`);
  // The references by key.
  const paid = new Map<string, string>();
  let refilled = false;
  const service: Service = async ({ method, body, headers }) => {
    if (method !== "POST") return { status: 403, body: {} };
    // An answer takes a turn of the loop.
    await nextTurn();
    const key = headers["idempotency-key"] ?? "";
    if (paid.size === 3 && !refilled) return { status: 402, body: {} };
    if (!paid.has(key)) paid.set(key, JSON.parse(body).reference);
    if (paid.size === 4) damage(join(home, "data"));
    return { body: { transactionId: `T-${[...paid.keys()].indexOf(key)}`, status: "QUEUED" } };
  };
  const batch = ["b2c", "batch", file, "--concurrency", "1", "--yes", "--json"];
  expect(await runCli(batch, { home, service })).toMatchObject({ code: 13 });
  refilled = true;
  // Rows were paid in this very run: it does not say that nothing was sent.
  expect(await runCli(batch, { home, service })).toMatchObject({ code: 13, stderr: expect.stringMatching(/moved or deleted(?!.*nothing was sent)/) });
  expect([...paid.values()]).toEqual(["R-0", "R-1", "R-2", "R-3"]);
  return { paid, rerun: (at: string) => runCli(batch, { home: at, service }) };
};
const allPaid = Array.from({ length: 12 }, (_row, at) => `R-${at}`);

const batchDamages: typeof damages = {
  "deleted with its log": removeAll,
  "replaced by another, its log left": (data) => {
    writeFileSync(join(data, "other"), "");
    renameSync(join(data, "other"), join(data, "journal.db"));
  },
};
test.each(Object.entries(batchDamages))("the journal %s during a batch: nothing more is sent, also by a rerun", async (_, damage) => {
  const home = createHome();
  const { paid, rerun } = await damagedBatch(home, damage);
  expect(await rerun(home)).toMatchObject({ code: 2, requests: [] });
  expect([...paid.values()]).toEqual(["R-0", "R-1", "R-2", "R-3"]);
});

test("the journal's log deleted during a batch: nothing more is sent, and what was recorded is in the file alone, as after a kill", async () => {
  const home = createHome();
  const { paid, rerun } = await damagedBatch(home, (data) => rmSync(join(data, "journal.db-wal"), { force: true }));
  const killed = createHome();
  mkdirSync(join(killed, "data"));
  copyFileSync(join(home, "data", "journal.db"), join(killed, "data", "journal.db"));
  expect(await rerun(killed)).toMatchObject({ code: 0 });
  expect([...paid.values()]).toEqual(allPaid);
});

test("a lost answer under a deleted journal is unknown, and is not sent once more", async () => {
  const home = createHome();
  const service: Service = () => {
    rmSync(join(home, "data"), { recursive: true, force: true });
    return { status: 500, body: {} };
  };
  const { code, stderr, requests } = await runCli(b2c, { home, service });
  expect([code, requests.length]).toEqual([9, 1]);
  expect(JSON.parse(stderr).error).toMatchObject({ sent: "unknown", idempotencyKey: expect.any(String), journalId: expect.any(String) });
});

/** A folder nobody can write to: by its mode, or for root, whom modes do not stop, a read-only mount; false where there is neither. */
const makeReadOnly = (folder: string): boolean => {
  if (getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    return true;
  }
  try {
    execFileSync("mount", ["--bind", folder, folder], { stdio: "ignore" });
    mounted.push(folder);
    execFileSync("mount", ["-o", "remount,ro,bind", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
const mounted: string[] = [];
afterEach(() => {
  for (const folder of mounted.splice(0)) execFileSync("umount", ["--lazy", folder], { stdio: "ignore" });
});

test("on a read-only disk what is recorded can be read, and nothing is sent", async ({ skip }) => {
  const home = createHome();
  const service: Service = () => ({ body: { transactionId: "T-1", status: "QUEUED", transactions: [], total: 0 } });
  const env = { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: "http://127.0.0.1:9" };
  // Processes of their own: what is closed for good has no log beside it.
  expect(await runCli(b2c, { home, service })).toMatchObject({ code: 0 });
  expect(await runCli(["tx", "sync"], { home, service })).toMatchObject({ code: 0 });
  for (const name of ["journal.db", "mirror.db"]) {
    const database = await openDatabase(join(home, "data", name));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    for (const end of ["-wal", "-shm"]) rmSync(join(home, "data", `${name}${end}`), { force: true });
  }
  if (!makeReadOnly(join(home, "data"))) skip();
  const list = await runCli(["journal", "list", "--json"], { home });
  expect([list.code, list.stderr, JSON.parse(list.stdout).attempts]).toMatchObject([0, "", [{ reference: "R", state: "accepted" }]]);
  expect(await runCli(["journal", "show", JSON.parse(list.stdout).attempts[0].id], { home })).toMatchObject({ code: 0 });
  expect(await runCli(["tx", "find", "R", "--json"], { home, env })).toMatchObject({ code: 4, stdout: expect.stringContaining("syncedAt") });
  const other = await runCli([...b2c.slice(0, 6), "OTHER", ...b2c.slice(7)], { home, service });
  expect(other).toMatchObject({ code: 2, requests: [], stderr: expect.stringContaining("cannot be recorded") });
});
