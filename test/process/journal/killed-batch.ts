import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { logins, type Server } from "../../support/postgres.ts";
import { startBinary } from "../../support/process.ts";
import { startModel } from "./model.ts";

export const batchFile = (folder: string, rows: number): string => {
  const file = join(folder, "pay.csv");
  const lines = Array.from({ length: rows }, (_row, at) => `0712${String(at).padStart(6, "0")},100,R-${at}\n`);
  writeFileSync(file, `phone,amount,reference\n${lines.join("")}`);
  return file;
};
const runningElsewhere = 11;

/** One payout file, killed so many times on two machines in turn, each after a few of its payments, and then run to its end: each row is paid once. */
export const killSharedBatch = async (server: Server, kills: number, random: () => number): Promise<void> => {
  const rows = kills * 12;
  const admin = await server.createJournal();
  const model = await startModel(5);
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), "payments-team-")));
  try {
    const files = folders.map((folder) => batchFile(folder, rows));
    const start = (machine: number) =>
      startBinary(["b2c", "batch", files[machine] ?? "", "--yes", "--json", "--concurrency", "4"], {
        home: folders[machine] ?? "",
        env: { ...model.env, PAYMENTS_JOURNAL_URL: server.as(admin, machine === 0 ? logins.maker : logins.maker2) },
      });
    for (let kill = 0; kill < kills; kill += 1) {
      const until = model.counts.creations + 1 + Math.floor(random() * 6);
      const run = start(kill % 2);
      let hasEnded = false;
      const ended = run.then((end) => {
        hasEnded = true;
        return end;
      });
      // Each creation comes after the one before: the loop ends with the run at the latest.
      while (model.counts.creations < until && !hasEnded) await Promise.race([model.nextCreate(), ended]);
      run.kill("SIGKILL");
      const { exitCode, stderr } = await ended;
      // The server may not have seen yet that the one before has ended.
      if (exitCode === runningElsewhere) kill -= 1;
      else expect(exitCode, String(stderr)).toBeUndefined();
    }
    let last = await start(0);
    while (last.exitCode === runningElsewhere) last = await start(0);
    expect([last.exitCode, last.stderr]).toEqual([0, ""]);
    const references = [...model.payments.values()].map(({ reference }) => reference);
    expect(new Set(references).size).toBe(rows);
    expect(references).toHaveLength(rows);
    const attempts = await server.query(admin, "SELECT state, count(*)::int AS count FROM payments.attempts GROUP BY state");
    expect(attempts).toEqual([{ state: "accepted", count: rows }]);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
};
