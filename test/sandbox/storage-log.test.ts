import { join } from "node:path";
import { expect, test } from "vitest";
import type { Core, Entry, Hold, Kept, Transaction } from "../../src/sandbox/engine/entities.ts";
import type { Storage } from "../../src/sandbox/engine/tables.ts";
import { createMemoryStorage } from "../../src/sandbox/storage/memory-storage.ts";
import { createSqliteStorage } from "../../src/sandbox/storage/sqlite-storage.ts";
import { type Database, openDatabase } from "../../src/storage/sqlite.ts";
import { folder } from "./harness.ts";

const core = { sequence: 1, wallets: { balance: 0 } } as Core;
const tx = (n: number, more: Partial<Transaction> = {}): Transaction => ({
  id: `TX${String(n).padStart(6, "0")}`,
  group: n % 2 === 0 ? "b2c" : "standard",
  reference: `R${n}`,
  amount: n,
  status: "SENT",
  provider: "",
  providerRef: "",
  metadata: {},
  phone: "",
  createdMs: n,
  platformFee: 0,
  carrierFee: 0,
  steps: [],
  ...more,
});
const entry = (n: number): Entry => ({
  id: `LE${n}`,
  group: "balance",
  type: "FEE",
  amount: 1,
  balanceAfter: n,
  status: "COMPLETED",
  reference: "",
  description: "",
  createdMs: n,
});
const hold = (n: number): Hold => ({ id: `HD${n}`, group: "local", amount: n, reason: "", holdType: "PAYOUT", reference: "", createdMs: n });
const kept = (id: string): Kept => ({ id, group: "all", bodyHash: "", status: 200, body: id, createdMs: 0, readyMs: 0, dueMs: 5 });
const write = (storage: Storage, work: () => void): void => {
  storage.begin("write");
  work();
  storage.commit();
};
const fill = (storage: Storage, from: number, count: number): void =>
  write(storage, () => {
    for (let n = from; n < from + count; n += 1) {
      storage.put("tx", tx(n, { dueMs: 1_000 + n }));
      storage.put("entry", entry(n));
      storage.put("kept", kept(`k${n}`));
      storage.put("hold", hold(n));
    }
  });
/** All that a caller can see. */
const seen = (storage: Storage, offsets: readonly number[]) => {
  storage.begin("read");
  const found = {
    counts: [storage.count("tx"), storage.count("tx", "b2c"), storage.count("entry", "balance"), storage.count("hold", "local")],
    pages: offsets.map((offset) => [
      storage.page("tx", { offset, limit: 7 }).map((one) => `${one.id} ${one.status}`),
      storage.page("tx", { group: "b2c", offset, limit: 7 }).map((one) => one.id),
      storage.page("entry", { group: "balance", offset, limit: 7 }).map((one) => one.balanceAfter),
    ]),
    holds: storage.page("hold", { group: "local", limit: 1_000_000 }).map((one) => one.id),
    due: storage.due("tx", 1_000_000, 50).map((one) => one.id),
    kept: [storage.get("kept", "k1")?.body, storage.get("kept", "k2")?.body],
    sequence: storage.core()?.sequence,
  };
  storage.commit();
  return found;
};
const opened = async (path: string): Promise<{ readonly storage: Storage; readonly database: Database }> => {
  const database = await openDatabase(path);
  return { database, storage: createSqliteStorage(database) };
};

// Log and tables are one state: after a kill (nothing is closed), for a process beside it, and however much was stored meanwhile.
test("another process sees the same, whether changes are in the log, in the tables or in both", async () => {
  const path = join(folder(), "sandbox.db");
  const mine = await opened(path);
  // What all of it should be: the same done in memory.
  const memory = createMemoryStorage();
  for (const storage of [mine.storage, memory]) write(storage, () => storage.setCore(core));
  const offsets = [0, 5, 130, 1_500, 4_990];
  for (let round = 0; round < 5; round += 1) {
    for (const storage of [mine.storage, memory]) {
      fill(storage, round * 1_000, 1_000);
      write(storage, () => {
        storage.draftCore().sequence = round;
        for (let n = round * 1_000; n < round * 1_000 + 900; n += 1) {
          storage.put("tx", tx(n, { status: "COMPLETED" }));
          storage.remove("hold", `HD${n}`);
        }
        if (round > 0) storage.put("tx", tx((round - 1) * 1_000 + 950, { status: "EXPIRED" }));
        storage.remove("kept", "k1");
      });
    }
    const other = await opened(path);
    expect(seen(mine.storage, offsets)).toEqual(seen(memory, offsets));
    expect(seen(other.storage, offsets)).toEqual(seen(memory, offsets));
    other.database.close();
  }
  const { counts, holds, due, kept: keys } = seen(mine.storage, [0]);
  expect(counts).toEqual([5_000, 2_500, 5_000, 500]);
  expect(holds.slice(0, 2)).toEqual(["HD4999", "HD4998"]);
  expect(due[0]).toBe("TX000900");
  expect(keys).toEqual([undefined, "k2"]);
  // One of them stores what the other logged; both go on.
  const other = await opened(path);
  write(other.storage, () => other.storage.put("tx", tx(999, { status: "FAILED" })));
  fill(mine.storage, 5_000, 3);
  expect(seen(other.storage, offsets)).toEqual(seen(mine.storage, offsets));
  expect(seen(other.storage, [0]).counts[0]).toBe(5_003);
  other.storage.close();
  mine.storage.close();
});
