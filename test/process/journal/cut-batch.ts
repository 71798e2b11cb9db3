import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { logins, startPostgres } from "../../support/postgres.ts";
import { startBinary } from "../../support/process.ts";
import { startProxy } from "./database-proxy.ts";
import { batchFile } from "./killed-batch.ts";
import { startModel } from "./model.ts";

export type Cut = "stopped" | "killed" | "disconnected" | "silent";

/**
 * One payout file over a shared journal whose database goes away so many times, in these ways in turn, each after a few payments, and
 * comes back. Each row is paid once, and at each moment the journal knows every payment that the service has.
 */
export const cutSharedBatch = async (cuts: number, ways: readonly Cut[], random: () => number): Promise<void> => {
  const server = await startPostgres();
  const home = mkdtempSync(join(tmpdir(), "payments-cut-"));
  const model = await startModel(5);
  const admin = await server.createJournal();
  const [, database = ""] = /@(\/\w+)/.exec(admin) ?? [];
  const rows = cuts * 12;
  const batch = ["b2c", "batch", batchFile(home, rows), "--yes", "--json", "--concurrency", "4"];
  const run = (port: number) =>
    startBinary(batch, { home, env: { ...model.env, PAYMENTS_JOURNAL_URL: `postgresql://${logins.maker}@127.0.0.1:${port}${database}` }, timeoutMs: 120_000 });
  try {
    for (let cut = 0; cut < cuts; cut += 1) {
      const proxy = await startProxy(server.folder);
      const until = model.counts.creations + 1 + Math.floor(random() * 6);
      const running = run(proxy.port);
      let hasEnded = false;
      const ended = running.then((end) => {
        hasEnded = true;
        return end;
      });
      while (model.counts.creations < until && !hasEnded) await Promise.race([model.nextCreate(), ended]);
      const way = ways[cut % ways.length];
      if (way === "stopped") server.stop("fast");
      if (way === "killed") server.stop("immediate");
      if (way === "disconnected") proxy.disconnect();
      if (way === "silent") proxy.silence();
      const { exitCode, stdout, stderr } = await ended;
      proxy.close();
      if (way === "stopped" || way === "killed") server.start();
      // 11: the server may not have seen yet that the run before has ended.
      if (exitCode === 11) cut -= 1;
      else expect([2, 13], `${String(way)}: ${String(stdout)} ${String(stderr)}`).toContain(exitCode);
      const known = new Set((await server.query(admin, "SELECT idempotency_key FROM payments.attempts")).map((row) => row["idempotency_key"]));
      expect([...model.payments.keys()].filter((key) => !known.has(key))).toEqual([]);
    }
    const proxy = await startProxy(server.folder);
    let last = await run(proxy.port);
    while (last.exitCode === 11) last = await run(proxy.port);
    proxy.close();
    expect([last.exitCode, last.stderr]).toEqual([0, ""]);
    expect([...model.payments.values()].map(({ reference }) => reference).toSorted()).toEqual(Array.from({ length: rows }, (_row, at) => `R-${at}`).toSorted());
    const attempts = await server.query(admin, "SELECT state, count(*)::int AS count FROM payments.attempts GROUP BY state");
    expect(attempts).toEqual([{ state: "accepted", count: rows }]);
  } finally {
    await server.dispose();
    rmSync(home, { recursive: true, force: true });
  }
};
