import { readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHome } from "../../support/ends.ts";
import { json, runBinary, startBinary, startService } from "../../support/process.ts";

const home = createHome();

const rows = 12;
const references = Array.from({ length: rows }, (_, row) => `R-${row}`);

/** Pays once a key, and calls `onPaid` for each new payment, before and after it is answered. */
const startPaying = async (onPaid: (count: number, when: "before" | "after") => void) => {
  const payments = new Map<string, { readonly id: string; readonly reference: string }>();
  const service = await startService((seen, response) => {
    if (seen.method === "GET") return json(response, 200, { wallet: {} });
    const key = String(seen.headers["idempotency-key"]);
    const isNew = !payments.has(key);
    const payment = payments.get(key) ?? { id: `T-${payments.size + 1}`, reference: (JSON.parse(seen.body) as { reference: string }).reference };
    payments.set(key, payment);
    if (isNew) onPaid(payments.size, "before");
    response.once("finish", () => (isNew ? onPaid(payments.size, "after") : undefined));
    json(response, 200, { transactionId: payment.id, status: "QUEUED" });
  });
  return { payments, env: { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url } };
};

const writeRows = (name: string): string => {
  const file = join(home, name);
  writeFileSync(file, `phone,amount,reference\n${references.map((reference, row) => `07${10_000_000 + row},10,${reference}`).join("\n")}\n`);
  return file;
};
const idsOf = (file: string): readonly (string | undefined)[] =>
  readFileSync(`${file}.result.csv`, "utf8")
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[2]);

describe("a batch killed with SIGKILL", () => {
  test.each([
    [1, "before"],
    [1, "after"],
    [5, "before"],
    [5, "after"],
    [rows, "before"],
    [rows, "after"],
  ] as const)("at payment %i, %s its answer, pays each row once and has a whole result when it is run again", async (at, when) => {
    let kill: (() => void) | undefined;
    const { payments, env } = await startPaying((count, moment) => {
      if (count === at && moment === when) kill?.();
    });
    const file = writeRows(`${at}-${when}.csv`);
    const args = ["b2c", "batch", file, "--yes", "--json", "--concurrency", "2"];
    const running = startBinary(args, { home, env });
    kill = () => running.kill("SIGKILL");
    await running;
    kill = undefined;
    const again = await runBinary(args, { home, env });
    // One that was killed with all its rows written is finished.
    expect([0, 11], again.stderr).toContain(again.code);
    const ids = references.map((reference) => [...payments.values()].find((payment) => payment.reference === reference)?.id);
    expect(payments.size).toBe(rows);
    expect(idsOf(file)).toEqual(ids);
    if (again.code === 0)
      expect((JSON.parse(again.stdout) as { rows: { transactionId: string }[] }).rows.map(({ transactionId }) => transactionId)).toEqual(ids);
  });

  test("while it waits for the end of its payouts has their transactions in the result", async () => {
    let waits: (() => void) | undefined;
    const reading = new Promise<void>((done) => {
      waits = done;
    });
    const payments: string[] = [];
    const service = await startService((seen, response) => {
      if (seen.method === "POST") {
        payments.push(seen.body);
        json(response, 200, { transactionId: `T-${payments.length}`, status: "QUEUED" });
      } else {
        if (seen.url.includes("/transactions/")) waits?.();
        json(response, 404, {});
      }
    });
    const env = { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url };
    const file = writeRows("waiting.csv");
    const running = startBinary(["b2c", "batch", file, "--yes", "--wait", "60"], { home, env });
    await reading;
    running.kill("SIGKILL");
    await running;
    expect(new Set(idsOf(file)).size).toBe(rows);
    const again = await runBinary(["b2c", "batch", file, "--yes", "--json"], { home, env });
    expect([again.code, payments.length]).toEqual([11, rows]);
  });
});

test("a second process on a batch ends at once with 11, and so does one that runs the same rows under another name", async () => {
  const held: ServerResponse[] = [];
  let begun: (() => void) | undefined;
  const first = new Promise<void>((done) => {
    begun = done;
  });
  const service = await startService((seen, response) => {
    if (seen.method === "GET") return json(response, 200, { wallet: {} });
    held.push(response);
    begun?.();
  });
  const env = { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url };
  const file = writeRows("twice.csv");
  const running = startBinary(["b2c", "batch", file, "--yes", "--json", "--concurrency", "1"], { home, env });
  await first;
  for (const name of ["twice.csv", "twice-again.csv"]) {
    const second = await runBinary(["b2c", "batch", writeRows(name), "--yes", "--json"], { home, env });
    expect([second.code, second.stdout]).toEqual([11, ""]);
  }
  expect(held).toHaveLength(1);
  running.kill("SIGKILL");
  await running;
});
