import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.ts";
import { type Core, emptyCore, type KindName, type Kinds, type Transaction } from "../../src/sandbox/engine/entities.ts";
import { notFound } from "../../src/sandbox/engine/refusal.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { createStateQueue } from "../../src/sandbox/state-queue.ts";
import { createTables, type StoredTables } from "../../src/sandbox/storage/tables.ts";
import { type Database, openDatabase } from "../../src/storage/sqlite.ts";
import { createHome } from "../support/ends.ts";
import { bench, local } from "./harness.ts";

const core: Core = { ...emptyCore, sequence: 1 };
const tx = (id: string, more: Partial<Transaction> = {}): Transaction => ({
  id,
  flow: "standard",
  reference: id,
  amount: 100,
  status: "SENT",
  provider: "MPESA",
  providerRef: "",
  metadata: {},
  currency: "KES",
  party: "254712345678",
  createdMs: 0,
  fee: 0,
  carrierFee: 0,
  steps: [],
  ...more,
});
const scenarioUse = (id: string, count = 1): Kinds["scenarioUse"] => ({ id, count });

type Opened = { readonly database: Database; readonly tables: StoredTables };
const open = async (path = ":memory:"): Promise<Opened> => {
  const database = await openDatabase(path);
  return { database, tables: createTables(database) };
};
/** One transaction, as the queue makes it. */
const inTransaction = ({ database, tables }: Opened, work: (tables: StoredTables) => void): void => {
  database.exec("BEGIN IMMEDIATE");
  tables.load();
  work(tables);
  tables.save();
  database.exec("COMMIT");
};

/** Every field of every kind, with and without those that may be absent. */
const samples: { readonly [Kind in KindName]: readonly Kinds[Kind][] } = {
  tx: [
    tx("TX1"),
    tx("TX2", {
      flow: "b2c",
      metadata: { receipt: "SAB1", code: 7 },
      description: 'Tea & "cake" 🫖\n',
      callbackUrl: "https://shop.example/cb",
      scenario: "slow",
      next: "reverse",
      dueMs: 5,
      shownLeft: 3,
      steps: [{ status: "SENT", at: "2026-03-01T08:00:00.000Z", reason: "Because." }],
    }),
  ],
  entry: [
    { id: "LE1", wallet: "balance", type: "FEE", amount: -1, balanceAfter: 2, status: "COMPLETED", reference: "R", description: "", createdMs: 3 },
    {
      ...{ id: "LE2", wallet: "global", type: "FEE", amount: 1, balanceAfter: 2, status: "COMPLETED", reference: "R", description: "D", createdMs: 3 },
      transactionId: "TX1",
      settlement: '{"currency":"UGX"}',
    },
  ],
  hold: [{ id: "HD1", scope: "local", amount: 1, reason: "r", holdType: "PAYOUT", reference: "R", createdMs: 3 }],
  delivery: [
    {
      id: "DL1",
      type: "payment.completed",
      eventId: "EV1",
      transactionId: "TX1",
      url: "u",
      body: "{}",
      createdMs: 1,
      state: "due",
      badSignature: false,
      dueMs: 2,
      tries: [],
    },
    {
      ...{ id: "DL2", type: "payment.failed", eventId: "EV2", transactionId: "TX1", url: "u", body: "{}", createdMs: 1, state: "failed" },
      badSignature: true,
      tries: [
        { at: "x", status: 500, durationMs: 3 },
        { at: "y", error: "no answer" },
      ],
    },
  ],
  storedAnswer: [{ id: "/path|key", bodyHash: "h", status: 200, body: '{"a":1}', createdMs: 1, readyMs: 2, dueMs: 3 }],
  scenarioUse: [scenarioUse("s", 2)],
  request: [
    { id: "RQ1", at: "x", method: "GET", path: "/", durationMs: 1 },
    { id: "RQ2", at: "x", method: "POST", path: "/", status: 200, durationMs: 1, scenario: "ok", fault: "503", idempotencyKey: "k", body: "b", answer: "a" },
  ],
};

