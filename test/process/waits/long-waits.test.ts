import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome } from "../../support/ends.ts";
import { json, type LoopbackService, startBinary, startService } from "../../support/process.ts";

const root = createHome();

const local = ["--phone", "0712345678", "--amount", "10", "--reference", "W-1"];
const batch = join(root, "payouts.csv");
writeFileSync(batch, "phone,amount,reference\n0712345678,100,P-1\n0712345679,100,P-2\n0712345670,100,P-3\n");

/** Runs until Ctrl-C, which comes when the service has seen so many requests, or so long after. */
const interruptedAfter = async (args: readonly string[], service: LoopbackService, requests: number, laterMs = 0) => {
  const env = { PAYMENTS_API_KEY: "test_key_0123456789abcdef", PAYMENTS_BASE_URL: service.url };
  const child = startBinary(args, { home: createHome(), env, timeoutMs: 60_000 });
  const seen = setInterval(() => {
    if (service.seen.length < requests) return;
    clearInterval(seen);
    setTimeout(() => child.kill("SIGINT"), laterMs);
  }, 20);
  const { exitCode, stderr } = await child;
  clearInterval(seen);
  const [line = ""] = stderr.split("\n");
  return { exitCode, error: JSON.parse(line).error, lines: stderr.trimEnd().split("\n").length };
};

describe.concurrent("R2-47: a wait longer than a timer of the runtime", () => {
  it.each([
    ["wallet", ["wallet"], 503, 130, "interrupted"],
    ["stk", ["stk", ...local], 503, 9, "outcome-unknown"],
    ["b2c batch", ["b2c", "batch", batch, "--yes"], 429, 13, "batch-incomplete"],
  ] as const)("R2-47: %s leaves the service alone for the month it asks for, and ends on Ctrl-C", async (_, args, status, exitCode, kind) => {
    const service = await startService((_seen, response) => json(response, status, {}, { "retry-after": "2592000" }));
    const ended = await interruptedAfter([...args, "--timeout", "86400", "--retries", "100", "--json"], service, 1, 3_000);
    expect(ended).toMatchObject({ exitCode, lines: 1, error: { kind } });
    expect(service.seen).toHaveLength(1);
  });

  it.each(["999999", "3000000"])("R2-47: --wait %s looks after 1, 2, 3 and 5 s, and ends on Ctrl-C with the payment still open", async (seconds) => {
    const atMs: number[] = [];
    const service = await startService((_seen, response) => {
      atMs.push(performance.now());
      json(response, 200, { transactionId: "T1", id: "T1", status: "SENT" });
    });
    const ended = await interruptedAfter(["stk", ...local, "--wait", seconds, "--json"], service, 3, 500);
    expect(ended).toMatchObject({ exitCode: 8, lines: 1, error: { kind: "pending", sent: "yes" } });
    expect(service.seen.map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
    // A timer of too many milliseconds fires at once. Each look comes a second or more after what was before it, however slow the computer is.
    const [sent = 0, first = 0, second = 0] = atMs;
    expect(first - sent).toBeGreaterThan(900);
    expect(second - first).toBeGreaterThan(900);
  });
});
