import { expect, test } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";

test("tx list and tx find show phone, time, receipt and direction of what the mirror knows; --json stays the service's", async () => {
  const home = createHome();
  const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
  const run = (...argv: string[]) => runCli([...argv, "--sandbox"], { home, clock });
  await run("stk", "--phone", "0712345000", "--amount", "150", "--reference", "INV-1", "--wait");
  await run("b2c", "--phone", "0722000001", "--amount", "500", "--reference", "INV-1", "--wait", "--yes");
  expect((await run("tx", "list", "--flow", "all")).stdout).not.toContain("PHONE");
  await run("tx", "sync");
  for (const argv of [
    ["tx", "list", "--flow", "all"],
    ["tx", "find", "INV-1"],
  ]) {
    const { stdout } = await run(...argv);
    expect(stdout.split("\n")[0]).toMatch(/^ID +TIME \(GMT\+3\) +IN\/OUT +REFERENCE +PHONE +AMOUNT +STATUS +RECEIPT$/);
    expect(stdout).toMatch(/2026-03-01 11:00:\d\d +out +INV-1 +254722000001 +KES 500.00 +COMPLETED +[A-Z0-9]{10}\n/);
    expect(stdout).toMatch(/2026-03-01 11:00:\d\d +in +INV-1 +254712345000 +KES 150.00 +COMPLETED +[A-Z0-9]{10}\n/);
  }
  const { stdout } = await run("tx", "list", "--json");
  expect(JSON.parse(stdout).transactions).toEqual([{ id: expect.any(String), reference: "INV-1", amount: 150, status: "COMPLETED" }]);
});