const roundTrip = <K extends KindName>(tables: StoredTables, kind: K): void => {
  for (const record of samples[kind]) {
    tables.put(kind, record);
    expect(tables.get(kind, record.id)).toEqual(record);
  }
  expect(tables.page(kind, { limit: 10 })).toEqual([...samples[kind]].reverse());
};
test("every record comes back as it was put, whichever fields it has", async () => {
  const opened = await open();
  inTransaction(opened, (tables) => {
    for (const kind of ["tx", "entry", "hold", "delivery", "storedAnswer", "scenarioUse", "request"] as const) roundTrip(tables, kind);
  });
});

test("records are replaced in their place, and pages are newest first", async () => {
  const opened = await open();
  inTransaction(opened, (tables) => {
    for (let n = 0; n < 30; n += 1) tables.put("tx", tx(`T${n}`, { flow: n % 3 === 0 ? "b2c" : "standard" }));
    tables.put("tx", tx("T3", { flow: "b2c", status: "COMPLETED" }));
    const ids = (query: Parameters<typeof tables.page<"tx">>[1]): readonly string[] => tables.page("tx", query).map(({ id }) => id);
    expect(tables.get("tx", "T3")?.status).toBe("COMPLETED");
    expect(tables.get("tx", "T99")).toBeUndefined();
    expect([tables.count("tx"), tables.count("tx", { flow: "b2c" })]).toEqual([30, 10]);
    expect(ids({ limit: 3 })).toEqual(["T29", "T28", "T27"]);
    expect(ids({ limit: 3, offset: 28 })).toEqual(["T1", "T0"]);
    expect(ids({ where: { flow: "b2c" }, limit: 2, offset: 8 })).toEqual(["T3", "T0"]);
    expect(ids({ where: { flow: "b2c" }, limit: 2, offset: 80 })).toEqual([]);
  });
});

test("what is due comes earliest first", async () => {
  const opened = await open();
  inTransaction(opened, (tables) => {
    for (const [id, dueMs] of [
      ["late", 300],
      ["soon", 100],
      ["sooner", 100],
      ["never", undefined],
      ["moved", 50],
      ["moved", 400],
      ["done", 10],
      ["done", undefined],
    ] as const)
      tables.put("tx", tx(id, { dueMs }));
    expect(tables.due("tx", 300, 10).map(({ id }) => id)).toEqual(["soon", "sooner", "late"]);
    expect(tables.due("tx", 300, 1).map(({ id }) => id)).toEqual(["soon"]);
    expect(tables.due("tx", 99, 10)).toEqual([]);
    expect(tables.due("delivery", 300, 10)).toEqual([]);
  });
});

