import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { replyToFault } from "../../src/sandbox/app.ts";
import { createPush } from "../../src/sandbox/engine/create-local.ts";
import { seedMerchant } from "../../src/sandbox/engine/merchant.ts";
import { createStateQueue, type StateQueue } from "../../src/sandbox/state-queue.ts";
import { type Database, openDatabase } from "../../src/storage/sqlite.ts";
import { createHome } from "../support/ends.ts";
import { bench, local } from "./harness.ts";

// Invariants are asserted after each step in production too: books that were tampered with are found, and nothing of the step stays.
test.each([
  ["a balance that its ledger does not have", "$.wallets.b2cHeld", -100],
  ["more outstanding than is held", "$.totals.b2cOutstanding", 10_000_000],
  ["more held than the float has", "$.wallets.b2cHeld", -900_000_000],
  ["a hold that is negative", "$.wallets.globalHeld", 100],
])("%s stops the next payout", async (_, path, value) => {
  const data = createHome();
  const first = await bench({ data });
  expect((await first.payout({ phone: "254712345036" })).status).toBe(200);
  await first.sandbox.close();
  const database = await openDatabase(join(data, "sandbox.db"));
  database.prepare("UPDATE merchant SET state = json_set(state, ?, ?)").run(path, value);
  database.close();
  const second = await bench({ data });
  const answer = await second.payout({ reference: "AFTER" });
  expect([402, 500]).toContain(answer.status);
  if (answer.status === 402) expect((await second.control("POST", "topup", { wallet: "b2c", amount: 1 })).status).toBe(500);
  expect((await second.ask("GET", `${local}/transactions?flow=b2c`)).body.total).toBe(1);
});

const push = (queue: StateQueue, reference: string) => queue.run((unit) => createPush(unit, { phone: "254712345678", amount: 10, reference }, "ok"));
const begin = async (database: Database): Promise<StateQueue> => {
  const queue = createStateQueue({ database, now: () => 0, phoneIsWatched: () => false, onChange: () => undefined });
  await queue.run((unit) => seedMerchant(unit, { seed: 1 }));
  return queue;
};
const countIn = (queue: StateQueue): Promise<number> => queue.run((unit) => unit.count("tx"));

describe("a disk that refuses", () => {
  test("a commit: nothing of it stays, and the answer claims neither that it was done nor that it was not", async () => {
    const database = await openDatabase(":memory:");
    let refuses = false;
    const exec = (sql: string): void => {
      if (refuses && sql === "COMMIT") throw new Error("disk I/O error");
      database.exec(sql);
    };
    const queue = await begin({ prepare: (sql) => database.prepare(sql), close: () => database.close(), exec });
    await push(queue, "A");
    refuses = true;
    const [first, second] = await Promise.allSettled([push(queue, "B"), push(queue, "C")]);
    refuses = false;
    expect([first.status, second.status, await countIn(queue)]).toEqual(["rejected", "rejected", 1]);
    const { status, body } = replyToFault(first.status === "rejected" ? first.reason : undefined, "req_1");
    expect([status, JSON.parse(String(body)).code, String(body).includes("nothing was done")]).toEqual([500, "INTERNAL", false]);
    const { id } = await push(queue, "D");
    expect(await queue.run((unit) => unit.page("tx", { limit: 9 }).map((one) => [one.reference, one.id === id]))).toEqual([
      ["D", true],
      ["A", false],
    ]);
    queue.close();
  });

  test("and a transaction that SQLite gave up with it: none of those who shared it is answered", async () => {
    const database = await openDatabase(":memory:");
    const exec = (sql: string): void => {
      database.exec(sql.startsWith("ROLLBACK TO") ? "ROLLBACK" : sql);
      if (sql.startsWith("ROLLBACK TO")) throw new Error("no such savepoint: part");
    };
    const queue = await begin({ exec, close: () => database.close(), prepare: (sql) => database.prepare(sql) });
    const full = queue.run((unit) => {
      unit.trimRequests(1);
      throw new Error("database or disk is full");
    });
    const ended = await Promise.allSettled([push(queue, "A"), full, push(queue, "B")]);
    expect([ended.map(({ status }) => status), await countIn(queue)]).toEqual([["rejected", "rejected", "rejected"], 0]);
    await push(queue, "C");
    expect(await countIn(queue)).toBe(1);
    queue.close();
  });

  test("more data: what was answered stays, what was not leaves nothing, and with space again it goes on", async () => {
    const database = await openDatabase(join(createHome(), "sandbox.db"));
    const queue = await begin(database);
    database.exec("PRAGMA max_page_count = 40");
    const ended = await Promise.allSettled(Array.from({ length: 600 }, (_, n) => push(queue, `P-${n}`.padEnd(200, "-"))));
    const more = await Promise.allSettled(Array.from({ length: 3 }, (_, n) => push(queue, `Q-${n}`.padEnd(4_000, "-"))));
    const made = [...ended, ...more].flatMap((one) => (one.status === "fulfilled" ? [one.value.reference] : []));
    expect(made.length).toBeLessThan(603);
    database.exec("PRAGMA max_page_count = 1000000");
    await push(queue, "AFTER");
    expect(
      await queue.run((unit) =>
        unit
          .page("tx", { limit: 1_000 })
          .map((one) => one.reference)
          .reverse(),
      ),
    ).toEqual([...made, "AFTER"]);
    queue.close();
  });
});
