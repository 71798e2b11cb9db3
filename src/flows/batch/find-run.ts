import { createHash } from "node:crypto";
import type { BatchRows, RowState } from "../../domain/batch-plan.ts";
import type { Attempt, Journal } from "../../kernel/context.ts";

/** What the journal knew of a file's rows before this run. */
export type Known = {
  state(row: number): RowState;
  /** The attempt that decides of a row. Quick where rows are asked for in their order. */
  attempt(row: number): Promise<Attempt | undefined>;
};

/** One run over a file: the first has the file's own id, each `--new-run` a number behind it. */
export type Run = { readonly batchId: string; readonly known: Known; readonly lastAtMs: number };

/** The same payouts to the same place are the same batch, whatever the file is called. */
export const fileIdOf = ({ digest }: Pick<BatchRows, "digest">, baseUrl: string): string =>
  `batch-${createHash("sha256").update(`${baseUrl}\n${digest}`).digest("hex").slice(0, 16)}`;

export const runIdOf = (fileId: string, run: number): string => (run === 1 ? fileId : `${fileId}-${run}`);

/** The newest run of a file in the journal, with its number; undefined where it was never begun. */
export const findNewestRun = async (
  fileId: string,
  rows: number,
  journal: Pick<Journal, "list">,
): Promise<{ readonly number: number; readonly read: () => Promise<Run> } | undefined> => {
  for (let number = 1; ; number++) {
    if ((await journal.list({ batchId: runIdOf(fileId, number), limit: 1 })).length > 0) continue;
    return number === 1 ? undefined : { number: number - 1, read: () => readRun(runIdOf(fileId, number - 1), rows, journal) };
  }
};

/** Attempts are read so many rows at a time: those of a whole batch would fill the memory. */
const windowRows = 1000;

const readRun = async (batchId: string, rows: number, journal: Pick<Journal, "list">): Promise<Run> => {
  const states = new Uint8Array(rows + 1);
  let lastAtMs = 0;
  for (let first = 1; first <= rows; first += windowRows) {
    const attempts = await journal.list({ batchId, batchRows: [first, first + windowRows - 1] });
    for (const attempt of attempts) lastAtMs = Math.max(lastAtMs, Date.parse(attempt.closedAt ?? attempt.startedAt));
    for (const [row, attempt] of byRow(attempts)) states[row] = stateCodes.indexOf(stateOf(attempt));
  }
  let window: { readonly first: number; readonly attempts: Promise<ReadonlyMap<number, Attempt>> } | undefined;
  return {
    batchId,
    lastAtMs,
    known: {
      state: (row) => stateCodes[states[row] ?? 0] ?? "notSent",
      attempt: async (row) => {
        const first = row - ((row - 1) % windowRows);
        if (window?.first !== first) window = { first, attempts: journal.list({ batchId, batchRows: [first, first + windowRows - 1] }).then(byRow) };
        return (await window.attempts).get(row);
      },
    },
  };
};

const stateCodes: readonly RowState[] = ["notSent", "accepted", "refused", "unknown"];

/** A file of which the journal knows nothing. */
export const nothingKnown: Known = { state: () => "notSent", attempt: async () => undefined };

/** Newest first: a row paid again after a 402 counts by its newest attempt, unless an older one may have moved money. */
const byRow = (attempts: readonly Attempt[]): ReadonlyMap<number, Attempt> => {
  const found = new Map<number, Attempt>();
  for (const attempt of attempts) {
    if (attempt.batchRow === undefined) continue;
    const before = found.get(attempt.batchRow);
    if (before === undefined || (before.state === "refused" && attempt.state !== "refused")) found.set(attempt.batchRow, attempt);
  }
  return found;
};

/** Refused for a reason that is the account's or the network's, not the row's: paid on resume (cli.md, 401 and 402 count as notSent). */
const accountStatuses: readonly (number | undefined)[] = [undefined, 401, 402, 403, 429];

export const stateOf = (attempt: Attempt): RowState => {
  if (attempt.state === "accepted") return "accepted";
  if (attempt.state !== "refused") return "unknown";
  return accountStatuses.includes(attempt.tries.at(-1)?.httpStatus) ? "notSent" : "refused";
};

/** Every row has an answer that stays. */
export const isFinished = ({ known }: Run, rows: number): boolean => {
  for (let row = 1; row <= rows; row++) if (isLeft(known, row)) return false;
  return true;
};

/** Still to be paid, or to be settled. */
export const isLeft = (known: Known, row: number): boolean => known.state(row) === "notSent" || known.state(row) === "unknown";