test("a step that fails leaves nothing of its transaction, and what is refused fails alone", async () => {
  const queue = createStateQueue({ database: await openDatabase(":memory:"), now: () => 0, phoneIsWatched: () => false, onChange: () => undefined });
  await queue.run((unit) => unit.change(core));
  const failing = queue.run((unit) => {
    unit.change({ sequence: 9 });
    unit.put("scenarioUse", scenarioUse("a"));
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  const refused = queue.run(() => {
    throw notFound("It");
  });
  const together = await Promise.allSettled([refused, queue.run((unit) => unit.put("scenarioUse", scenarioUse("b")))]);
  expect(together.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(await queue.run((unit) => [unit.core, ...["a", "b"].map((id) => unit.get("scenarioUse", id)?.count)])).toEqual([core, undefined, 1]);
  queue.close();
});

test("requests are trimmed to the newest, answers go when they are due, and all can be cleared", async () => {
  const opened = await open();
  const [request] = samples.request;
  const [storedAnswer] = samples.storedAnswer;
  if (request === undefined || storedAnswer === undefined) throw new Error("There are no samples.");
  inTransaction(opened, (tables) => {
    for (let n = 0; n < 10; n += 1) {
      tables.put("request", { ...request, id: `r${n}` });
      tables.put("storedAnswer", { ...storedAnswer, id: `k${n}`, dueMs: n });
    }
    tables.trimRequests(3);
    tables.removeStoredAnswers(7);
    expect(tables.page("request", { limit: 10 }).map(({ id }) => id)).toEqual(["r9", "r8", "r7"]);
    expect(tables.page("storedAnswer", { limit: 10 }).map(({ id }) => id)).toEqual(["k9", "k8"]);
    tables.clear();
    tables.change(core);
  });
  inTransaction(opened, (tables) => expect([tables.page("request", { limit: 1 }), tables.core]).toEqual([[], core]));
});

test("another process sees what was committed, and goes on from it", async () => {
  const path = join(createHome(), "sandbox.db");
  const [mine, other] = [await open(path), await open(path)];
  inTransaction(mine, (tables) => {
    tables.change(core);
    tables.put("tx", tx("T1"));
  });
  inTransaction(other, (tables) => {
    expect([tables.core, tables.get("tx", "T1")?.id]).toEqual([core, "T1"]);
    tables.change({ sequence: 2 });
  });
  inTransaction(mine, (tables) => expect(tables.core?.sequence).toBe(2));
  mine.database.close();
  other.database.close();
});

test("a read that has to write is done again on what another process wrote meanwhile", async () => {
  const path = join(createHome(), "sandbox.db");
  const database = await openDatabase(path);
  const queue = createStateQueue({ database, now: () => 0, phoneIsWatched: () => false, onChange: () => undefined });
  const other = await openDatabase(path);
  let times = 0;
  const seen = await queue.run((unit) => {
    times += 1;
    if (times === 1) other.exec("INSERT INTO strikes (id, count) VALUES ('other', 7)");
    unit.put("scenarioUse", scenarioUse("mine"));
    return unit.get("scenarioUse", "other");
  }, "read");
  expect([times, seen]).toEqual([2, scenarioUse("other", 7)]);
  expect(await queue.run((unit) => unit.get("scenarioUse", "mine"), "read")).toEqual(scenarioUse("mine"));
  queue.close();
  other.close();
});

describe("the file", () => {
  test("is readable with sqlite3: a table each, a row for each record", async () => {
    const data = createHome();
    const made = await bench({ data });
    await made.push({ reference: "INV-7", callbackUrl: "https://shop.example/cb" }, { idempotencyKey: "k-1" });
    await made.payout({ phone: "254712345036", reference: "PAY-7" });
    await made.wait(3_100);
    await made.control("GET", "requests");
    const database = await openDatabase(join(data, "sandbox.db"), { readOnly: true });
    const rows = (sql: string): unknown[] =>
      database
        .prepare(sql)
        .all()
        .map((row) => ({ ...(row as object) }));
    expect(rows("SELECT flow, reference, amount, status FROM transactions ORDER BY seq")).toEqual([
      { flow: "standard", reference: "INV-7", amount: 15_000, status: "COMPLETED" },
      { flow: "b2c", reference: "PAY-7", amount: 100_000, status: "PROCESSING" },
    ]);
    expect(
      rows("SELECT sum(amount) = (SELECT json_extract(state, '$.wallets.balance') FROM merchant) AS same FROM ledger_entries WHERE wallet = 'balance'"),
    ).toEqual([{ same: 1 }]);
    expect(rows("SELECT hold_type, reference FROM holds")).toEqual([{ hold_type: "PAYOUT", reference: "PAY-7" }]);
    expect(rows("SELECT type, state, json_array_length(tries) AS tries FROM deliveries")).toEqual([
      { type: "payment.completed", state: "delivered", tries: 1 },
    ]);
    expect(rows("SELECT status FROM stored_answers WHERE id LIKE '%|k-1'")).toEqual([{ status: 200 }]);
    expect(rows("SELECT method, path, status FROM requests ORDER BY seq LIMIT 1")).toEqual([{ method: "POST", path: `${local}/stk-push`, status: 200 }]);
    database.close();
  });

  test.each([
    ["the layout before this one", "CREATE TABLE core (id INTEGER PRIMARY KEY, doc TEXT NOT NULL); PRAGMA user_version = 2"],
    ["a later one", "CREATE TABLE other (id INTEGER); PRAGMA user_version = 9"],
    ["another program's", "CREATE TABLE other (id INTEGER)"],
  ])("of %s is refused in words and left as it is", async (_, sql) => {
    const data = createHome();
    const before = await openDatabase(join(data, "sandbox.db"));
    before.exec(sql);
    const read = (database: Database): unknown => [database.prepare("SELECT sql FROM sqlite_schema").all(), database.prepare("PRAGMA user_version").get()];
    const rows = read(before);
    const error = await createSandbox({ data }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({ kind: "usage", message: expect.stringContaining("another version"), hint: expect.stringContaining("--data") });
    expect(read(before)).toEqual(rows);
    before.close();
  });
});
