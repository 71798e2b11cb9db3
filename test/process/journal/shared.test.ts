import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRandom } from "../../support/payment-context.ts";
import { hasPostgres, logins, type Server, startPostgres } from "../../support/postgres.ts";
import { runBinary, startBinary } from "../../support/process.ts";
import { cutSharedBatch } from "./cut-batch.ts";
import { startProxy } from "./database-proxy.ts";
import { batchFile, killSharedBatch } from "./killed-batch.ts";
import { startModel } from "./model.ts";

let server: Server;
const home = mkdtempSync(join(tmpdir(), "payments-shared-"));
beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
});
afterAll(async () => {
  if (hasPostgres) await server.dispose();
  rmSync(home, { recursive: true, force: true });
});

describe.skipIf(!hasPostgres)("a batch over a shared journal", () => {
  test("killed 20 times on two machines in turn: each row is paid once", { timeout: 300_000 }, () => killSharedBatch(server, 20, createRandom(1)));

  test("whose database is stopped, killed and cut off: each row is paid once, and the journal knows all that was paid", { timeout: 300_000 }, () =>
    cutSharedBatch(3, ["stopped", "killed", "disconnected"], createRandom(3)),
  );

  test("whose database falls silent stops sending, ends with 13 within its 15 s, and goes on later", { timeout: 180_000 }, async () => {
    const rows = 60;
    const file = batchFile(home, rows);
    const admin = await server.createJournal();
    const model = await startModel(20);
    const proxy = await startProxy(server.folder);
    const [, database = ""] = /@(\/\w+)/.exec(admin) ?? [];
    const batch = ["b2c", "batch", file, "--yes", "--json", "--concurrency", "2"];
    const running = startBinary(batch, {
      home,
      env: { ...model.env, PAYMENTS_JOURNAL_URL: `postgresql://${logins.maker}@127.0.0.1:${proxy.port}${database}` },
    });
    while (model.counts.creations < 5) await model.nextCreate();
    proxy.silence();
    const silentAtMs = performance.now();
    const sentBefore = model.counts.creations;
    const { exitCode, stdout, stderr } = await running;
    const tookMs = performance.now() - silentAtMs;
    expect([exitCode, JSON.parse(String(stderr)).error.kind]).toEqual([13, "batch-incomplete"]);
    expect(tookMs).toBeGreaterThan(10_000);
    // Without a limit of its own it would wait for as long as the system keeps a silent connection: minutes.
    expect(tookMs).toBeLessThan(60_000);
    // What had its last look before may still have left.
    expect(model.counts.creations - sentBefore).toBeLessThanOrEqual(2);
    const { summary } = JSON.parse(String(stdout));
    expect(summary.notSent).toBeGreaterThan(0);
    expect(summary.accepted + summary.unknown).toBe(model.counts.creations);
    proxy.close();
    const env = { ...model.env, PAYMENTS_JOURNAL_URL: server.as(admin, logins.maker2) };
    let again = await runBinary(batch, { home, env });
    while (again.code === 11) again = await runBinary(batch, { home, env });
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect([...model.payments.values()].map(({ reference }) => reference).toSorted()).toEqual(Array.from({ length: rows }, (_row, at) => `R-${at}`).toSorted());
  });
});
