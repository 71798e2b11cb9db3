import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { setUpJournal } from "../../src/journal/postgres/setup.ts";
import type { Pair } from "./certificates.ts";

const versions = "/usr/lib/postgresql";
const programs = existsSync(versions) ? join(versions, readdirSync(versions).toSorted().at(-1) ?? "", "bin") : "";
/** Debian's package; without it these tests are left out, except where they must run. */
export const hasPostgres = programs !== "" && existsSync(join(programs, "initdb"));
if (!hasPostgres && process.env["REQUIRE_POSTGRES"] === "1") throw new Error("PostgreSQL is not installed, and these tests must run here.");

/** PostgreSQL refuses to run as root. */
const asUser = (program: string, ...words: string[]): void => {
  const command = [join(programs, program), ...words];
  const [first = "", ...rest] = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--", ...command] : command;
  execFileSync(first, rest, { stdio: "ignore" });
};

export type Server = {
  /** A URL of a new, empty database, for the administrator. */
  createDatabase(): Promise<string>;
  /** The same with a shared journal. */
  createJournal(): Promise<string>;
  /** Ends our own connection to a database, and the database with it. */
  drop(url: string): Promise<void>;
  /** The same database for another login. */
  as(url: string, login: string): string;
  query(url: string, sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  start(): void;
  stop(how?: "fast" | "immediate"): void;
  readonly folder: string;
  /** From here on it listens on this port of 127.0.0.0/8 too, to TLS with this certificate alone, and wants passwords there. */
  listenWithTls(port: number, certificate: Pair): void;
  dispose(): Promise<void>;
};

export const logins = { maker: "ann", maker2: "abe", checker: "cleo", checker2: "carl", owner: "olga", nobody: "nora" } as const;

/** A server of its own in a temporary folder, on a socket; it trusts its logins. */
export const startPostgres = async (): Promise<Server> => {
  const folder = mkdtempSync(join(tmpdir(), "payments-pg-"));
  chmodSync(folder, 0o777);
  const data = join(folder, "data");
  asUser("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-N");
  let listens = "-c listen_addresses=''";
  const start = (): void => asUser("pg_ctl", "-D", data, "-o", `-k ${folder} ${listens} -c max_connections=200`, "-l", join(folder, "log"), "-w", "start");
  const stop = (how: "fast" | "immediate" = "fast"): void => asUser("pg_ctl", "-D", data, "-m", how, "-w", "stop");
  start();
  const urlOf = (login: string, database: string): string => `postgresql://${login}@/${database}?host=${encodeURIComponent(folder)}`;
  const clients = new Map<string, Promise<pg.Client>>();
  const clientOf = (url: string): Promise<pg.Client> => {
    const made = clients.get(url) ?? connect(url);
    clients.set(url, made);
    return made;
  };
  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => clients.delete(url));
    await client.connect();
    return client;
  };
  let last: Promise<unknown> = Promise.resolve();
  const query: Server["query"] = (url, sql, values = []) => {
    const answer = last.then(async () => (await (await clientOf(url)).query(sql, [...values])).rows);
    last = answer.catch(() => undefined);
    return answer;
  };
  const admin = urlOf("postgres", "postgres");
  for (const login of Object.values(logins)) await query(admin, `CREATE ROLE ${login} LOGIN`);
  await query(admin, "CREATE DATABASE empty_journal");
  await setUpJournal({ url: urlOf("postgres", "empty_journal"), env: {}, add: undefined });
  for (const [role, login] of Object.entries(logins)) if (role !== "nobody") await query(admin, `GRANT payments_${role.replace(/\d/, "")} TO ${login}`);
  let databases = 0;
  const create = async (template: string): Promise<string> => {
    databases += 1;
    await query(admin, `CREATE DATABASE journal_${databases} TEMPLATE ${template}`);
    return urlOf("postgres", `journal_${databases}`);
  };
  return {
    folder,
    createDatabase: () => create("template1"),
    createJournal: () => create("empty_journal"),
    drop: async (url) => {
      const client = await clients.get(url);
      clients.delete(url);
      await client?.end();
      const name = new URL(url.replace("@/", "@localhost/")).pathname.slice(1);
      await query(admin, `DROP DATABASE ${name} WITH (FORCE)`);
    },
    as: (url, login) => url.replace("//postgres@", `//${login}@`),
    query,
    start,
    stop,
    listenWithTls: (port, { key, cert }) => {
      stop();
      // One file with the key and the certificate serves as both; the server wants it to be its own, and nobody else's to read.
      const pair = join(data, "server.pem");
      writeFileSync(pair, `${key}${cert}`, { mode: 0o600 });
      const { uid, gid } = statSync(data);
      chownSync(pair, uid, gid);
      writeFileSync(join(data, "pg_hba.conf"), "local all all trust\nhostssl all all 127.0.0.0/8 scram-sha-256\n");
      listens = `-p ${port} -c listen_addresses=* -c ssl=on -c ssl_cert_file=server.pem -c ssl_key_file=server.pem`;
      start();
    },
    dispose: async () => {
      for (const client of clients.values()) client.then((each) => each.end()).catch(() => undefined);
      stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
