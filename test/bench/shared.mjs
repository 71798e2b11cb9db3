import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, cleanEnv, compare } from "./processes.mjs";
import { startAnswering } from "./service.mjs";

const versions = "/usr/lib/postgresql";
const programs = existsSync(versions) ? join(versions, readdirSync(versions).toSorted().at(-1) ?? "", "bin") : "";

/** A PostgreSQL of its own on a socket, which trusts its logins. It refuses to run as root. */
const startServer = () => {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-pg-"));
  chmodSync(folder, 0o777);
  const data = join(folder, "data");
  const asUser = (program, ...words) => {
    const command = [join(programs, program), ...words];
    const [first, ...rest] = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--", ...command] : command;
    execFileSync(first, rest, { stdio: "ignore" });
  };
  asUser("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-N");
  asUser("pg_ctl", "-D", data, "-o", `-k ${folder} -c listen_addresses=''`, "-l", join(folder, "log"), "-w", "start");
  const urlOf = (login, database) => `postgresql://${login}@/${database}?host=${encodeURIComponent(folder)}`;
  return {
    urlOf,
    sql: (database, text) => execFileSync(join(programs, "psql"), ["-qAt", "-v", "ON_ERROR_STOP=1", urlOf("postgres", database), "-c", text]).toString(),
    stop: () => {
      asUser("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop");
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const own = { id: "'id-' || n", idempotency_key: "'key-' || n", guard_key: "'guard-' || n", reference: "'R-' || n", transaction_id: "'tx-' || n" };

/** A batch over a shared journal, against the same over a file; and the guard's look-up among a million attempts, against one among a thousand. */
export const shared = async ({ batchRows = 2_000, attempts = 1_000_000, runs = 5 } = {}) => {
  if (programs === "") return [{ skipped: "PostgreSQL is not installed" }];
  const home = mkdtempSync(join(tmpdir(), "payments-cli-bench-"));
  const service = await startAnswering({ success: true, wallet: {} }, { delayMs: 5 });
  const server = startServer();
  const payouts = (name, rows) => {
    const file = join(home, `${name}.csv`);
    writeFileSync(file, `phone,amount,reference\n${Array.from({ length: rows }, (_, row) => `254712345678,100,${name}-${row}`).join("\n")}\n`);
    return file;
  };
  const env = { PAYMENTS_HOME: home, PAYMENTS_API_KEY: "bench_key_0123456789", PAYMENTS_BASE_URL: service.url };
  const pay = (file) => [binary, "b2c", "batch", file, "--yes", "--json"];
  let made = 0;
  /** A journal of its own for each run: in each the file is new. */
  const ready = (file, template) => () => {
    rmSync(join(home, "data"), { recursive: true, force: true });
    rmSync(`${file}.result.csv`, { force: true });
    if (template === undefined) return env;
    made += 1;
    server.sql("postgres", `CREATE DATABASE run_${made} TEMPLATE ${template}`);
    return { ...env, PAYMENTS_JOURNAL_URL: server.urlOf("ann", `run_${made}`) };
  };
  try {
    server.sql("postgres", "CREATE DATABASE none");
    execFileSync(process.execPath, [binary, "journal", "setup", server.urlOf("postgres", "none"), "--json"], { env: cleanEnv(env) });
    server.sql("none", "CREATE ROLE ann LOGIN; GRANT payments_maker TO ann");
    const file = payouts("B", batchRows);
    const batches = await compare({ file: { args: pay(file), env: ready(file) }, shared: { args: pay(file), env: ready(file, "none") } }, runs);

    const few = payouts("G", 200);
    const first = payouts("F", 1);
    const columns = server.sql(
      "none",
      "SELECT column_name FROM information_schema.columns WHERE table_schema = 'payments' AND table_name = 'attempts' AND column_name <> 'seq'",
    );
    const names = columns.trim().split("\n");
    for (const count of [1_000, attempts]) {
      server.sql("postgres", `CREATE DATABASE held_${count} TEMPLATE none`);
      execFileSync(process.execPath, pay(first), { env: cleanEnv({ ...ready(first)(), PAYMENTS_JOURNAL_URL: server.urlOf("ann", `held_${count}`) }) });
      const values = names.map((name) => own[name] ?? `one.${name}`);
      server.sql(
        `held_${count}`,
        `INSERT INTO payments.attempts (${names.join(", ")}) SELECT ${values.join(", ")} FROM generate_series(1, ${count - 1}) AS n, (SELECT * FROM payments.attempts LIMIT 1) AS one; ANALYZE`,
      );
    }
    const held = (count) => ({
      args: pay(few),
      // Other references each time: copying a million attempts would take minutes.
      env: () => {
        made += 1;
        rmSync(`${few}.result.csv`, { force: true });
        writeFileSync(few, `phone,amount,reference\n${Array.from({ length: 200 }, (_, row) => `254712345678,100,${made}-${row}`).join("\n")}\n`);
        return { ...env, PAYMENTS_JOURNAL_URL: server.urlOf("ann", `held_${count}`) };
      },
    });
    const looks = await compare({ few: held(1_000), many: held(attempts) }, 3);
    return [
      { name: `b2c batch over a shared journal, ${batchRows} rows`, ratio: batches.shared / batches.file, target: 3, against: "the same over a file" },
      {
        name: `200 payouts guarded among ${attempts} attempts of a shared journal`,
        ratio: looks.many / looks.few,
        target: 1.25,
        against: "the same among 1000",
      },
    ];
  } finally {
    await service.close();
    server.stop();
    rmSync(home, { recursive: true, force: true });
  }
};
