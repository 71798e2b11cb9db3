import type { Context } from "../../ports.ts";
import { secondLookMs } from "../../service/retry.ts";
import { hasEndedUnpaid, isPaid } from "../../transactions/status.ts";
import { eachBounded } from "../../transactions/sync-details.ts";
import { type ReadingContext, readPayment } from "../read-payment.ts";
import type { KnownRow } from "./find-run.ts";

export type LookUpOptions = {
  readonly concurrency: number;
  /** Stops after so many ms, or at the first answer that cannot be read: the rest is then as it was last seen. Absent: such an answer is thrown. */
  readonly patienceMs?: number;
};
type Deps = ReadingContext & Pick<Context, "client" | "clock" | "journal">;
export type KnownRows = ReadonlyMap<number, KnownRow>;

/** `isWhole`: every row that was to be read was read. */
export type LookUp = { readonly rows: KnownRows; readonly isWhole: boolean };

/** The same rows with the status that the service gives them at this moment. Rows that were not accepted, or were seen paid, are not asked for. */
export const lookUpRows = async (rows: KnownRows, options: LookUpOptions, context: Deps): Promise<LookUp> => {
  const wanted = [...rows.values()].filter(({ state, transactionId, status }) => state === "accepted" && transactionId !== undefined && !isPaid(status));
  return await readRows(rows, wanted, options, context);
};

/**
 * As `lookUpRows`, but a row that ended unpaid is read again 3 s later: a service may say so for a moment (rules.md, Exit codes).
 */
export const lookUpTwice = async (rows: KnownRows, options: LookUpOptions, context: Deps): Promise<KnownRows> => {
  const first = await lookUpRows(rows, options, context);
  const unpaid = [...first.rows.values()].filter(({ status }) => hasEndedUnpaid(status, "out"));
  if (unpaid.length === 0) return first.rows;
  await context.clock.sleep(secondLookMs, context.signal);
  return (await readRows(first.rows, unpaid, options, context)).rows;
};

const readRows = async (rows: KnownRows, wanted: readonly KnownRow[], options: LookUpOptions, context: Deps): Promise<LookUp> => {
  const { clock, signal } = context;
  const journal = await context.journal();
  const client = () => context.client({ bulk: true });
  const endsAtMs = clock.monotonic() + (options.patienceMs ?? Number.POSITIVE_INFINITY);
  const found = new Map(rows);
  let isWhole = true;
  await eachBounded(wanted, options.concurrency, async (row) => {
    isWhole &&= clock.monotonic() < endsAtMs;
    if (!isWhole) return;
    try {
      const budgetMs = options.patienceMs === undefined ? undefined : Math.max(0, endsAtMs - clock.monotonic());
      const seen = await readPayment({ ...row, id: row.attemptId }, { ...context, client, journal, budgetMs });
      if (seen !== undefined) found.set(row.row, { ...row, status: seen.status });
    } catch (error) {
      if (options.patienceMs === undefined || signal.aborted) throw error;
      isWhole = false;
    }
  });
  return { rows: found, isWhole };
};
