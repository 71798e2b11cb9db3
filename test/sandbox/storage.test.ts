import { describe, expect, test } from "vitest";
import type { Core, Strike, Transaction } from "../../src/sandbox/engine/entities.ts";
import type { Storage } from "../../src/sandbox/engine/tables.ts";
import { createMemoryStorage } from "../../src/sandbox/storage/memory-storage.ts";
import { createSqliteStorage } from "../../src/sandbox/storage/sqlite-storage.ts";
import { openDatabase } from "../../src/storage/sqlite.ts";

const core = { sequence: 1 } as Core;
const tx = (id: string, more: Partial<Transaction> = {}): Transaction => ({
  id,
  group: "standard",
  reference: id,
  amount: 100,
  status: "SENT",
  provider: "MPESA",
  providerRef: "",
  metadata: {},
  phone: "254712345678",
  createdMs: 0,
  platformFee: 0,
  carrierFee: 0,
  steps: [],
  ...more,
});
const strike = (id: string, count = 1): Strike => ({ id, group: "all", count });
const write = (storage: Storage, work: () => void): void => {
  storage.begin("write");
  work();
  storage.commit();
};

const kinds: Readonly<Record<string, () => Promise<Storage>>> = {
  memory: async () => createMemoryStorage(),
  sqlite: async () => createSqliteStorage(await openDatabase(":memory:")),
};

describe.each(Object.keys(kinds))("storage in %s", (name) => {
  const open = async (): Promise<Storage> => {
    const make = kinds[name];
    if (make === undefined) throw new Error(name);
    return await make();
  };
  test("keeps records, replaces them in their place, pages newest first", async () => {
    const storage = await open();
    write(storage, () => {
      for (let n = 0; n < 30; n += 1) storage.put("tx", tx(`T${n}`, { group: n % 3 === 0 ? "b2c" : "standard" }));
      storage.put("tx", tx("T3", { group: "b2c", status: "COMPLETED" }));
    });
    storage.begin("read");
    expect(storage.get("tx", "T3")?.status).toBe("COMPLETED");
    expect(storage.get("tx", "T99")).toBeUndefined();
    expect(storage.count("tx")).toBe(30);
    expect(storage.count("tx", "b2c")).toBe(10);
    expect(storage.page("tx", { limit: 3 }).map((one) => one.id)).toEqual(["T29", "T28", "T27"]);
    expect(storage.page("tx", { limit: 3, offset: 28 }).map((one) => one.id)).toEqual(["T1", "T0"]);
    expect(storage.page("tx", { group: "b2c", limit: 2, offset: 8 }).map((one) => one.id)).toEqual(["T3", "T0"]);
    expect(storage.page("tx", { group: "b2c", limit: 2, offset: 80 })).toEqual([]);
    storage.commit();
  });
  test("finds what is due, earliest first", async () => {
    const storage = await open();
    write(storage, () => {
      storage.put("tx", tx("late", { dueMs: 300 }));
      storage.put("tx", tx("soon", { dueMs: 100 }));
      storage.put("tx", tx("sooner", { dueMs: 100 }));
      storage.put("tx", tx("never"));
      storage.put("tx", tx("moved", { dueMs: 50 }));
      storage.put("tx", tx("moved", { dueMs: 400 }));
      storage.put("tx", tx("done", { dueMs: 10 }));
      storage.put("tx", tx("done"));
    });
    storage.begin("read");
    expect(storage.nextDueMs("tx")).toBe(100);
    expect(storage.due("tx", 300, 10).map((one) => one.id)).toEqual(["soon", "sooner", "late"]);
    expect(storage.due("tx", 300, 1).map((one) => one.id)).toEqual(["soon"]);
    expect(storage.nextDueMs("collection")).toBeUndefined();
    storage.commit();
  });
  test("undoes to the mark, and all on rollback", async () => {
    const storage = await open();
    write(storage, () => {
      storage.setCore(core);
      storage.put("strike", strike("a"));
    });
    storage.begin("write");
    storage.put("strike", strike("b"));
    storage.mark();
    storage.setCore({ ...core, sequence: 2 });
    storage.put("strike", strike("a", 5));
    storage.put("tx", tx("T1", { dueMs: 5 }));
    storage.remove("strike", "b");
    storage.undo();
    expect(storage.core()?.sequence).toBe(1);
    expect(storage.get("strike", "a")?.count).toBe(1);
    expect(storage.get("strike", "b")?.count).toBe(1);
    expect(storage.nextDueMs("tx")).toBeUndefined();
    expect(storage.count("tx")).toBe(0);
    storage.mark();
    storage.put("tx", tx("T2"));
    storage.rollback();
    storage.begin("read");
    expect(storage.get("strike", "b")).toBeUndefined();
    expect(storage.count("tx")).toBe(0);
    storage.commit();
  });
  test("undoes what came first after a mark, whatever it was, and a mark nothing came after", async () => {
    const storage = await open();
    write(storage, () => {
      storage.setCore(core);
      storage.put("strike", strike("a"));
    });
    write(storage, () => {
      storage.put("strike", strike("before"));
      storage.mark();
      storage.undo();
      storage.mark();
      storage.remove("strike", "a");
      storage.undo();
      storage.mark();
      storage.clear();
      storage.undo();
      storage.mark();
      storage.trim("strike", 0);
      storage.undo();
      storage.put("strike", strike("after"));
    });
    storage.begin("read");
    expect(["a", "before", "after"].map((id) => storage.get("strike", id)?.count)).toEqual([1, 1, 1]);
    expect(storage.core()).toEqual(core);
    storage.commit();
  });
  test("trims to the newest and clears", async () => {
    const storage = await open();
    write(storage, () => {
      for (let n = 0; n < 10; n += 1) storage.put("strike", strike(`s${n}`));
      storage.trim("strike", 3);
    });
    storage.begin("read");
    expect(storage.page("strike", { limit: 10 }).map((one) => one.id)).toEqual(["s9", "s8", "s7"]);
    storage.commit();
    write(storage, () => {
      storage.clear();
      storage.setCore(core);
    });
    storage.begin("read");
    expect(storage.count("strike")).toBe(0);
    expect(storage.core()).toEqual(core);
    storage.commit();
    storage.close();
  });
});
