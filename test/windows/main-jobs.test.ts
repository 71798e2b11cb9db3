import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { json, startService } from "../support/process.ts";
import { folder, runWindows, startWindows, toWindows } from "../support/windows.ts";

const done = async (args: readonly string[], options: Parameters<typeof runWindows>[1]): Promise<string> => {
  const { code, stdout, stderr } = await runWindows(args, options);
  expect([code, stderr], args.join(" ")).toEqual([0, ""]);
  return stdout;
};
const homeNamed = (name: string): string => toWindows(join(folder, name));

test("the runtime is Windows", async () => {
  const { stdout } = await runWindows([], { home: homeNamed("probe"), nodeArgs: ["-p", "process.platform"] });
  expect(stdout.trim()).toBe("win32");
});

test("a push, a payout, the guard and the journal on the embedded sandbox", async () => {
  const home = homeNamed("Wanjirũ's home");
  const paid = JSON.parse(await done(["stk", "--phone", "0712345001", "--amount", "150", "--reference", "W-1", "--wait", "--sandbox", "--json"], { home }));
  expect(paid).toMatchObject({ reference: "W-1", status: "COMPLETED" });
  const payout = ["b2c", "--phone", "0712345001", "--amount", "500", "--reference", "W-2", "--yes", "--sandbox", "--json"];
  expect(JSON.parse(await done(payout, { home }))).toMatchObject({ status: "QUEUED" });
  const again = await runWindows(payout, { home });
  expect([again.code, again.stdout]).toEqual([11, ""]);
  const { attempts } = JSON.parse(await done(["journal", "list", "--sandbox", "--json"], { home }));
  expect(attempts).toMatchObject([
    { reference: "W-2", state: "accepted" },
    { reference: "W-1", state: "accepted" },
  ]);
});

test("profiles: a key from standard input is stored, used and removed", async () => {
  const service = await startService((_, response) => json(response, 200, { success: true, providers: [], wallet: { balance: 1 } }));
  const home = homeNamed("profiles");
  await runWindows(["login", "--base-url", service.url, "--with-key", "--name", "shop"], { home, stdin: "\ufeffkey_0123456789\r\n" });
  expect(JSON.parse(await done(["whoami", "--json"], { home }))).toMatchObject({ profile: "shop", storage: "file" });
  await done(["wallet", "--json"], { home });
  expect(service.seen.at(-1)?.headers["authorization"]).toBe("Bearer key_0123456789");
  const removed = await runWindows(["profile", "remove", "shop"], { home });
  expect(removed.code).toBe(0);
  expect(JSON.parse(await done(["profile", "list", "--json"], { home }))).toEqual({ profiles: [] });
});

test("doctor claims nothing about file modes", async () => {
  const { stdout } = await runWindows(["doctor", "--sandbox", "--json"], { home: homeNamed("doctor") });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string }[] };
  expect(checks.length).toBeGreaterThan(3);
  expect(checks.filter(({ detail }) => /you alone|0600|0700/.test(detail))).toEqual([]);
});

test("reconcile reads the mini set and writes its report", async () => {
  const set = fileURLToPath(new URL("../cases/reconcile/mini/", import.meta.url));
  const expected = JSON.parse(readFileSync(join(set, "expected.json"), "utf8")) as {
    comparisons: { ours: string; theirs: string; summary: Record<string, { count: number }> }[];
  };
  const between = expected.comparisons.find(({ ours, theirs }) => ours === "orders.csv" && theirs === "statement.csv");
  const report = join(folder, "report.html");
  const args = ["tx", "reconcile", toWindows(join(set, "orders.csv")), "--against", toWindows(join(set, "statement.csv"))];
  const found = JSON.parse(await done([...args, "--report", toWindows(report), "--json"], { home: homeNamed("reconcile") }));
  const counts = (summary: Record<string, { count: number }>) => Object.fromEntries(Object.entries(summary).map(([name, { count }]) => [name, count]));
  expect(counts(found.summary)).toMatchObject(counts(between?.summary ?? {}));
  expect(readFileSync(report, "utf8")).toContain("<table");
});

test("a sandbox on a port answers, and a kill loses nothing that was answered", async () => {
  const home = homeNamed("sandbox");
  const begin = async () => {
    const running = startWindows(["sandbox", "--port", "0", "--json"], { home });
    await expect.poll(running.stdout, { timeout: 20_000 }).toMatch(/\n/);
    return { running, ready: JSON.parse(running.stdout()) as { baseUrl: string; apiKey: string } };
  };
  const first = await begin();
  const answer = await fetch(`${first.ready.baseUrl}/api/v1/merchants/payments/b2c`, {
    method: "POST",
    headers: { authorization: `Bearer ${first.ready.apiKey}`, "content-type": "application/json", "idempotency-key": "K-1" },
    body: JSON.stringify({ phone: "254712345001", amount: 100, reference: "KILLED" }),
  });
  const { transactionId } = (await answer.json()) as { transactionId: string };
  first.running.kill();
  await first.running.done;
  const second = await begin();
  const read = await fetch(`${second.ready.baseUrl}/api/v1/merchants/payments/transactions/${transactionId}`, {
    headers: { authorization: `Bearer ${second.ready.apiKey}` },
  });
  expect(await read.json()).toMatchObject({ id: transactionId, reference: "KILLED" });
  second.running.kill();
  await second.running.done;
});

test("a batch killed twice pays each row once, and its result file has every row", async () => {
  const rows = 60;
  const payments = new Map<string, string>();
  const service = await startService((seen, response) => {
    if (seen.method === "GET") {
      json(response, 200, { wallet: { balance: 1, b2cBalance: 1 } });
      return;
    }
    const key = String(seen.headers["idempotency-key"]);
    if (!payments.has(key)) payments.set(key, (JSON.parse(seen.body) as { reference: string }).reference);
    setTimeout(() => json(response, 200, { transactionId: `T-${key}`, status: "QUEUED" }), 40);
  });
  const file = join(folder, "pay.csv");
  const lines = Array.from({ length: rows }, (_, row) => `07${String(10_000_000 + row)},${10 + row},R-${row}`);
  writeFileSync(file, `phone,amount,reference\r\n${lines.join("\r\n")}\r\n`);
  const options = { home: homeNamed("batch"), env: { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url } };
  const args = ["b2c", "batch", toWindows(file), "--yes", "--json"];
  for (const paid of [15, 40]) {
    const running = startWindows(args, options);
    await expect.poll(() => payments.size, { timeout: 30_000, interval: 10 }).toBeGreaterThanOrEqual(paid);
    running.kill();
    await running.done;
    expect(payments.size).toBeLessThan(rows);
  }
  const { summary } = JSON.parse(await done(args, options)) as { summary: object };
  expect(summary).toMatchObject({ rows, accepted: rows });
  expect([...payments.values()].sort()).toEqual(lines.map((_, row) => `R-${row}`).sort());
  expect(readFileSync(`${file}.result.csv`, "utf8").trim().split(/\r?\n/)).toHaveLength(rows + 1);
});
