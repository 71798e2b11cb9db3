import { expect, test } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { schemaFaults } from "../../support/schemas.ts";
import { withdrawal } from "../../support/withdrawal.ts";

const home = createHome();
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
