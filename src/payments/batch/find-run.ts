import { createHash } from "node:crypto";
import type { Attempt, Journal } from "../../journal/port.ts";
import { fieldOf, type Json, parseExact, present, textOf } from "../../json/exact-json.ts";
import { hasEndedUnpaid } from "../../transactions/status.ts";
import { utcTime } from "../../utc-time.ts";
import { canonicalAmount, guardKeyOf } from "../guard-key.ts";
import type { BatchRow, RowResult, RowState } from "./batch-plan.ts";

/** A row as the journal has it, with the attempt that decides about it. */
export type KnownRow = RowResult & {
  readonly attemptId: string;
  /** When it began or ended, ms since 1970. */
  readonly atMs: number;
};

/** One run over a file: the first has the file's own id, each `--new-run` adds a number to it. */
export type Run = {
  readonly number: number;
  readonly batchId: string;
  readonly rows: ReadonlyMap<number, KnownRow>;
  /** When its last row began or ended, ms since 1970. */
  readonly lastAtMs: number;
  /** Of every attempt of the run, also those that a later attempt of the same row took the place of. */
  readonly transactionIds: ReadonlySet<string>;
};

/** The same payouts to the same place are the same batch, whatever the file is called. */
export const fileIdOf = (rows: readonly BatchRow[], baseUrl: string): string => {
  const bodies = createHash("sha256");
  for (const { body } of rows) bodies.update(body).update("\n");
  return `batch-${createHash("sha256")
    .update(`${baseUrl}\n${bodies.digest("hex")}`)
    .digest("hex")
    .slice(0, 16)}`;
};

export const runIdOf = (fileId: string, run: number): string => (run === 1 ? fileId : `${fileId}-${run}`);

/** The newest run of a file in the journal; undefined where it was never begun. */
export const findNewestRun = async (fileId: string, rows: number, journal: Pick<Journal, "list">): Promise<Run | undefined> => {
  for (let number = 1; ; number++) {
    if ((await journal.list({ batchId: runIdOf(fileId, number), limit: 1 })).length > 0) continue;
    return number === 1 ? undefined : await readRun(fileId, number - 1, rows, journal);
  }
};

/** Attempts are read so many rows at a time: with their requests and answers, those of a whole batch would fill the memory. */
const windowRows = 1000;

const readRun = async (fileId: string, number: number, rows: number, journal: Pick<Journal, "list">): Promise<Run> => {
  const batchId = runIdOf(fileId, number);
  const known = new Map<number, KnownRow>();
  const transactionIds = new Set<string>();
  let lastAtMs = 0;
  for (let first = 1; first <= rows; first += windowRows) {
    const attempts = await journal.list({ batchId, batchRows: [first, first + windowRows - 1] });
    for (const attempt of attempts) {
      lastAtMs = Math.max(lastAtMs, timeOf(attempt));
      if (attempt.transactionId !== undefined) transactionIds.add(attempt.transactionId);
    }
    for (const [row, attempt] of byRow(attempts)) known.set(row, knownRow(row, attempt));
  }
  return { number, batchId, rows: known, lastAtMs, transactionIds };
};

const timeOf = ({ closedAt, startedAt }: Attempt): number => Date.parse(closedAt ?? startedAt);

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

/** Refused for a reason that is the account's or the network's, not the row's: paid on resume (rules.md, 401 and 402 count as notSent). */
const accountStatuses: readonly (number | undefined)[] = [undefined, 401, 402, 403, 429];

const stateOf = (attempt: Attempt): RowState => {
  if (attempt.state === "accepted") return "accepted";
  if (attempt.state !== "refused") return "unknown";
  return accountStatuses.includes(attempt.tries.at(-1)?.httpStatus) ? "notSent" : "refused";
};

/** The carrier's cost as the answer to a payout quotes it (service 4, POST b2c). */
export const quotedFee = (answer: Json): string | undefined => textOf(fieldOf(fieldOf(answer, "pricingQuote"), "fee"));

const knownRow = (row: number, attempt: Attempt): KnownRow => {
  const state = stateOf(attempt);
  const { transactionId, status, answer } = attempt;
  const last = attempt.tries.at(-1);
  const why = last?.error ?? (last?.httpStatus === undefined ? undefined : `answered ${last.httpStatus}`);
  const quote = state === "accepted" && answer !== undefined ? quotedFee(parseExact(answer)) : undefined;
  return {
    row,
    state,
    attemptId: attempt.id,
    atMs: timeOf(attempt),
    ...present({ transactionId, status, quote, reason: state === "accepted" || why === undefined ? undefined : `${why} (journal ${attempt.id})` }),
  };
};

/** Still to be paid, or to be settled. */
export const isLeft = (known: RowResult | undefined): boolean => known === undefined || known.state === "notSent" || known.state === "unknown";

/**
 * What another payout to the same payee with the same reference says about a row: of the same amount it is the row's own payment,
 * made by another run or by `b2c`. Of another amount it stands in the way, and the row is not sent.
 */
export const rowOfOther = ({ row, amount }: Pick<BatchRow, "row" | "amount">, other: Attempt): KnownRow => {
  const known = knownRow(row, other);
  const what = `a payout to the same payee with the same reference (journal ${other.id}, ${utcTime(other.startedAt)})`;
  const { attemptId, atMs } = known;
  if (known.state !== "accepted") return { row, state: "unknown", isOthers: true, attemptId, atMs, reason: `The outcome of ${what} is not known` };
  if (canonicalAmount(other.amount) === canonicalAmount(amount)) return { ...known, reason: `Accepted before as ${what}` };
  return { row, state: "notSent", attemptId, atMs, reason: `KES ${other.amount} was accepted before as ${what}` };
};

/**
 * The rows for which an attempt outside the runs named in `except` stands in the way, as far as the journal knows. An attempt that
 * may have been paid counts before one that has no outcome yet.
 */
export const findOthers = async (
  rows: Iterable<BatchRow>,
  { baseUrl, except }: { readonly baseUrl: string; readonly except: ReadonlySet<string> },
  journal: Pick<Journal, "list">,
): Promise<ReadonlyMap<number, KnownRow>> => {
  const found = new Map<number, KnownRow>();
  for (const row of rows) {
    const others = (await journal.list({ guardKey: guardKeyOf(row), baseUrl })).filter(
      ({ state, status, batchId }) => state !== "refused" && !hasEndedUnpaid(status, "out") && (batchId === undefined || !except.has(batchId)),
    );
    const other = others.find(({ state }) => state === "accepted") ?? others[0];
    if (other !== undefined) found.set(row.row, rowOfOther(row, other));
  }
  return found;
};
