import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Journal } from "../../src/journal/port.ts";
import { openSharedJournal } from "../../src/journal/postgres/postgres-journal.ts";
import { schemaVersion } from "../../src/journal/postgres/schema-version.ts";
import { setUpJournal, setupSql } from "../../src/journal/postgres/setup.ts";
import { approvalColumns, attemptColumns } from "../../src/journal/tables.ts";
import { hasPostgres, logins, type Server, startPostgres } from "../support/postgres.ts";
import { openTimed, setTestClock } from "../support/timed-journal.ts";
import { attemptOf, proposal, testApprovals } from "./approval-conformance.ts";
import { attempt, kindOf, testJournal, time } from "./conformance.ts";

let server: Server;
const opened: Journal[] = [];
beforeAll(async () => {
  if (!hasPostgres) return;
  server = await startPostgres();
});
afterEach(() => {
  for (const journal of opened.splice(0)) journal.dispose();
});
let closing: (() => Promise<void>) | undefined;
afterAll(async () => {
  await closing?.();
  if (hasPostgres) await server.dispose();
  // A busy disk takes its time to remove the files of some fifty databases.
}, 300_000);

const openWithClock = async (admin: string, login: string): Promise<Journal> => {
  const journal = await openTimed(server, { admin, login }, () => time.nowMs);
  opened.push(journal);
  return journal;
};
/** The database is made with the first opening. */
const createDatabase = (): (() => Promise<string>) => {
  let made: Promise<string> | undefined;
  return () => {
    made ??= server.createJournal().then(async (url) => {
      await setTestClock(server, url);
      return url;
    });
    return made;
  };
};

