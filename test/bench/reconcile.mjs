import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, compare } from "./processes.mjs";
import { startAnswering } from "./service.mjs";

/** The same join by Miller (Debian: miller), where it is on the path. It joins and compares nothing else. */
const besideMiller = async (file, env, runs) => {
  if (spawnSync("mlr", ["--version"]).error !== undefined) {
    console.log("  (mlr is not on the path: no row beside it)");
    return [];
  }
  const joining = `process.exitCode = require("node:child_process").spawnSync("mlr", ["--icsv", "--ocsv", "join", "-j", "reference", "--lp", "here_", "-f", process.env.ORDERS, process.env.ORDERS], { stdio: ["ignore", "ignore", "inherit"] }).status`;
  const medians = await compare(
    {
      miller: { args: ["-e", joining], env: { ...env, ORDERS: file } },
      ours: { args: [binary, "tx", "reconcile", file, "--against", file, "--json"], env },
    },
    runs,
  );
  return [{ name: "tx reconcile --against, the same file twice", ratio: medians.ours / medians.miller, target: 3, against: "mlr join of the same files" }];
};

/** Comparing a file of as many orders with all the service holds, against listing that once. */
export const reconcile = async ({ rows = 100_000, runs = 3 } = {}) => {
  const home = mkdtempSync(join(tmpdir(), "payments-cli-bench-"));
  const service = await startAnswering({}, { transactions: rows });
  const env = { PAYMENTS_HOME: home, PAYMENTS_API_KEY: "bench_key_0123456789", PAYMENTS_BASE_URL: service.url };
  const file = join(home, "orders.csv");
  const lines = Array.from({ length: rows }, (_, row) => `INV-${row},${100 + (row % 900)},COMPLETED`);
  writeFileSync(file, `reference,amount,status\n${lines.join("\n")}\n`);
  try {
    const medians = await compare(
      {
        // Reconciling lists 100 at a time.
        listing: { args: [binary, "tx", "list", "--all", "--limit", "100", "-o", "jsonl"], env },
        reconciling: { args: [binary, "tx", "reconcile", file, "--json"], env },
      },
      runs,
    );
    return [
      { name: `tx reconcile, ${rows} orders`, ratio: medians.reconciling / medians.listing, target: 3, against: "tx list --all of the same rows" },
      ...(await besideMiller(file, env, runs)),
    ];
  } finally {
    await service.close();
    rmSync(home, { recursive: true, force: true });
  }
};
