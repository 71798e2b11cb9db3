import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome } from "../../support/ends.ts";
import { json, runBinary, startBinary, startService } from "../../support/process.ts";

const home = createHome();

const rows = 120;
const file = join(home, "pay.csv");
const lines = Array.from({ length: rows }, (_, row) => `07${String(10_000_000 + row)},${10 + row},R-${row}`);
type Listed = { attempts: { state: string; idempotencyKey: string }[] };

/** Every seventh creation is made, and its answer cut off. */
const startModel = async () => {
  const payments = new Map<string, { id: string; reference: string }>();
  let count = 0;
  const network = { isBad: true };
  const service = await startService((seen, response) => {
    if (seen.method === "GET") {
      json(response, 200, { wallet: { balance: 1, b2cBalance: 1 } });
      return;
    }
    const key = String(seen.headers["idempotency-key"]);
    const payment = payments.get(key) ?? { id: `T-${payments.size + 1}`, reference: (JSON.parse(seen.body) as { reference: string }).reference };
    payments.set(key, payment);
    count += 1;
    if (network.isBad && count % 7 === 0) response.destroy();
    else setTimeout(() => json(response, 200, { transactionId: payment.id, status: "QUEUED" }), 15);
  });
  return { payments, network, env: { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url } };
};

test("a batch killed again and again, by two processes at once too: each row is paid once, and the result has them all", async () => {
  const { payments, network, env } = await startModel();
  writeFileSync(file, `phone,amount,reference\n${lines.join("\n")}\n`);
  const args = ["b2c", "batch", file, "--yes", "--json", "--retries", "1"];
  for (const [ms, signal, processes] of [
    [350, "SIGKILL", 1],
    [450, "SIGKILL", 2],
    [400, "SIGTERM", 1],
  ] as const) {
    const running = Array.from({ length: processes }, () => startBinary(args, { home, env }));
    setTimeout(() => {
      for (const one of running) one.kill(signal);
    }, ms);
    await Promise.all(running);
  }
  network.isBad = false;
  const last = await runBinary(args, { home, env });
  // A run that had ended before it could be killed is told as paid already.
  expect([0, 11], last.stderr).toContain(last.code);
  if (last.code === 0) expect(last.stderr).toBe("");
  expect([...payments.values()].map(({ reference }) => reference).sort()).toEqual(lines.map((_, row) => `R-${row}`).sort());
  const { attempts } = JSON.parse((await runBinary(["journal", "list", "--json", "--limit", "1000"], { home, env })).stdout) as Listed;
  const accepted = attempts.filter(({ state }) => state === "accepted").map(({ idempotencyKey }) => idempotencyKey);
  expect(accepted.sort()).toEqual([...payments.keys()].sort());
  expect(readFileSync(`${file}.result.csv`, "utf8").trim().split("\n")).toHaveLength(rows + 1);
});
