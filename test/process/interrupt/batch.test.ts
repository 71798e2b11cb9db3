import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome } from "../../support/ends.ts";
import { json, startBinary, startService } from "../../support/process.ts";

const home = createHome();

test("SIGTERM with many rows in flight: they are waited for, nothing is taken for a leak, and the other rows are reported as not sent", async () => {
  const file = join(home, "pay.csv");
  writeFileSync(file, `phone,amount,reference\n${Array.from({ length: 400 }, (_, row) => `07${10_000_000 + row},10,R-${row}`).join("\n")}\n`);
  const held: (() => void)[] = [];
  let sent = 0;
  let all = (): void => undefined;
  const full = new Promise<void>((resolve) => {
    all = resolve;
  });
  const service = await startService(({ method }, response) => {
    if (method !== "POST") return json(response, 200, { wallet: {} });
    sent++;
    const answer = (): void => json(response, 200, { transactionId: `T-${sent}`, status: "QUEUED" });
    // Each of the first answers lets one more row in.
    if (sent < 40) answer();
    else held.push(answer);
    if (held.length === 40) all();
  });
  const env = { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url };
  const running = startBinary(["b2c", "batch", file, "--yes", "--json", "--concurrency", "40"], { home, env });
  await full;
  running.kill("SIGTERM");
  setTimeout(() => {
    for (const answer of held) answer();
  }, 300);
  const { exitCode, stderr, stdout } = await running;
  expect([exitCode, held.length]).toEqual([13, 40]);
  expect(JSON.parse(String(stderr)).error).toMatchObject({ kind: "batch-incomplete", sent: "yes" });
  expect(JSON.parse(String(stdout)).summary).toMatchObject({ rows: 400, accepted: 79, notSent: 321, unknown: 0 });
});
