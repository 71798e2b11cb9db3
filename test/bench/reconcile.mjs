import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, compare } from "./processes.mjs";
import { startAnswering } from "./service.mjs";

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
    return [{ name: `tx reconcile, ${rows} orders`, ratio: medians.reconciling / medians.listing, target: 3, against: "tx list --all of the same rows" }];
  } finally {
    await service.close();
    rmSync(home, { recursive: true, force: true });
  }
};
