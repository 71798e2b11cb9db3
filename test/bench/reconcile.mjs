import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bareList } from "./bulk.mjs";
import { installed } from "./peers.mjs";
import { binary, compareLong } from "./processes.mjs";
import { startAnswering } from "./service.mjs";

const joinByMiller = `process.exitCode = require("node:child_process").spawnSync("mlr", ["--icsv", "--ocsv", "join", "-j", "reference", "--lp", "here_", "-f", process.env.HERE, process.env.THERE], { stdio: ["ignore", "ignore", "inherit"] }).status`;

const joinByDuckDb = `
const { DuckDBInstance } = require(process.env.DUCKDB);
(async () => { const connection = await (await DuckDBInstance.create(":memory:")).connect();
await connection.run("COPY (SELECT * FROM read_csv('" + process.env.HERE + "') AS here JOIN read_csv('" + process.env.THERE + "') AS there USING (reference)) TO '" + process.env.JOINED + "' (FORMAT csv)"); })();`;

const duckDb = { name: "@duckdb/node-api@1.5.6-r.1", entry: "@duckdb/node-api/lib/index.js" };

/** Miller (Debian: miller) where it is on the path, and DuckDB where npm can fetch it. They join and judge nothing. */
const joiners = () => {
  const found = {};
  const skipped = [];
  if (spawnSync("mlr", ["--version"]).error === undefined) found["mlr join"] = { code: joinByMiller };
  else skipped.push({ skipped: "mlr is not on the path: no row beside it" });
  try {
    found.DuckDB = { code: joinByDuckDb, env: { DUCKDB: installed(duckDb).path } };
  } catch (error) {
    skipped.push({ skipped: `${duckDb.name} cannot be had here: ${error.message.split("\n")[0]}` });
  }
  return { found, skipped };
};

const besideOthers = async ({ home, orders, rows, runs }) => {
  const { found, skipped } = joiners();
  // The same rows the other way round: whoever joins cannot go by the order.
  const there = join(home, "there.csv");
  writeOrders(there, rows, (index) => rows - 1 - index);
  const env = { PAYMENTS_HOME: home, HERE: orders, THERE: there, JOINED: join(home, "joined.csv") };
  const others = Object.entries(found).map(([name, { code, env: more }]) => [name, { args: ["-e", code], env: { ...env, ...more } }]);
  const ours = { args: [binary, "tx", "reconcile", orders, "--against", there, "--json"], env };
  const { medians, peaks } = await compareLong({ ours, ...Object.fromEntries(others) }, runs);
  const name = `tx reconcile --against, ${rows} orders in each of two files`;
  return [
    ...others.map(([other]) => ({
      name,
      ratio: medians.ours / medians[other],
      target: other === "mlr join" ? 3 : "none",
      against: `${other} of the same files`,
    })),
    { name: `memory of ${name}`, mb: peaks.ours, target: 700 },
    ...skipped,
  ];
};

const writeOrders = (file, rows, rowOf) => {
  const lines = Array.from({ length: rows }, (_, index) => `INV-${rowOf(index)},${100 + (rowOf(index) % 900)},COMPLETED`);
  writeFileSync(file, `reference,amount,status\n${lines.join("\n")}\n`);
};

/**
 * Comparing a file of as many orders with all that a service holds, against a bare script that lists that
 * once over one connection. And against programs that join two files.
 */
export const reconcile = async ({ rows = 1_000_000, runs = 2 } = {}) => {
  const home = mkdtempSync(join(tmpdir(), "payments-cli-bench-"));
  const service = await startAnswering({}, { transactions: rows });
  const env = { PAYMENTS_HOME: home, PAYMENTS_API_KEY: "bench_key_0123456789", PAYMENTS_BASE_URL: service.url };
  const orders = join(home, "orders.csv");
  writeOrders(orders, rows, (index) => index);
  try {
    const { medians, peaks } = await compareLong(
      {
        listing: { args: ["-e", bareList], env },
        reconciling: { args: [binary, "tx", "reconcile", orders, "--json"], env },
      },
      runs,
    );
    return [
      {
        name: `tx reconcile, ${rows} orders`,
        ratio: medians.reconciling / medians.listing,
        target: 5,
        against: "a bare script that lists them over one connection",
      },
      { name: `memory of tx reconcile, ${rows} orders`, mb: peaks.reconciling, target: 700 },
      ...(await besideOthers({ home, orders, rows, runs })),
    ];
  } finally {
    await service.close();
    rmSync(home, { recursive: true, force: true });
  }
};
