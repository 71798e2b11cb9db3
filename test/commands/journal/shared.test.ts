import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TransportError } from "../../../src/service/transport.ts";
import { createHome, runCli, type Service } from "../../support/cli.ts";
import { hasPostgres, logins, type Server, startPostgres } from "../../support/postgres.ts";

let server: Server;
beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
});
afterAll(async () => {
  if (hasPostgres) await server.dispose();
});

const pays: Service = ({ method }) => ({ body: method === "POST" ? { transactionId: "T-1", status: "QUEUED" } : { transactions: [], total: 0 } });
const b2c = (reference: string, ...more: string[]) => ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", reference, "--json", ...more];

describe.skipIf(!hasPostgres)("a journal in PostgreSQL", () => {
  const setup = async (url: string, ...more: string[]) => {
    const ended = await runCli(["journal", "setup", url, "--json", ...more]);
    return { ...ended, document: ended.stdout === "" ? undefined : JSON.parse(ended.stdout) };
  };

  test("journal setup makes it, can be run again, and gives a login its role", async () => {
    const admin = await server.createDatabase();
    expect((await setup(admin, "--dry-run")).document).toMatchObject({ sql: expect.stringContaining("CREATE SCHEMA") });
    expect(await server.query(admin, "SELECT to_regclass('payments.meta') AS made")).toEqual([{ made: null }]);
    const first = await setup(admin);
    expect(first.document).toMatchObject({ journal: "postgres", created: true });
    expect(first.document.grants).toHaveLength(3);
    const second = await setup(admin, "--add", logins.nobody, "--role", "checker");
    expect(second.document).toMatchObject({ created: false, grants: [`GRANT payments_checker TO "${logins.nobody}";`] });
    const status = await runCli(["journal", "status", "--json"], { env: { PAYMENTS_JOURNAL_URL: server.as(admin, logins.nobody) } });
    expect(JSON.parse(status.stdout)).toMatchObject({ journal: "postgres", who: logins.nobody, role: "checker", attempts: 0, open: 0 });
    await server.query(admin, `REVOKE payments_checker FROM ${logins.nobody}`);
  });

  test("a login that the database does not have gets no role, and is called that", async () => {
    const { code, stdout, stderr } = await setup(await server.createJournal(), "--add", "nosuchlogin", "--role", "maker");
    expect([code, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr).error).toMatchObject({ kind: "usage", message: expect.stringContaining("no such login") });
  });

  test("the SQL of --dry-run makes the same when it is run by hand", async () => {
    const admin = await server.createDatabase();
    await server.query(admin, (await setup(admin, "--dry-run")).document.sql);
    expect((await setup(admin)).document).toMatchObject({ created: false });
  });

  test.each([
    ["a password in its URL", ["postgresql://ann:s3cret@127.0.0.1/d"]],
    ["no URL of PostgreSQL", ["mysql://ann:s3cret@127.0.0.1/d"]],
    ["--add without --role", ["postgresql://127.0.0.1/d", "--add", "ann"]],
    ["an unknown role", ["postgresql://127.0.0.1/d", "--add", "ann", "--role", "boss"]],
    ["a database that is away", ["postgresql://ann@127.0.0.1:9/d"]],
  ])("journal setup with %s exits 2", async (_case, words) => {
    const { code, stdout, stderr } = await runCli(["journal", "setup", ...words, "--json"]);
    expect([code, stdout, stderr.includes("s3cret")]).toEqual([2, "", false]);
  });

  test("journal setup without the right to make a schema exits 2", async () => {
    expect((await setup(server.as(await server.createDatabase(), logins.maker))).code).toBe(2);
  });

  test("journal import takes each attempt over once; proposals stay, and what is open counts as unknown", async () => {
    const home = createHome();
    const env = { PAYMENTS_JOURNAL_URL: server.as(await server.createJournal(), logins.maker) };
    const json = async (words: readonly string[], more: Parameters<typeof runCli>[1] = {}) => {
      const ended = await runCli([...words, "--json"], { home, service: pays, ...more });
      return { code: ended.code, notes: ended.stderr, document: ended.stdout === "" ? undefined : JSON.parse(ended.stdout) };
    };
    await json([...b2c("A", "--yes")]);
    await json([...b2c("B", "--yes")]);
    const proposed = await json([...b2c("C", "--propose")]);
    await json(["approval", "approve", proposed.document.id, "--yes"]);
    await json([...b2c("D", "--propose")]);
    expect((await json(["journal", "import"])).code).toBe(2);
    expect((await json(["journal", "import"], { env })).document).toEqual({ imported: 3, known: 0 });
    expect((await json(["journal", "import", "--from", join(home, "data")], { env })).document).toEqual({ imported: 0, known: 3 });
    expect((await json(["journal", "import", "--from", join(home, "nowhere")], { env })).code).toBe(2);
    expect((await json(["journal", "import"], { env, home: createHome() })).document).toEqual({ imported: 0, known: 0 });
    expect((await json(["approval", "list", "--state", "all"], { env })).document).toEqual({ approvals: [] });
    expect((await runCli(["journal", "import"], { home, env })).stderr).toContain("propose");
    expect((await json(["journal", "status"], { env })).document).toMatchObject({ attempts: 3, open: 0, role: "maker" });
    // What this machine has paid counts for the team's guard.
    for (const reference of ["A", "C"]) expect((await json(b2c(reference, "--yes"), { env })).code).toBe(11);
  });

  /** What a login and a key on a machine of their own get, with the error as JSON. */
  const person = (admin: string, login: string, key?: string) => {
    const home = createHome();
    const env = { PAYMENTS_JOURNAL_URL: server.as(admin, login), ...(key === undefined ? {} : { PAYMENTS_API_KEY: key }) };
    return async (words: readonly string[], more: Parameters<typeof runCli>[1] = {}) => {
      const ended = await runCli([...words, "--json"], { home, env, service: pays, ...more });
      return {
        ...ended,
        document: ended.stdout === "" ? undefined : JSON.parse(ended.stdout),
        error: ended.stdout === "" ? JSON.parse(ended.stderr).error : {},
      };
    };
  };
  const lost: Service = ({ method }) => {
    if (method === "POST") throw new TransportError("reset", true, "reset");
    return { body: { transactions: [], total: 0 } };
  };
  const posts = (requests: readonly { readonly method: string }[]) => requests.filter(({ method }) => method === "POST").length;

  test("what one person has imported while it was open is sent again by that person alone; others settle it by hand", async () => {
    const admin = await server.createJournal();
    const [ann, abe] = [person(admin, logins.maker), person(admin, logins.maker2)];
    // On the machine's own journal, an hour ago.
    const before = { service: lost, env: {}, clock: { nowMs: Date.now() - 3_600_000 } };
    for (const reference of ["A", "B"]) expect((await ann(b2c(reference, "--yes", "--retries", "0"), before)).code).toBe(9);
    expect((await ann(["journal", "import"])).document).toEqual({ imported: 2, known: 0 });
    const all = await abe(["journal", "resume", "--all", "--yes"]);
    expect([all.code, posts(all.requests)]).toEqual([9, 0]);
    expect(all.error.message).toContain(logins.maker);
    expect((await abe(["journal", "resume", all.error.journalId, "--mark", "refused"])).code).toBe(0);
    const again = await ann(["journal", "resume", "--all", "--yes"]);
    expect([again.code, posts(again.requests)]).toEqual([0, 1]);
  });

  test("an accepted payment that somebody else recorded with another key does not count as one's own", async () => {
    const admin = await server.createJournal();
    const own = b2c("A", "--yes", "--idempotency-key", "INV-7", "--allow-duplicate");
    expect((await person(admin, logins.maker, "key_of_somebody_0123456789")(own)).code).toBe(0);
    const ended = await person(admin, logins.maker2)(own);
    expect([ended.code, ended.requests.length]).toEqual([3, 0]);
  });

  test("an attempt with a colleague's key is neither sent nor looked up, and the error names the colleague", async () => {
    const admin = await server.createJournal();
    const [ann, abe] = [person(admin, logins.maker, "key_of_ann_0123456789"), person(admin, logins.maker2, "key_of_abe_0123456789")];
    const { error } = await ann(b2c("A", "--yes", "--retries", "0"), { service: lost });
    const one = await abe(["journal", "resume", error.journalId, "--yes"]);
    expect([one.code, one.requests.length, one.error.command]).toEqual([3, 0, undefined]);
    expect(one.error).toMatchObject({
      kind: "auth",
      sent: "unknown",
      message: expect.stringContaining(logins.maker),
      hint: expect.stringMatching(/^ann settles it.*--mark accepted/),
    });
    const all = await abe(["journal", "resume", "--all", "--yes"]);
    expect([all.code, posts(all.requests), all.error.command]).toEqual([9, 0, undefined]);
    expect(all.error.hint).toContain("ann runs journal resume --all");
    const shown = await runCli(["journal", "show", error.journalId], { env: { PAYMENTS_JOURNAL_URL: server.as(admin, logins.maker2) } });
    expect(shown.stdout).toMatch(/Recorded by +ann/);
    expect((await ann(["journal", "resume", error.journalId, "--yes"])).code).toBe(0);
  });

  test("a person whose role may not pay, propose or approve gets an error, with what to do, before any question", async () => {
    const admin = await server.createJournal();
    const olga = person(admin, logins.owner);
    const file = join(createHome(), "pay.csv");
    writeFileSync(file, "phone,amount,reference\n0712345678,100,A\n");
    for (const words of [b2c("A"), b2c("A", "--propose"), ["b2c", "batch", file], ["b2c", "batch", file, "--propose"]]) {
      const ended = await olga(words, { terminal: true });
      expect([ended.code, ended.prompts, ended.requests, ended.error.command]).toEqual([14, [], [], undefined]);
      expect(ended.error.message).toContain("olga has the role owner");
      expect(ended.error.hint).toContain("journal setup URL --add olga --role maker");
    }
    const [ann, cleo] = [person(admin, logins.maker), person(admin, logins.checker)];
    const { id } = (await ann(b2c("A", "--propose"))).document;
    const own = (await cleo(b2c("B", "--propose"))).document;
    for (const [who, proposed, says] of [
      [ann, id, "takes the role checker"],
      [olga, id, "takes the role checker"],
      [cleo, own.id, "another person"],
    ] as const) {
      const ended = await who(["approval", "approve", proposed], { terminal: true });
      expect([ended.code, ended.prompts, ended.requests]).toEqual([14, [], []]);
      expect(ended.error.message).toContain(says);
    }
  });

  test("a login with a space in its name gets its role", async () => {
    const admin = await server.createDatabase();
    await server.query(admin, 'CREATE ROLE "We ""ird" LOGIN');
    const { document } = await setup(admin, "--add", 'We "ird', "--role", "maker");
    expect(document.grants).toEqual(['GRANT payments_maker TO "We ""ird";']);
    const env = { PAYMENTS_JOURNAL_URL: server.as(admin, encodeURIComponent('We "ird')) };
    expect(JSON.parse((await runCli(["journal", "status", "--json"], { env })).stdout)).toMatchObject({ who: 'We "ird', role: "maker" });
    await server.query(admin, 'REVOKE payments_maker FROM "We ""ird"');
    for (const name of ["x".repeat(64), "a\nb"]) expect((await setup(admin, "--add", name, "--role", "maker")).code).toBe(2);
  });

  test("journal setup that fails does not hint at journal status", async () => {
    const { stderr } = await setup("postgresql://ann@127.0.0.1:9/d");
    expect(JSON.parse(stderr).error).toMatchObject({ kind: "usage", hint: expect.stringContaining("database runs") });
    expect(stderr).not.toContain("status");
  });

  test("without the database nothing is paid or proposed and nothing is kept elsewhere; reads go on", async () => {
    const home = createHome();
    const env = { PAYMENTS_JOURNAL_URL: "postgresql://ann:s3cret@127.0.0.1:9/payments" };
    for (const words of [b2c("A", "--yes"), b2c("A", "--propose"), ["journal", "status", "--json"]]) {
      const { code, stderr, requests } = await runCli(words, { home, env, service: pays });
      expect([code, JSON.parse(stderr).error.kind, stderr.includes("s3cret"), requests.length]).toEqual([2, "usage", false, 0]);
    }
    expect((await runCli(["tx", "list", "--json"], { home, env, service: pays })).code).toBe(0);
    expect(() => readFileSync(join(home, "data", "journal.db"))).toThrow("ENOENT");
  });

  test("maker, checker and owner: a policy, a proposal, two approvals by two people, one payment", async () => {
    const admin = await server.createJournal();
    let posts = 0;
    const service: Service = (request, count) => {
      if (request.method === "POST") posts += 1;
      return pays(request, count);
    };
    const as = async (login: string, ...words: string[]) => {
      const ended = await runCli([...words, "--json"], { service, env: { PAYMENTS_JOURNAL_URL: server.as(admin, login) } });
      return { code: ended.code, document: JSON.parse(ended.stdout || ended.stderr) };
    };
    const policy = ["approval", "policy", "--from", "100", "--approvers", "2"];
    for (const login of [logins.maker, logins.checker]) expect((await as(login, ...policy)).code).toBe(14);
    expect((await as(logins.owner, ...policy)).document).toEqual({ policies: [{ from: "100", currency: "KES", approvers: 2 }] });
    for (const login of [logins.maker, logins.checker]) expect((await as(login, ...b2c("A", "--yes"))).code).toBe(14);
    const { id } = (await as(logins.maker, ...b2c("A", "--propose", "why"))).document;
    const approve = (login: string) => as(login, "approval", "approve", id, "--yes");
    expect([(await approve(logins.maker)).code, (await approve(logins.owner)).code, (await as(logins.checker, "approval", "cancel", id)).code]).toEqual([
      14, 14, 2,
    ]);
    expect(await approve(logins.checker)).toMatchObject({ code: 0, document: { state: "open", decisions: [{ by: logins.checker }] } });
    expect((await approve(logins.checker)).code).toBe(14);
    expect(posts).toBe(0);
    expect(await approve(logins.checker2)).toMatchObject({ code: 0, document: { state: "sent", transactionId: "T-1" } });
    expect([(await approve(logins.checker2)).code, posts]).toEqual([11, 1]);
    for (const [login, code] of [
      [logins.maker, 14],
      [logins.checker, 14],
      [logins.owner, 0],
    ] as const)
      expect((await as(login, "journal", "prune", "--older-than", "0")).code).toBe(code);
  });
});
