import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/commands/b2c/batch.ts";
import { b2cBatchSpec } from "../../src/commands/b2c/spec.ts";
import { CliError, type ErrorKind } from "../../src/errors.ts";
import { openJournal } from "../../src/journal/journal.ts";
import type { Context } from "../../src/ports.ts";
import { createModelService, type Fault, faults, type ModelPayment } from "../support/model-service.ts";
import { createPaymentContext, createRandom, randomFrom } from "../support/payment-context.ts";
import { typedInput } from "../support/typed-input.ts";
import { createProcess, createTime, createWatch, shelf } from "./processes.ts";

const hourMs = 3_600_000;
type End = "killed" | "well" | ErrorKind;

/**
 * A payout file of a few rows, run again and again over a bad network by processes that die between any two steps, run twice
 * at once, on a clock that jumps, with a result file that is cut by hand. All follows from the seed but the order in which two
 * processes reach the disk.
 */
const createBatchWorld = async (seed: number) => {
  const fraction = createRandom(seed);
  const chance = (odds: number): boolean => fraction() < odds;
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(fraction() * items.length)];
  const time = createTime(Date.UTC(2026, 2, 1), fraction);
  const folder = mkdtempSync(join(shelf, "payments-batch-simulation-"));
  const clock = { now: () => time.state.trueMs + time.state.offsetMs, monotonic: () => time.state.trueMs, sleep: (ms: number) => time.sleep(ms) };
  const journal = await openJournal({ dataFolder: folder, clock });
  let faultOdds = 0.3;
  const service = createModelService({ now: () => time.state.trueMs, fault: () => (chance(faultOdds) ? pick<Fault>(faults) : undefined) });
  const rows = 2 + Math.floor(fraction() * 5);
  const file = join(folder, "pay.csv");
  const result = `${file}.result.csv`;
  writeFileSync(file, `phone,amount,reference\n${Array.from({ length: rows }, (_, row) => `071234500${row},${10 + row},R-${row}\n`).join("")}`);
  const watch = createWatch();

  const runOnce = async (flags: Readonly<Record<string, boolean | string>>, killOdds: number): Promise<End> => {
    const slow = async (): Promise<void> => (chance(0.3) ? await time.sleep(fraction() * 2_000) : undefined);
    const process = createProcess({
      dies: () => chance(killOdds),
      stops: () => (chance(killOdds / 10) ? fraction() * 20 * hourMs : 0),
      journal: await openJournal({ dataFolder: folder, clock }),
      transport: service.transport,
      watch,
      clock,
      slow,
    });
    const context: Context = createPaymentContext({
      ...process,
      random: randomFrom(fraction),
      flags: { yes: true, output: "json", retries: Math.floor(fraction() * 3) },
    });
    const end = run(typedInput(b2cBatchSpec, flags, [file], ["b2c", "batch", file]), context).then(
      (outcome) => outcome.verdict?.()?.kind ?? "well",
      (error: unknown) => {
        if (error instanceof CliError) return error.kind;
        throw error;
      },
    );
    return await Promise.race([end, process.dead]).finally(() => process.journal.dispose());
  };

  const act = async (): Promise<void> => {
    const dice = fraction();
    const flags =
      pick<Readonly<Record<string, boolean | string>>>([{}, {}, {}, { resume: true }, { "retry-failed": true }, { "new-run": true }, { wait: "5" }]) ?? {};
    if (dice < 0.6) await Promise.all([runOnce(flags, 0.02), ...(chance(0.3) ? [runOnce({}, 0.02)] : [])]);
    else if (dice < 0.7) {
      time.state.offsetMs = 0;
      time.state.trueMs += chance(0.3) ? 25 * hourMs : 60_000;
    } else if (dice < 0.78) {
      // Set back behind what the journal has just seen. (What it has not seen nobody can know.)
      time.state.trueMs += 25 * hourMs;
      await journal.setStatus("nobody", "");
      time.state.offsetMs = -Math.floor(fraction() * 40) * hourMs;
    } else if (dice < 0.88) {
      // What a killed process had under way comes to its end before a person has the file open.
      for (let turns = 0; turns < 50; turns++) await new Promise<void>((done) => setImmediate(done));
      if (existsSync(result)) truncateSync(result, Math.floor(fraction() * statSync(result).size));
    } else {
      const payment = pick(service.payments);
      if (payment?.status === "QUEUED") payment.status = chance(0.7) ? "COMPLETED" : "FAILED";
    }
  };

  return {
    service,
    rows,
    result,
    seen: watch.seen,
    act: async () => {
      for (let steps = 5 + Math.floor(fraction() * 8); steps > 0; steps--) await act();
    },
    /** At last the network is well again, and so is the clock. */
    end: async () => {
      faultOdds = 0;
      time.state.offsetMs = 0;
      await time.sleep(1);
      const ends = [await runOnce({ resume: true }, 0), await runOnce({ "retry-failed": true }, 0), await runOnce({ resume: true }, 0), await runOnce({}, 0)];
      return { ends, attempts: await journal.list({}) };
    },
    dispose: () => {
      journal.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const faultsIn = async (world: Awaited<ReturnType<typeof createBatchWorld>>): Promise<readonly string[]> => {
  await world.act();
  const { ends, attempts } = await world.end();
  const found: string[] = [...world.seen];
  const { payments } = world.service;
  const stands = ({ status }: ModelPayment): boolean => status !== "FAILED";
  const lines = readFileSync(world.result, "utf8")
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
  if (lines.length !== world.rows) found.push(`the result has ${lines.length} of ${world.rows} rows`);
  for (let row = 1; row <= world.rows; row++) {
    const paid = payments.filter(({ reference }) => reference === `R-${row - 1}`);
    if (paid.filter(stands).length > 1) found.push(`row ${row}: paid ${paid.filter(stands).length} times`);
    const [, state = "", id] = lines[row - 1] ?? [];
    if (state !== "accepted" && state !== "unknown") found.push(`row ${row}: ${state} at the end`);
    if (state === "accepted" && !paid.some((payment) => payment.id === id)) found.push(`row ${row}: accepted as ${id}, which does not exist`);
    if (state === "accepted" && paid.some(stands) && !paid.some((payment) => payment.id === id && stands(payment)))
      found.push(`row ${row}: shown as ${id}, which ended unpaid, though another payment of it stands`);
  }
  for (const { key, id } of payments) {
    const attempt = attempts.find(({ idempotencyKey }) => idempotencyKey === key);
    if (attempt === undefined || attempt.state === "refused") found.push(`${id}: the journal says ${attempt?.state ?? "nothing"}`);
  }
  const hasUnknown = lines.some(([, state]) => state === "unknown");
  if (!hasUnknown && (ends[2] !== "well" || ends[3] !== "duplicate")) found.push(`the last runs end ${ends.join(", ")}`);
  return found;
};

test("60 seeds of a batch: no row is paid twice, none is lost, and the result has them all", { timeout: 600_000 }, async () => {
  const replay = process.env["PAYMENTS_SEED"];
  const count = Number(process.env["PAYMENTS_SEEDS"] ?? "60");
  for (const seed of replay === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(replay)]) {
    const world = await createBatchWorld(seed);
    try {
      expect(await faultsIn(world), `PAYMENTS_SEED=${seed} replays it`).toEqual([]);
    } finally {
      world.dispose();
    }
  }
});
