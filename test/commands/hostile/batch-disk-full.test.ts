import { closeSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

/** Takes the result file away from under the program: what it writes from then on fails, as on a full disk. */
const breakFile = (path: string): void => {
  const descriptor = readdirSync("/proc/self/fd").find((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === path;
    } catch {
      return false;
    }
  });
  if (descriptor !== undefined) closeSync(Number(descriptor));
};

test.runIf(existsSync("/proc/self/fd"))(
  "a batch whose result file can no longer be written stops, tells what is paid, and pays the rest when run again",
  async () => {
    const home = createHome();
    const file = join(home, "pay.csv");
    writeFileSync(file, `phone,amount,reference\n${Array.from({ length: 200 }, (_, row) => `07${10_000_000 + row},10,R-${row}`).join("\n")}\n`);
    const keys = new Map<string, string>();
    let breaks = true;
    const service: Service = ({ method, body, headers }) => {
      if (method !== "POST") return { body: { wallet: {} } };
      const { reference } = JSON.parse(body);
      expect(keys.get(reference) ?? headers["idempotency-key"]).toBe(headers["idempotency-key"]);
      keys.set(reference, String(headers["idempotency-key"]));
      if (breaks && keys.size === 20) breakFile(`${file}.result.csv`);
      return { body: { transactionId: `T-${reference}`, status: "QUEUED" } };
    };
    const batch = () => runCli(["b2c", "batch", file, "--yes", "--json"], { home, service });
    const first = await batch();
    const { summary } = JSON.parse(first.stdout);
    expect([first.code, JSON.parse(first.stderr).error]).toEqual([
      13,
      expect.objectContaining({ kind: "batch-incomplete", sent: "yes", message: expect.stringContaining("cannot be written") }),
    ]);
    expect([summary.accepted, summary.notSent > 0, summary.unknown, keys.size]).toEqual([keys.size, true, 0, summary.accepted]);
    breaks = false;
    const second = await batch();
    expect([second.code, keys.size]).toEqual([0, 200]);
    expect(readFileSync(`${file}.result.csv`, "utf8").trim().split("\n")).toHaveLength(201);
  },
);
