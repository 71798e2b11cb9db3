import type { RowResult } from "../../domain/batch-plan.ts";
import { groupedCount } from "../../domain/grouped.ts";
import type { Client, Context } from "../../kernel/context.ts";
import { fieldOf, textOf } from "../../kernel/exact-json.ts";
import { awaitFinal } from "../await-final.ts";
import { failureReasonOf } from "../failure-reason.ts";
import type { RowResults } from "./row-results.ts";

/** Follows every accepted row to its end, and writes it into the results. A row that ended unpaid, or is still open, gets a reason. */
export const waitForRows = async (
  results: RowResults,
  options: { readonly rows: number; readonly waitMs: number; readonly concurrency: number },
  context: Context,
  onEnd: (result: RowResult) => Promise<void>,
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
  let next = 1;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (next <= options.rows) {
      const result = results.get(next++);
      if (result === undefined || result.state !== "accepted" || result.transactionId === undefined) continue;
      const { transaction, verdict } = await awaitFinal(
        { transactionId: result.transactionId, operation: "b2c", waitMs: options.waitMs, attemptId: result.attemptId ?? "" },
        quiet,
      );
      const status = textOf(fieldOf(transaction, "status")) ?? result.status;
      const why = verdict === undefined ? undefined : (failureReasonOf(transaction) ?? verdict.message);
      const one = { ...result, ...(status === undefined ? {} : { status }), ...(why === undefined ? {} : { reason: why }) };
      results.set(one);
      await onEnd(one);
      done++;
      progress.update(`${groupedCount(done)} of ${groupedCount(options.rows)} payouts have ended`);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  progress.end();
};
