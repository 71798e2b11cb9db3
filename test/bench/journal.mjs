import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, compare, timed } from "./processes.mjs";
import { startAnswering } from "./service.mjs";

const openDatabase = async (path) => {
  const builtin = process.getBuiltinModule?.("node:sqlite");
  const { DatabaseSync } = builtin ?? (await import("@photostructure/sqlite"));
  return new DatabaseSync(path);
};

/** Copies the one attempt there is, ids and keys apart, until there are `attempts`. The checksum is then that of no copy, which takes no less time to see. */
const fillJournal = async (path, attempts) => {
  const database = await openDatabase(path);
  const columns = database
    .prepare("SELECT name FROM pragma_table_info('attempts')")
    .all()
    .map(({ name }) => name);
  const own = {
    seq: "NULL",
    id: "'id-' || n",
    idempotency_key: "'key-' || n",
    guard_key: "'guard-' || n",
    reference: "'R-' || n",
    transaction_id: "'tx-' || n",
  };
  database.exec("PRAGMA synchronous = OFF");
  database.exec(`WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ${attempts - 1})
    INSERT INTO attempts (${columns.join(", ")}) SELECT ${columns.map((name) => own[name] ?? `one.${name}`).join(", ")} FROM counter, (SELECT * FROM attempts LIMIT 1) AS one`);
  database.close();
};

/** Listing a journal of a million attempts, against one of a single attempt. */
export const journal = async ({ attempts = 1_000_000, runs = 9 } = {}) => {
  const service = await startAnswering({ success: true, wallet: {} });
  const homes = [1, attempts].map((count) => ({ count, home: mkdtempSync(join(tmpdir(), "payments-cli-bench-")) }));
  try {
    for (const { count, home } of homes) {
      const env = { PAYMENTS_HOME: home, PAYMENTS_API_KEY: "bench_key_0123456789", PAYMENTS_BASE_URL: service.url };
      const file = join(home, "one.csv");
      writeFileSync(file, "phone,amount,reference\n254712345678,100,R-0\n");
      const { code, errors } = await timed([binary, "b2c", "batch", file, "--yes", "--json"], env);
      if (code !== 0) throw new Error(`The first attempt ended ${code}: ${errors}`);
      if (count > 1) await fillJournal(join(home, "data", "journal.db"), count);
    }
    const list = (at, ...more) => ({ args: [binary, "journal", "list", "--json", "--limit", "50", ...more], env: { PAYMENTS_HOME: homes[at].home } });
    const medians = await compare({ one: list(0), many: list(1), found: list(1, "--reference", "R-500000"), byState: list(1, "--state", "accepted") }, runs);
    const row = (name, ratio) => ({ name: `${name}, ${attempts} attempts`, ratio, target: 1.25, against: "journal list of a single attempt" });
    return [
      row("journal list --limit 50", medians.many / medians.one),
      row("journal list --reference", medians.found / medians.one),
      row("journal list --state accepted", medians.byState / medians.one),
    ];
  } finally {
    await service.close();
    for (const { home } of homes) rmSync(home, { recursive: true, force: true });
  }
};
