import { present } from "../../json/exact-json.ts";
import { countOf, groupedCount } from "../../money/grouped.ts";
import type { Client, Context } from "../../ports.ts";
import { eachBounded } from "../../transactions/sync-details.ts";
import { awaitFinal } from "../await-final.ts";
import type { RowResult } from "./batch-plan.ts";

/** Follows every accepted row to its end, and writes it into the results. A row that ended unpaid, or is still open, gets a reason. */
export const waitForRows = async (
  results: RowResult[],
  options: { readonly waitMs: number; readonly concurrency: number },
  context: Context,
  onEnd: (result: RowResult) => void,
): Promise<void> => {
  let client: Promise<Client> | undefined;
  const quiet: Context = {
    ...context,
    note: () => undefined,
    progress: () => ({ update: () => undefined, end: () => undefined }),
    client: () => {
      client ??= context.client({ bulk: true });
      return client;
    },
  };
  const progress = context.progress();
  let done = 0;
  await eachBounded(results.entries(), options.concurrency, async ([at, result]) => {
    if (result.state !== "accepted") return;
    const one = await followRow(result, options.waitMs, quiet);
    results[at] = one;
    onEnd(one);
    done++;
    progress.update(`Ended: ${groupedCount(done)} of ${countOf(results.length, "payout")}`);
  });
  progress.end();
};

const followRow = async (result: RowResult, waitMs: number, context: Parameters<typeof awaitFinal>[1]): Promise<RowResult> => {
  const { transactionId, attemptId = "" } = result;
  if (transactionId === undefined) return { ...result, ended: "open", reason: "Its transaction is not known, so its end cannot be read" };
  const { transaction, verdict, reason } = await awaitFinal({ transactionId, operation: "b2c", waitMs, attemptId, status: result.status }, context);
  const { reason: _before, ...rest } = result;
  const status = transaction?.status ?? result.status;
  const seen = { ...rest, ...present({ status }) };
  if (verdict === undefined) return seen;
  return { ...seen, ended: verdict.kind === "payment-failed" ? "unpaid" : "open", reason: reason ?? verdict.message };
};
