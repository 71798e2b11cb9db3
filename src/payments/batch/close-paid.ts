import type { Context } from "../../ports.ts";
import { detailsConcurrency, eachBounded, readDetails } from "../../transactions/sync-details.ts";
import { canonicalAmount } from "../guard-key.ts";
import type { BatchRow } from "./batch-plan.ts";
import type { RunPlan } from "./plan-run.ts";

type Deps = Pick<Context, "client" | "signal" | "journal">;

/**
 * Closes the attempts of a run that the journal could not close, as on a full disk, while the result file got their transactions:
 * each is read from the service first, and has to have the row's reference and amount. True if one was closed.
 * `named`: the transaction of a row by the result file. Throws CliError where the service can't be read.
 */
export const closePaid = async (rows: readonly BatchRow[], plan: RunPlan, named: (row: number) => string | undefined, context: Deps): Promise<boolean> => {
  const journal = await context.journal();
  let closed = false;
  const close = async ({ row, reference, amount }: BatchRow): Promise<void> => {
    const known = plan.before.get(row);
    const id = named(row);
    if (known?.state !== "unknown" || id === undefined) return;
    const attempt = await journal.find(known.attemptId);
    if (attempt?.batchId !== plan.batchId) return;
    if ((await journal.list({ transactionId: id, baseUrl: attempt.baseUrl, limit: 1 })).length > 0) return;
    const details = await readDetails(await context.client({ bulk: true }), id, context.signal);
    if (details?.reference?.trim() !== reference.trim() || canonicalAmount(details.amount ?? "") !== canonicalAmount(amount)) return;
    await journal.close(attempt.id, { state: "accepted", transactionId: id, status: details.status ?? "" });
    closed = true;
  };
  await eachBounded(rows, detailsConcurrency, close);
  return closed;
};
