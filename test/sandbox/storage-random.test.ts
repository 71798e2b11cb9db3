import { join } from "node:path";
import { expect, test } from "vitest";
import type { Core, Entry, Hold, Kept, Transaction } from "../../src/sandbox/engine/entities.ts";
import type { Storage } from "../../src/sandbox/engine/tables.ts";
import { mix } from "../../src/sandbox/engine/unit.ts";
import { createMemoryStorage } from "../../src/sandbox/storage/memory-storage.ts";
import { createSqliteStorage } from "../../src/sandbox/storage/sqlite-storage.ts";
import { openDatabase } from "../../src/storage/sqlite.ts";
import { folder } from "./harness.ts";

const sizes = { log: 12_000, segment: 3_000, left: 6_000 };
const wallets = ["balance", "b2c"] as const;
const idOf = (n: number): string => `TX${String(n).padStart(6, "0")}`;
const made = (n: number): Transaction => ({
  id: idOf(n),
  group: n % 3 === 0 ? "b2c" : "standard",
  reference: `R ${n}\n"ü"`,
  amount: n,
  status: "SENT",
  provider: "MPESA",
  providerRef: "",
  metadata: { phone: "254712345678" },
  phone: "",
  createdMs: n,
  platformFee: 0,
  carrierFee: 0,
  dueMs: 1_000 + (n % 7),
  steps: [{ status: "SENT", at: String(n) }],
});
/** What mostly happens to a payment, and what seldom does. */
const moved = (one: Transaction, dice: number): Transaction => {
  const step = { status: `S${dice % 5}`, at: String(dice) };
  const { dueMs: _, ...bare } = one;
  if (dice % 5 === 0) return { ...one, status: step.status, dueMs: undefined, steps: [...one.steps, step], metadata: { ...one.metadata, receipt: `X${dice}` } };
  if (dice % 5 === 1) return { ...bare, steps: [step], metadata: {} };
  if (dice % 5 === 2) return { ...one, dueMs: dice % 2_000, shown: { status: "FAILED", left: 3 } };
  return { ...one, status: step.status, steps: [...one.steps, step] };
};
const entry = (n: number): Entry => ({
  id: `LE${n}`,
  group: wallets[n % 2] ?? "balance",
  type: "FEE",
  amount: 1,
  balanceAfter: n,
  status: "COMPLETED",
  reference: "\t",
  description: "",
  createdMs: n,
  ...(n % 3 === 0 ? { transactionId: idOf(n) } : {}),
  ...(n % 5 === 0 ? { settlement: { currency: "UGX", amount: 1, rate: 2, settled: 2 } } : {}),
});
const hold = (n: number): Hold => ({ id: `HD${n}`, group: "local", amount: n, reason: "", holdType: "PAYOUT", reference: "", createdMs: n });
const kept = (n: number, again: number): Kept => ({
  id: `/path|k${n}`,
  group: "all",
  bodyHash: String(again),
  status: 200,
  body: JSON.stringify({ n, text: "a\tb" }),
  createdMs: n,
  readyMs: n,
  dueMs: 10_000 + n,
});

/** One random change, the same in any storage. */
const change = (storage: Storage, count: number, dice: number): void => {
  const old = dice % (count + 1);
  const before = storage.get("tx", idOf(old));
  const kind = (dice >>> 8) % 8;
  if (kind < 3) {
    storage.put("tx", made(count));
    storage.put("hold", hold(count));
    storage.put("kept", kept(count, 0));
  } else if (kind < 5 && before !== undefined) storage.put("tx", moved(before, dice));
  else if (kind === 5) storage.remove("hold", `HD${old}`);
  else if (kind === 6) {
    if (dice % 2 === 0) storage.remove("kept", kept(old, 0).id);
    else storage.put("kept", kept(old, dice));
  }
  for (let n = 0; n < dice % 4; n += 1) storage.put("entry", entry(count * 4 + n));
  storage.draftCore().sequence = count;
};
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const allOf = (storage: Storage, count: number) => {
  storage.begin("read");
  const found = {
    core: storage.core(),
    all: storage.page("tx", { limit: count + 1 }),
    flows: (["standard", "b2c"] as const).map((group) => [storage.count("tx", group), storage.page("tx", { group, offset: 3, limit: 40 })]),
    entries: wallets.map((group) => [storage.count("entry", group), storage.page("entry", { group, limit: 100_000 })]),
    holds: storage
      .page("hold", { group: "local", limit: 1_000_000 })
      .map((one) => one.id)
      .sort(),
    kept: Array.from({ length: count + 1 }, (_, n) => storage.get("kept", kept(n, 0).id) ?? null),
    // Those due at one moment come in an order of each storage's own.
    due: storage
      .due("tx", 3_000, 10_000)
      .map((one) => [one.dueMs, one.id])
      .sort(),
    dueInOrder: storage.due("tx", 3_000, 10_000).map((one) => one.dueMs),
    nextDueMs: storage.nextDueMs("tx") ?? null,
  };
  storage.commit();
  return plain(found);
};

// Whatever is changed, taken back or left in the log by a kill, log and blocks together are what a plain table would be.
test.each([1, 2])("random changes, undone and rolled back ones among them, are kept as in memory (seed %i)", async (seed) => {
  const path = join(folder(), "sandbox.db");
  const open = async (): Promise<Storage> => createSqliteStorage(await openDatabase(path), sizes);
  let sqlite = await open();
  const memory = createMemoryStorage();
  for (const storage of [sqlite, memory]) {
    storage.begin("write");
    storage.setCore({ sequence: 0, wallets: {} } as Core);
    storage.commit();
  }
  let count = 0;
  for (let batch = 0; batch < 60; batch += 1) {
    const dice = (n: number): number => mix(seed * 1_000 + batch, n);
    const fails = dice(1) % 9 === 0;
    for (const storage of [sqlite, memory]) {
      storage.begin("write");
      for (let job = 0; job < dice(0) % 24; job += 1) {
        storage.mark();
        change(storage, count + job, dice(100 + job));
        if (dice(200 + job) % 6 === 0) storage.undo();
      }
      if (fails) storage.rollback();
      else storage.commit();
    }
    if (!fails) count += dice(0) % 24;
    if (dice(2) % 6 === 0) {
      // A kill: the one before closes nothing; or an end.
      if (dice(3) % 2 === 0) sqlite.close();
      sqlite = await open();
    }
    if (batch % 10 === 9) expect(allOf(sqlite, count)).toEqual(allOf(memory, count));
  }
  expect(count).toBeGreaterThan(300);
  sqlite.close();
});
