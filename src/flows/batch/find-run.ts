import { createHash } from "node:crypto";
import type { BatchRow, RowState } from "../../domain/batch-plan.ts";
import type { Attempt, Journal } from "../../kernel/context.ts";

/** One run over a file: the first has the file's own id, each `--new-run` a number behind it. */
export type Run = { readonly batchId: string; readonly attempts: ReadonlyMap<number, Attempt>; readonly lastAtMs: number };

/** The same payouts to the same place are the same batch, whatever the file is called. */
export const fileIdOf = (rows: readonly BatchRow[], baseUrl: string): string => {
  const hash = createHash("sha256").update(baseUrl);
  for (const { body } of rows) hash.update("\n").update(body);
  return `batch-${hash.digest("hex").slice(0, 16)}`;
};

export const runIdOf = (fileId: string, run: number): string => (run === 1 ? fileId : `${fileId}-${run}`);

/** The newest run of a file in the journal, with its number; undefined where it was never begun. */
export const findNewestRun = async (fileId: string, journal: Journal): Promise<{ readonly number: number; readonly run: Run } | undefined> => {
  let newest: { readonly number: number; readonly run: Run } | undefined;
  for (let number = 1; ; number++) {
    const batchId = runIdOf(fileId, number);
    const attempts = await journal.list({ batchId });
    if (attempts.length === 0) return newest;
    newest = { number, run: toRun(batchId, attempts) };
  }
};

const toRun = (batchId: string, attempts: readonly Attempt[]): Run => {
  const byRow = new Map<number, Attempt>();
  let lastAtMs = 0;
  // Newest first: a row paid again after a 402 counts by its newest attempt, unless an older one may have moved money.
  for (const attempt of attempts) {
    lastAtMs = Math.max(lastAtMs, Date.parse(attempt.closedAt ?? attempt.startedAt));
    if (attempt.batchRow === undefined) continue;
    const known = byRow.get(attempt.batchRow);
    if (known === undefined || (known.state === "refused" && attempt.state !== "refused")) byRow.set(attempt.batchRow, attempt);
  }
  return { batchId, attempts: byRow, lastAtMs };
};

/** Refused for a reason that is the account's or the network's, not the row's: paid on resume (cli.md, 401 and 402 count as notSent). */
const accountStatuses: readonly (number | undefined)[] = [undefined, 401, 402, 403, 429];

export const stateOf = (attempt: Attempt | undefined): RowState => {
  if (attempt === undefined) return "notSent";
  if (attempt.state === "accepted") return "accepted";
  if (attempt.state !== "refused") return "unknown";
  return accountStatuses.includes(attempt.tries.at(-1)?.httpStatus) ? "notSent" : "refused";
};

/** Every row has an answer that stays. */
export const isFinished = (run: Run, rows: number): boolean => {
  for (let row = 1; row <= rows; row++) {
    const state = stateOf(run.attempts.get(row));
    if (state === "notSent" || state === "unknown") return false;
  }
  return true;
};
