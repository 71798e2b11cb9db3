import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runBinary, startBinary } from "../../support/process.ts";
import { startModel } from "./model.ts";

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});
const createHome = (): string => {
  const home = mkdtempSync(join(tmpdir(), "payments-kill-"));
  homes.push(home);
  return home;
};

type Listed = { attempts: { id: string; state: string; idempotencyKey: string; transactionId?: string }[] };
const b2c = (reference: string) => ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", reference, "--yes", "--json"];

test("killed while it waits for the answer: the attempt is there with its key, and resume pays once (reports.md, D2)", async () => {
  const home = createHome();
  const model = await startModel(60_000);
  const created = model.nextCreate();
  const running = startBinary(b2c("D2"), { home, env: model.env });
  const key = (await created).headers["idempotency-key"];
  running.kill("SIGKILL");
  await running;
  const list = await runBinary(["journal", "list", "--json"], { home });
  const [attempt] = (JSON.parse(list.stdout) as Listed).attempts;
  expect(attempt).toMatchObject({ state: "started", idempotencyKey: key });
  expect((await runBinary(b2c("D2"), { home, env: model.env })).code).toBe(11);
  const resumed = await runBinary(["journal", "resume", "--all", "--yes", "--json"], { home, env: model.env });
  expect([resumed.code, resumed.stderr]).toEqual([0, ""]);
  expect((JSON.parse(resumed.stdout) as Listed).attempts).toMatchObject([{ id: attempt?.id, state: "accepted", transactionId: "T-1" }]);
  expect(model.payments.size).toBe(1);
});

test("killed at many moments, then resumed and run again: one payment each", async () => {
  const home = createHome();
  const model = await startModel(100);
  const moments = [60, 120, 180, 240, 300, 400];
  for (const [index, ms] of moments.entries()) {
    const running = startBinary(b2c(`K-${index}`), { home, env: model.env });
    setTimeout(() => running.kill("SIGKILL"), ms);
    await running;
  }
  const resumed = await runBinary(["journal", "resume", "--all", "--yes", "--json"], { home, env: model.env });
  expect([resumed.code, resumed.stderr]).toEqual([0, ""]);
  for (const index of moments.keys()) expect([0, 11]).toContain((await runBinary(b2c(`K-${index}`), { home, env: model.env })).code);
  const references = [...model.payments.values()].map(({ reference }) => reference).sort();
  expect(references).toEqual(moments.map((_, index) => `K-${index}`).sort());
  const { attempts } = JSON.parse((await runBinary(["journal", "list", "--json"], { home })).stdout) as Listed;
  expect(new Set(attempts.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set(model.payments.keys()));
  expect(attempts.every(({ state }) => state === "accepted")).toBe(true);
});

test("SIGTERM in flight: waits a little, then 9 with the command that settles it", async () => {
  const home = createHome();
  const model = await startModel(60_000);
  const created = model.nextCreate();
  const running = startBinary(b2c("S"), { home, env: model.env });
  await created;
  running.kill("SIGTERM");
  const { exitCode, stdout, stderr } = await running;
  expect([exitCode, stdout]).toEqual([9, ""]);
  expect(JSON.parse(String(stderr)).error).toMatchObject({ kind: "outcome-unknown", hint: expect.stringContaining("payments-cli journal resume") });
});
