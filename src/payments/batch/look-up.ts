import { CliError } from "../../errors.ts";
import type { Context } from "../../ports.ts";
import { secondLookMs } from "../../service/retry.ts";
import { classifyStatus } from "../../transactions/status.ts";
import { readStatus } from "../guard.ts";
import { hasEndedUnpaid, type KnownRow } from "./find-run.ts";

export type LookUpOptions = {
  readonly concurrency: number;
  /** Stops after so many ms, or at the first answer that cannot be read: the rest is then as it was last seen. Absent: such an answer is thrown. */
  readonly patienceMs?: number;
};
type Deps = Pick<Context, "client" | "clock" | "signal" | "journal">;
export type KnownRows = ReadonlyMap<number, KnownRow>;

/** The same rows with the status that the service gives them at this moment. Rows that were not accepted, or were seen paid, are not asked for. */
export const lookUpRows = async (rows: KnownRows, options: LookUpOptions, context: Deps): Promise<KnownRows> => {
  const wanted = [...rows.values()].filter(({ state, transactionId, status }) => state === "accepted" && transactionId !== undefined && !isPaid(status));
  return await readRows(rows, wanted, options, context);
};

/** Reads again, 3 s later, the rows that have just been seen to end unpaid: a service may say so for a moment (rules.md, Exit codes, 7). */
export const lookAgain = async (rows: KnownRows, options: LookUpOptions, context: Deps): Promise<KnownRows> => {
  const wanted = [...rows.values()].filter(({ status }) => hasEndedUnpaid(status));
  if (wanted.length === 0) return rows;
  await context.clock.sleep(secondLookMs, context.signal);
  return await readRows(rows, wanted, options, context);
};

const isPaid = (status: string | undefined): boolean => status !== undefined && classifyStatus(status, "out") === "paid";

const readRows = async (rows: KnownRows, wanted: readonly KnownRow[], options: LookUpOptions, context: Deps): Promise<KnownRows> => {
  const { clock, signal } = context;
  const journal = await context.journal();
  const client = () => context.client({ bulk: true });
  const endsAtMs = clock.monotonic() + (options.patienceMs ?? Number.POSITIVE_INFINITY);
  const found = new Map(rows);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let row = wanted[next++]; row !== undefined && clock.monotonic() < endsAtMs; row = wanted[next++]) {
      try {
        const budget = options.patienceMs === undefined ? {} : { budgetMs: endsAtMs - clock.monotonic() };
        const status = await readStatus({ ...row, id: row.attemptId }, { journal, client, signal, ...budget });
        if (status !== undefined) found.set(row.row, { ...row, status });
      } catch (error) {
        if (error instanceof CliError && error.kind === "not-found") continue;
        if (options.patienceMs === undefined || signal.aborted) throw error;
        next = wanted.length;
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return found;
};
