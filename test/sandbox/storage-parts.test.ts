import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mix } from "../../src/sandbox/engine/unit.ts";
import { createDueList } from "../../src/sandbox/storage/due-list.ts";
import { createKeptIndex, hashOf } from "../../src/sandbox/storage/kept-index.ts";
import { createWalSync } from "../../src/sandbox/storage/wal-sync.ts";
import { folder } from "./harness.ts";

describe("what is due", () => {
  test.each(["later and later", "sooner and sooner", "at random"])("comes in order, whatever moved or went (%s)", (how) => {
    const list = createDueList();
    const expected = new Map<string, { readonly dueMs: number; readonly order: number }>();
    const earliest = (atMs: number) =>
      [...expected]
        .filter(([, { dueMs }]) => dueMs <= atMs)
        .sort(([, left], [, right]) => left.dueMs - right.dueMs || left.order - right.order)
        .map(([id]) => id);
    for (let n = 0; n < 3_000; n += 1) {
      const dice = mix(7, n);
      const id = `T${dice % 3 === 0 ? dice % (n + 1) : n}`;
      const dueMs = dice % 5 === 0 ? undefined : how === "at random" ? dice % 1_000 : how === "sooner and sooner" ? 3_000 - n : n >> 1;
      const order = Number(id.slice(1));
      list.set(id, dueMs, order);
      if (dueMs === undefined) expected.delete(id);
      else expected.set(id, { dueMs, order });
      expect(list.get(id)).toBe(dueMs);
      if (n % 500 !== 499) continue;
      expect(list.due(800, 10_000)).toEqual(earliest(800));
      expect(list.due(3_000, 5)).toEqual(earliest(3_000).slice(0, 5));
      expect(list.first()).toBe(expected.get(earliest(3_000)[0] ?? "")?.dueMs);
      // What was due goes, as it does in a sandbox.
      for (const one of list.due(400, 10_000)) {
        list.set(one, undefined);
        expected.delete(one);
      }
    }
  });
});

test("the block of a kept answer is found by its id, the latest where there are two; 100,000 ids have 100,000 hashes", () => {
  const index = createKeptIndex();
  const ids = Array.from({ length: 100_000 }, (_, n) => `/api/v1/merchants/payments/b2c|k-${n % 7}-${n}`);
  expect(new Set(ids.map(hashOf)).size).toBe(ids.length);
  ids.forEach((id, n) => void index.add(hashOf(id), n));
  expect(ids.every((id, n) => index.find(hashOf(id)) === n)).toBe(true);
  expect(index.find(hashOf("another"))).toBeUndefined();
  index.add(hashOf(ids[5] ?? ""), 77);
  expect(index.find(hashOf(ids[5] ?? ""))).toBe(77);
});

describe("the sync beside the event loop", () => {
  const logFile = (): string => {
    const path = join(folder(), "a-wal");
    writeFileSync(path, "frames");
    return path;
  };
  test("resolves for what was written before it began, and takes what came meanwhile together", async () => {
    const ends: (() => void)[] = [];
    const sync = createWalSync(logFile(), (_, done) => void ends.push(() => done(null)));
    expect(sync.synced()).toBeUndefined();
    const order: string[] = [];
    sync.written();
    const first = sync.synced()?.then(() => order.push("first"));
    sync.written();
    const second = sync.synced()?.then(() => order.push("second"));
    sync.written();
    const third = sync.synced()?.then(() => order.push("third"));
    expect(ends).toHaveLength(1);
    ends.shift()?.();
    await first;
    expect(order).toEqual(["first"]);
    expect(ends).toHaveLength(1);
    ends.shift()?.();
    await Promise.all([second, third]);
    expect(order).toEqual(["first", "second", "third"]);
    expect(sync.synced()).toBeUndefined();
    sync.close();
  });
  test("rejects where the disk refuses, and from then on: what was lost is not brought by a later sync", async () => {
    const answers = [new Error("EIO"), null];
    const sync = createWalSync(logFile(), (_, done) => setImmediate(() => done(answers.shift() ?? null)));
    for (let times = 0; times < 2; times += 1) {
      sync.written();
      await expect(sync.synced()).rejects.toThrow("EIO");
    }
    sync.close();
  });
  test("is not to be had where there is no log, and makes none", () => {
    const path = join(folder(), "none-wal");
    expect(() => createWalSync(path)).toThrow();
    expect(existsSync(path)).toBe(false);
  });
});
