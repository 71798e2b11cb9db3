import { join } from "node:path";
import { expect, test } from "vitest";
import { replyToFault } from "../../src/sandbox/app.ts";
import { createCommitQueue } from "../../src/sandbox/commit-queue.ts";
import { found } from "../../src/sandbox/engine/step.ts";
import type { Storage } from "../../src/sandbox/engine/tables.ts";
import { createMemoryStorage } from "../../src/sandbox/storage/memory-storage.ts";
import { openDatabase } from "../../src/storage/sqlite.ts";
import { bench, folder, local } from "./harness.ts";

// Invariants are asserted after each step in production too: books that were tampered with are found, and nothing of the step stays.
test.each([
  ["a balance that its ledger does not have", "$.wallets.b2cHeld", -100],
  ["more outstanding than is held", "$.b2cOutstanding", 10_000_000],
  ["more held than the float has", "$.wallets.b2cHeld", -900_000_000],
  ["a hold that is negative", "$.wallets.globalHeld", 100],
])("%s stops the next payout", async (_, path, value) => {
  const data = folder();
  const first = await bench({ data });
  expect((await first.payout({ phone: "254712345036" })).status).toBe(200);
  await first.sandbox.close();
  const database = await openDatabase(join(data, "sandbox.db"));
  database.prepare("UPDATE core SET doc = json_set(doc, ?, ?)").run(path, value);
  database.close();
  const second = await bench({ data });
  const answer = await second.payout({ reference: "AFTER" });
  expect([402, 500]).toContain(answer.status);
  if (answer.status === 402) expect((await second.control("POST", "topup", { wallet: "b2c", amount: 1 })).status).toBe(500);
  expect((await second.ask("GET", `${local}/transactions?flow=b2c`)).body.total).toBe(1);
});

test("of what was done and the disk would not keep it is not said that nothing was done", async () => {
  const storage: Storage = { ...createMemoryStorage(), synced: () => Promise.reject(new Error("EIO: i/o error, fsync")) };
  const queue = createCommitQueue({ storage, now: () => 0, phoneIsWatched: () => false, onChange: () => undefined });
  const error = await queue.run("write", ({ unit, at }) => found(unit, at, { seed: 1 })).catch((cause: unknown) => cause);
  expect(storage.core()?.seed).toBe(1);
  const { status, body } = replyToFault(error, "req_1");
  expect(status).toBe(500);
  expect(JSON.parse(String(body))).toMatchObject({ success: false, code: "INTERNAL", message: expect.stringMatching(/^It was done, but the disk/) });
  expect(String(replyToFault(new Error("EIO"), "req_2").body)).toContain("nothing was done");
});