describe.skipIf(!hasPostgres)("in PostgreSQL", () => {
  testJournal("a schema of PostgreSQL", () => {
    const database = createDatabase();
    return async () => {
      const journal = await openWithClock(await database(), logins.maker);
      const owner = await openWithClock(await database(), logins.owner);
      return new Proxy(journal, { get: (of, name) => (name === "prune" ? owner.prune : Reflect.get(of, name)) });
    };
  });

  testApprovals("a schema of PostgreSQL", () => {
    const database = createDatabase();
    const as = (login: string) => async () => openWithClock(await database(), login);
    return { maker: as(logins.maker), checker: as(logins.checker), owner: as(logins.owner) };
  });

  test.each([
    ["attempts", attemptColumns],
    ["approvals", approvalColumns],
  ])("the table %s has a column for all that is kept: what it lacks would be dropped unseen", async (table, { names }) => {
    const sql = "SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'payments' AND table_name = $1";
    const rows = await server.query(await server.createJournal(), sql, [table]);
    expect(rows.map((row) => row["column_name"])).toEqual(expect.arrayContaining(names));
  });

  test("twenty machines with one payment begin it once", async () => {
    const url = server.as(await server.createJournal(), logins.maker);
    const machines = await Promise.all(Array.from({ length: 20 }, () => openSharedJournal({ url, env: {} })));
    opened.push(...machines);
    const ends = await Promise.all(machines.map((journal, at) => kindOf(journal.open(attempt(`m${at}`, { guardKey: "G" }), []))));
    expect(ends.toSorted()).toEqual([...Array.from({ length: 1 }, () => "done"), ...Array.from({ length: 19 }, () => "duplicate")]);
  });

  test("a server that goes away stops what is sent: nothing is begun, and before each send that is known", async () => {
    // A server of its own: one with many databases takes long to recover.
    const server = await startPostgres();
    closing = server.dispose;
    const url = server.as(await server.createJournal(), logins.maker);
    const journal = await openSharedJournal({ url, env: {} });
    opened.push(journal);
    await journal.open(attempt("a"));
    await journal.confirm("a");
    server.stop("immediate");
    expect(await kindOf(journal.confirm("a"))).toBe("usage");
    expect(await kindOf(journal.open(attempt("b")))).toBe("usage");
    expect(journal.lost()).toMatchObject({ kind: "usage" });
    expect(await kindOf(openSharedJournal({ url, env: {} }))).toBe("usage");
    server.start();
    // The connection that was lost stays lost: its locks are gone.
    expect(await kindOf(journal.open(attempt("b")))).toBe("usage");
    const after = await openSharedJournal({ url, env: {} });
    opened.push(after);
    expect(await after.find("a")).toMatchObject({ state: "started" });
    expect(await kindOf(after.reopen("a"))).toBe("done");
    expect(await after.find("b")).toBeUndefined();
  });

  test("a session that lost its lock may not send", async () => {
    const admin = await server.createJournal();
    const journal = await openSharedJournal({ url: server.as(admin, logins.maker), env: {} });
    opened.push(journal);
    await journal.open(attempt("a"));
    await server.query(admin, "UPDATE payments.attempts SET held_by = '1' WHERE id = 'a'");
    expect(await kindOf(journal.confirm("a"))).toBe("usage");
    expect(await kindOf(journal.addTry("a", { atMs: 0, outcome: "unanswered" }))).toBe("duplicate");
  });

  test("a login without a role sees that it has none, and nothing else", async () => {
    const journal = await openSharedJournal({ url: server.as(await server.createJournal(), logins.nobody), env: {} });
    opened.push(journal);
    expect(await journal.status()).toMatchObject({ journal: "postgres", who: logins.nobody, role: "none" });
    for (const work of [() => journal.open(attempt("a")), () => journal.list({}), () => journal.approvals.list(), () => journal.check()])
      expect(await kindOf(work())).toBe("usage");
  });

  test("a database without a journal is refused", async () => {
    const admin = await server.createJournal();
    expect(await kindOf(openSharedJournal({ url: admin.replace(/journal_\d+/, "postgres"), env: {} }))).toBe("usage");
  });

  test("an older schema is refused until setup brings it up to date, with all that is in it", async () => {
    const admin = await server.createJournal();
    const url = server.as(admin, logins.maker);
    const before = await openSharedJournal({ url, env: {} });
    opened.push(before);
    await before.open(attempt("a"));
    await before.approvals.propose(proposal("p"));
    // As version 1 was: a function, an index and a column of today are missing.
    await server.query(
      admin,
      "UPDATE payments.meta SET version = 1; DROP FUNCTION payments.count_in; DROP INDEX payments.attempts_payee; ALTER TABLE payments.attempts DROP COLUMN imported",
    );
    expect(await kindOf(openSharedJournal({ url, env: {} }))).toBe("usage");
    expect(await setUpJournal({ url: admin, env: {}, add: undefined })).toMatchObject({ created: false, upgradedFrom: 1 });
    expect(await setUpJournal({ url: admin, env: {}, add: undefined })).not.toHaveProperty("upgradedFrom");
    const after = await openSharedJournal({ url, env: {} });
    opened.push(after);
    expect([(await after.find("a"))?.id, (await after.approvals.find("p"))?.state]).toEqual(["a", "open"]);
    expect(await kindOf(after.open(attempt("b", { batchId: "B", batchRow: 1 })))).toBe("done");
  });

  test("a newer schema is refused, also by setup and by its SQL", async () => {
    const admin = await server.createJournal();
    const journal = await openSharedJournal({ url: server.as(admin, logins.maker), env: {} });
    opened.push(journal);
    await server.query(admin, "UPDATE payments.meta SET version = 99");
    expect(await kindOf(journal.open(attempt("a")))).toBe("usage");
    expect(await kindOf(openSharedJournal({ url: server.as(admin, logins.maker), env: {} }))).toBe("usage");
    expect(await kindOf(setUpJournal({ url: admin, env: {}, add: undefined }))).toBe("usage");
    await expect(server.query(admin, setupSql)).rejects.toThrow("newer");
  });

  test("an attempt a day old by the database's clock is not begun again", async () => {
    const database = createDatabase();
    const journal = await openWithClock(await database(), logins.maker);
    await journal.open(attempt("a"));
    await journal.close("a", { state: "unknown" });
    time.nowMs += 24 * 3_600_000 - 30_000;
    expect(await kindOf(journal.reopen("a"))).toBe("outcome-unknown");
    time.nowMs -= 1_000;
    expect(await kindOf(journal.reopen("a"))).toBe("done");
  });

  test("attempts of a file are imported once, and count for the guard", async () => {
    const journal = await openSharedJournal({ url: server.as(await server.createJournal(), logins.maker), env: {} });
    opened.push(journal);
    const made = { ...attempt("a", { guardKey: "G" }), state: "started", tries: [], unanswered: false } as const;
    expect(await journal.importAttempt?.(made)).toBe(true);
    expect(await journal.importAttempt?.(made)).toBe(false);
    expect(await journal.find("a")).toMatchObject({ state: "unknown", unanswered: true });
    expect(await kindOf(journal.open(attempt("b", { guardKey: "G" }), []))).toBe("duplicate");
  });

  test("two imports of the same attempts at one moment take each over once", async () => {
    const url = server.as(await server.createJournal(), logins.maker);
    const journals = await Promise.all([1, 2].map(() => openSharedJournal({ url, env: {} })));
    opened.push(...journals);
    const made = Array.from({ length: 40 }, (_, at) => ({ ...attempt(`i${at}`), state: "accepted", tries: [], unanswered: false }) as const);
    const ends = await Promise.all(journals.flatMap((journal) => made.map((one) => journal.importAttempt?.(one))));
    expect(ends.filter((isNew) => isNew === true)).toHaveLength(made.length);
    expect(ends).toHaveLength(2 * made.length);
  });

  test("the guard finds its likes by an index", async () => {
    const admin = await server.createJournal();
    await server.query(admin, "SET enable_seqscan = off");
    const plan = await server.query(admin, "EXPLAIN SELECT * FROM payments.attempts WHERE guard_key = 'G' AND base_url = 'u' ORDER BY seq DESC");
    expect(JSON.stringify(plan)).toMatch(/attempts_(likes|guard)/);
  });

  describe("SQL typed by hand", () => {
    const apply = (op: object, holder = "pg_backend_pid()::text"): string =>
      `SELECT payments.apply('[${JSON.stringify(op)}]', ${holder}, 'elsewhere', ${schemaVersion})`;
    const column = {
      id: "x",
      idempotency_key: "x",
      operation: "b2c",
      endpoint: "POST /x",
      body: '{"amount":60000}',
      profile: "p",
      base_url: "https://a.example",
      reference: "r",
      payee: "p",
      amount: "60000",
      currency: "KES",
      key_fingerprint: "f",
      key_salt: "s",
      guard_key: "g",
    };
    const statements = [
      "INSERT INTO payments.attempts (id) VALUES ('x')",
      "UPDATE payments.attempts SET state = 'refused'",
      "DELETE FROM payments.attempts",
      "TRUNCATE payments.attempts",
      "DROP TABLE payments.attempts",
      "ALTER TABLE payments.attempts DISABLE TRIGGER ALL",
      "INSERT INTO payments.decisions (approval_id, decided_by, decided_at, decision) VALUES ('p', 'cleo', '', 'approved')",
      "UPDATE payments.approvals SET proposed_by = 'somebody'",
      "UPDATE payments.approval_items SET body = '{}'",
      "DELETE FROM payments.approvals",
      "DELETE FROM payments.policies",
      "UPDATE payments.policies SET from_amount = '1000000'",
      "UPDATE payments.meta SET version = 0",
      "SELECT payments.op_open('{}', '1')",
      "SELECT payments.op_decide('{\"id\":\"p\"}', 'm')",
      "SELECT payments.apply_one('{}', '1', 'm')",
      "CREATE FUNCTION payments.clock() RETURNS text LANGUAGE sql AS 'SELECT null'",
      "CREATE TABLE payments.mine (a int)",
      "SET ROLE postgres",
      "SET SESSION AUTHORIZATION postgres",
      "GRANT payments_checker TO ann",
    ];
    const open = async () => {
      const admin = await server.createJournal();
      const owner = await openSharedJournal({ url: server.as(admin, logins.owner), env: {} });
      const maker = await openSharedJournal({ url: server.as(admin, logins.maker), env: {} });
      opened.push(owner, maker);
      await owner.approvals.setPolicy("KES", { from: "50000", approvers: 1 });
      await maker.approvals.propose(proposal("p"));
      await maker.open(attempt("a"));
      return { admin, maker, owner };
    };
    const refusedWith = async (url: string, sql: string): Promise<string> => {
      try {
        const [row] = await server.query(url, sql);
        const [value] = Object.values(row ?? {});
        return JSON.stringify(value);
      } catch (error) {
        return `error ${error instanceof Error ? error.message : ""}`;
      }
    };

    test.each(["maker", "checker", "owner", "nobody"] as const)("as %s changes nothing but through payments.apply", async (role) => {
      const { admin } = await open();
      const before = await server.query(
        admin,
        "SELECT (SELECT json_agg(a) FROM payments.attempts a)::text, (SELECT json_agg(p) FROM payments.approvals p)::text, (SELECT json_agg(p) FROM payments.policies p)::text",
      );
      for (const sql of statements) expect([sql, await refusedWith(server.as(admin, logins[role]), sql)]).toEqual([sql, expect.stringMatching(/^error /)]);
      const after = await server.query(
        admin,
        "SELECT (SELECT json_agg(a) FROM payments.attempts a)::text, (SELECT json_agg(p) FROM payments.approvals p)::text, (SELECT json_agg(p) FROM payments.policies p)::text",
      );
      expect(after).toEqual(before);
    });

    const asker =
      (admin: string) =>
      async (login: string, op: object): Promise<string> => {
        await server.query(server.as(admin, login), "SELECT pg_advisory_lock(pg_backend_pid())");
        return await refusedWith(server.as(admin, login), apply(op));
      };
    /** As an attempt of unknown outcome would be imported. */
    const unknown = (id: string, more: Partial<Record<keyof typeof column, string>> = {}) => ({
      ...column,
      id,
      idempotency_key: id,
      guard_key: id,
      key_salt: id,
      started_at: new Date().toISOString(),
      state: "unknown",
      tries: "[]",
      unanswered: 1,
      ...more,
    });
    const small = { amount: "100", body: '{"amount":100}' };

    test("what one login has imported, nobody else sends again", async () => {
      const { admin } = await open();
      const ask = asker(admin);
      for (const [importer, others] of [
        [logins.maker, [logins.maker2, logins.checker, logins.owner]],
        [logins.checker, [logins.maker, logins.checker2]],
      ] as const) {
        const id = `small-${importer}`;
        expect(await ask(importer, { op: "import", attempt: { ...unknown(id, small), made_by: logins.checker2, imported: false } })).toContain("true");
        for (const login of others) expect(await ask(login, { op: "reopen", id })).toMatch(/imported|no-role/);
        expect(await ask(importer, { op: "reopen", id })).toContain("done");
      }
      expect(await server.query(admin, "SELECT id, made_by FROM payments.attempts WHERE imported ORDER BY seq")).toEqual([
        { id: "small-ann", made_by: logins.maker },
        { id: "small-cleo", made_by: logins.checker },
      ]);
    });

    test("nobody passes an attempt off as made with another person's key", async () => {
      const { admin } = await open();
      const ask = asker(admin);
      const checker = await openSharedJournal({ url: server.as(admin, logins.checker), env: {} });
      opened.push(checker);
      const { keySalt, keyFingerprint } = await checker.open(attempt("c"));
      const copied = { ...unknown("copied", small), key_salt: keySalt, key_fingerprint: keyFingerprint };
      for (const op of ["open", "import"]) expect(await ask(logins.maker, { op, attempt: copied })).toContain("other-key");
      // One that a journal of an older version took in.
      await ask(logins.maker, { op: "import", attempt: { ...unknown("old", small), key_salt: "own" } });
      await server.query(admin, "ALTER TABLE payments.attempts DISABLE TRIGGER no_rewriting");
      await server.query(admin, "UPDATE payments.attempts SET imported = false, key_salt = $1 WHERE id = 'old'", [keySalt]);
      await server.query(admin, "ALTER TABLE payments.attempts ENABLE TRIGGER no_rewriting");
      for (const login of [logins.maker, logins.checker]) expect(await ask(login, { op: "reopen", id: "old" })).toContain("other-key");
      // A machine may go on where another one with the same key was cut off.
      await checker.close("c", { state: "unknown" });
      expect(await ask(logins.checker2, { op: "reopen", id: "c" })).toContain("done");
    });

    test("an import is dated no later than now, and has nothing in it that others cannot read", async () => {
      const { admin } = await open();
      const ask = asker(admin);
      for (const at of ["2999-01-01T00:00:00.000Z", "infinity", "-infinity"]) {
        const id = `at ${at}`;
        const attempt = { ...unknown(id, small), started_at: at, closed_at: at, state: "accepted" };
        expect([at, await ask(logins.maker, { op: "import", attempt })]).toEqual([at, expect.stringContaining("true")]);
      }
      const times = await server.query(admin, "SELECT started_at, closed_at FROM payments.attempts WHERE imported");
      for (const { started_at, closed_at } of times)
        for (const at of [started_at, closed_at]) {
          expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          expect(Date.parse(String(at))).toBeLessThanOrEqual(Date.now());
        }
      for (const wrong of [{ started_at: "no time" }, { tries: "{" }, { state: "paid" }, { body: "{" }])
        expect([wrong, await ask(logins.maker, { op: "import", attempt: { ...unknown("wrong", small), ...wrong } })]).toEqual([
          wrong,
          expect.stringMatching(/^error /),
        ]);
    });

    test("no amount hides the other rows of a file from the policy", async () => {
      const { admin } = await open();
      const ask = asker(admin);
      const row = (id: string, amount: string) => ({ ...unknown(id), amount, body: `{"amount":${JSON.stringify(amount)}}`, batch_id: "B", batch_row: 1 });
      for (const op of ["open", "import"])
        for (const operation of ["b2c", "stk", "withdraw"])
          for (const amount of ["-1000000", "0", "NaN", "-Infinity", "1e-3"])
            for (const body of [{}, { body: null }])
              expect([operation, amount, await ask(logins.maker, { op, attempt: { ...row("low", amount), operation, ...body } })]).toEqual([
                operation,
                amount,
                expect.stringContaining("other-request"),
              ]);
      expect(await ask(logins.maker, { op: "open", attempt: row("high", "60000") })).toContain("approval-required");
    });

    test("what is said of a withdrawal later does not free the same one", async () => {
      const { admin } = await open();
      const ask = asker(admin);
      await ask(logins.maker, { op: "import", attempt: { ...unknown("w", small), operation: "withdraw", state: "accepted", status: "PROCESSING" } });
      await ask(logins.maker2, { op: "status", id: "w", status: "FAILED" });
      expect(await server.query(admin, "SELECT status FROM payments.attempts WHERE id = 'w'")).toEqual([{ status: "PROCESSING" }]);
    });

    test("what the functions refuse to each role", async () => {
      const { admin } = await open();
      const ask = asker(admin);
      const decide = { op: "decide", id: "p" };
      expect(await ask(logins.maker, decide)).toContain("no-role");
      expect(await ask(logins.owner, decide)).toContain("no-role");
      expect(await ask(logins.maker2, { op: "cancel", id: "p" })).toContain("not-yours");
      for (const login of [logins.maker, logins.checker]) {
        expect(await ask(login, { op: "policy", currency: "KES" })).toContain("no-role");
        expect(await ask(login, { op: "prune", olderThanMs: 0 })).toContain("no-role");
        expect(await ask(login, { op: "open", attempt: column })).toContain("approval-required");
        expect(await ask(login, { op: "open", attempt: { ...column, approval_id: "p" } })).toContain("approval-required");
        for (const amount of ["10", "-60000"])
          expect(await ask(login, { op: "open", attempt: { ...column, amount, body: `{"amount":${amount === "10" ? 60000 : amount}}` } })).toContain(
            "other-request",
          );
        // One that is taken over or begun again is looked at like a new one.
        const imported = unknown(`i-${login}`);
        expect(await ask(login, { op: "import", attempt: { ...imported, approval_id: "p" } })).toContain("true");
        expect(await ask(login, { op: "reopen", id: imported.id })).toContain("approval-required");
        expect(await ask(login, { op: "import", attempt: { ...unknown(`${imported.id}-2`), amount: "10" } })).toContain("other-request");
      }
      // The lock of the session that sends an attempt is nobody else's.
      const [sent] = await server.query(admin, "SELECT held_by FROM payments.attempts WHERE id = 'a'");
      const taken = await refusedWith(
        server.as(admin, logins.maker2),
        apply({ op: "close", id: "a", state: "refused", byHand: true }, `'${String(sent?.["held_by"])}'`),
      );
      expect(taken).toMatch(/^error /);
      expect(await ask(logins.owner, { op: "open", attempt: { ...column, amount: "10", body: '{"amount":10}' } })).toContain("no-role");
      expect(await ask(logins.checker, decide)).toContain("done");
      // Approved, it is begun by its approver alone, and with the very request.
      expect(await ask(logins.maker, { op: "open", attempt: { ...column, body: proposal("p").items[0]?.body, approval_id: "p" } })).toContain(
        "approval-required",
      );
      expect(await ask(logins.checker, { op: "open", attempt: { ...column, approval_id: "p" } })).toContain("approval-required");
      expect(await ask(logins.checker, { op: "open", attempt: { ...column, body: proposal("p").items[0]?.body, approval_id: "p" } })).toContain("done");
    });

    test("a checker does not approve what they proposed, and two approvers are two people", async () => {
      const { admin, owner } = await open();
      await owner.approvals.setPolicy("KES", { from: "50000", approvers: 2 });
      const as = async (login: string) => {
        const journal = await openSharedJournal({ url: server.as(admin, login), env: {} });
        opened.push(journal);
        return journal;
      };
      const [one, two] = [await as(logins.checker), await as(logins.checker2)];
      await one.approvals.propose(proposal("q"));
      expect(await kindOf(one.approvals.decide("q", "approved"))).toBe("approval-required");
      expect(await kindOf(one.approvals.decide("p", "approved"))).toBe("done");
      expect(await kindOf(one.approvals.decide("p", "approved"))).toBe("approval-required");
      expect(await kindOf(one.open(attemptOf("p")))).toBe("approval-required");
      expect(await kindOf(two.approvals.decide("p", "approved"))).toBe("done");
      expect(await kindOf(two.open(attemptOf("p")))).toBe("done");
    });

    test("a file with a row below zero is not proposed: its sum would hide the others", async () => {
      const { maker } = await open();
      const file = (name: string, amounts: readonly number[]) => {
        const [item] = proposal(name).items;
        const items = amounts.map((amount, at) => ({ ...item, row: at + 1, guardKey: `${name}${at}`, body: JSON.stringify({ amount }) }));
        const sum = amounts.reduce((total, amount) => total + amount, 0);
        return maker.approvals.propose({ ...proposal(name), operation: "batch", amount: String(sum), items });
      };
      expect(await kindOf(file("n", [140_000, -139_000]))).not.toBe("done");
      expect(await kindOf(file("z", [1000, 0]))).not.toBe("done");
      expect(await kindOf(file("y", [700, 300]))).toBe("done");
    });

    test("the rows of a file count together", async () => {
      const { maker } = await open();
      const row = (at: number) => maker.open(attempt(`r${at}`, { batchId: "B", batchRow: at, amount: "20000" }));
      expect([await kindOf(row(1)), await kindOf(row(2)), await kindOf(row(3))]).toEqual(["done", "done", "approval-required"]);
    });

    test("even the tables' owner deletes and rewrites no record", async () => {
      const { admin } = await open();
      for (const sql of [
        "DELETE FROM payments.attempts",
        "TRUNCATE payments.decisions",
        "UPDATE payments.attempts SET amount = '1'",
        "UPDATE payments.approvals SET amount = '1'",
      ])
        expect([sql, await refusedWith(admin, sql)]).toEqual([sql, expect.stringMatching(/^error /)]);
    });
  });
});
