import { expect, test } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const pays: Service = () => ({ body: { transactionId: "T-1", status: "QUEUED" } });

test("journal show and resume take the beginning of an id, as journal list shows it on a narrow terminal", async () => {
  const home = createHome();
  await runCli(["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "A", "--yes"], { home, service: pays });
  const listed = await runCli(["journal", "list"], { home, width: 80, terminal: true, env: { NO_COLOR: "1" } });
  const [prefix = ""] = /^[0-9a-f-]{8,}(?= )/m.exec(listed.stdout) ?? [];
  expect(prefix).toHaveLength(8);
  const shown = await runCli(["journal", "show", prefix, "--json"], { home });
  expect([shown.code, JSON.parse(shown.stdout).reference]).toEqual([0, "A"]);
  expect((await runCli(["journal", "resume", prefix, "--json"], { home, service: pays })).code).toBe(0);
  expect((await runCli(["journal", "show", prefix.slice(0, 3)], { home })).code).toBe(4);
});
