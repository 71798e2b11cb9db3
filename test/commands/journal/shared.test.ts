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
    ["a login that is more than a name", ["postgresql://127.0.0.1/d", "--role", "maker", "--add", 'ann"; DROP']],
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
    expect((await json(["approval", "list", "--state", "all"], { env })).document).toEqual({ approvals: [] });
    expect((await runCli(["journal", "import"], { home, env })).stderr).toContain("propose");
    expect((await json(["journal", "status"], { env })).document).toMatchObject({ attempts: 3, open: 0, role: "maker" });
    // What this machine has paid counts for the team's guard.
    for (const reference of ["A", "C"]) expect((await json(b2c(reference, "--yes"), { env })).code).toBe(11);
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
