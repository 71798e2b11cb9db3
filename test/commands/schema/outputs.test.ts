import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { schemaFaults } from "../../support/schemas.ts";
import { withdrawal } from "../../support/withdrawal.ts";

const home = createHome();
const orders = join(home, "orders.csv");
const payouts = join(home, "payouts.csv");

beforeAll(async () => {
  writeFileSync(orders, "reference,amount,status\nINV-1,150,PAID\nINV-9,70,PAID\n,80,PAID\nINV-8,many,PAID\n");
  writeFileSync(payouts, "phone,amount,reference\n0712345678,100,PAY-1\n0712345679,200,PAY-2\n");
  const paid = await runCli(["stk", "--phone", "0712345678", "--amount", "150", "--reference", "INV-1", "--sandbox"], { home });
  expect(paid.code).toBe(0);
});

/** What a command prints under --json against the sandbox, and the schema it has to satisfy. */
const rows: readonly (readonly [string, readonly string[]])[] = [
  ["stk", ["stk", "--phone", "0712345678", "--amount", "151", "--reference", "INV-2"]],
  ["tx-get", ["stk", "--phone", "0712345678", "--amount", "152", "--reference", "INV-3", "--wait"]],
  ["dry-run", ["stk", "--phone", "0712345678", "--amount", "150", "--reference", "INV-4", "--dry-run"]],
  ["b2c", ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "SUP-1", "--yes"]],
  ["b2c-stats", ["b2c", "stats"]],
  ["b2c-batch", ["b2c", "batch", payouts, "--yes"]],
  ["tx-list", ["tx", "list"]],
  ["tx-get", ["tx", "get", "--reference", "INV-1"]],
  ["tx-watch", ["tx", "watch", "--reference", "INV-1"]],
  ["tx-sync", ["tx", "sync"]],
  ["tx-find", ["tx", "find", "INV-1"]],
  ["tx-reconcile", ["tx", "reconcile", orders]],
  ["wallet", ["wallet"]],
  ["global-providers", ["global", "providers"]],
  ["global-collect", ["global", "collect", "--rail", "UG_MOMO", "--amount", "5000", "--currency", "UGX", "--msisdn", "0772000001"]],
  ["global-withdraw", [...withdrawal, "--yes"]],
  ["global-wallet", ["global", "wallet"]],
  ["global-fx", ["global", "fx"]],
  ["global-fx", ["global", "fx", "--convert", "10", "--to", "USD"]],
  ["journal-list", ["journal", "list"]],
  ["journal-resume", ["journal", "resume", "--all"]],
  ["journal-prune", ["journal", "prune", "--older-than", "1"]],
  ["doctor", ["doctor"]],
  ["whoami", ["whoami"]],
];

test.each(rows)("%s: %j", async (name, argv) => {
  const result = await runCli([...argv, "--sandbox", "--json"], { home });
  expect(result.stdout, result.stderr).not.toBe("");
  expect(schemaFaults(name, JSON.parse(result.stdout))).toEqual([]);
});

const layouts: readonly (readonly [string, readonly string[]])[] = [
  ["tx-layout-list", ["list"]],
  ["tx-layout-show", ["show", "mpesa-organisation"]],
  ["tx-layout-show", ["save", "mine", "--from", orders]],
  ["tx-layout-show", ["show", "mine"]],
  ["tx-layout-show", ["remove", "mine"]],
];
test("tx layout prints what its schemas say", async () => {
  for (const [name, argv] of layouts) {
    const result = await runCli(["tx", "layout", ...argv, "--json"], { home });
    expect([result.code, schemaFaults(name, JSON.parse(result.stdout))], argv.join(" ")).toEqual([0, []]);
  }
});

test("journal-show", async () => {
  const list = JSON.parse((await runCli(["journal", "list", "--sandbox", "--json"], { home })).stdout) as { attempts: { id: string }[] };
  const shown = await runCli(["journal", "show", list.attempts[0]?.id ?? "", "--sandbox", "--json"], { home });
  expect(schemaFaults("journal-show", JSON.parse(shown.stdout))).toEqual([]);
});

const requests: readonly (readonly [string, readonly string[]])[] = [
  ["stk-request", ["stk", "--phone", "0712345678", "--amount", "150", "--reference", "R-1", "--description", "Tea", "--channel-id", "C1"]],
  ["b2c-request", ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R-2", "--remarks", "Tea", "--command-id", "SalaryPayment"]],
  ["global-collect-request", ["global", "collect", "--rail", "KE_CARD", "--amount", "25", "--currency", "USD", "--email", "payer@example.com"]],
  ["global-withdraw-request", withdrawal],
];

test.each(requests)("%s: %j", async (name, argv) => {
  const result = await runCli([...argv, "--dry-run", "--sandbox", "--json"], { home });
  const { body } = JSON.parse(result.stdout) as { body: unknown };
  expect(schemaFaults(name, body)).toEqual([]);
});
