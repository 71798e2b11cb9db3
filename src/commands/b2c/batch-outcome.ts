import { CliError, type ErrorDetails } from "../../errors.ts";
import type { Json } from "../../json/exact-json.ts";
import { groupedCount } from "../../money/grouped.ts";
import { formatMinor } from "../../money/money.ts";
import type { Outcome } from "../../outcome.ts";
import { type BatchRow, type RowResult, type RowState, totalOf } from "../../payments/batch/batch-plan.ts";
import type { GlobalFlags } from "../../ports.ts";
import { batchView } from "./batch-view.ts";

const printed = ["row", "state", "transactionId", "status", "reason"] as const;
export const rowFields: readonly string[] = printed;

type Batch = {
  readonly path: string;
  readonly batchId: string;
  readonly rows: readonly BatchRow[];
  readonly results: readonly RowResult[];
  readonly resultPath?: string;
  /** How the run ended; absent where nothing was to be sent. */
  readonly end?: BatchEnd;
  /** A dry run: a policy asks for approval. */
  readonly isApprovalRequired?: boolean;
};
export type BatchEnd = {
  /** What stopped the run before its last row. */
  readonly stopped: CliError | undefined;
  /** Why the result file is not whole. */
  readonly unwritten: CliError | undefined;
  /** The command as typed, to go on with one of the ways that pay no row twice. */
  readonly command: (choice: "again" | "resume" | "retry-failed") => readonly string[];
};

/** What a batch came to: a row each, the sums, and 13 where not every row was accepted. */
export const outcomeOf = (
  { path, batchId, rows, results, resultPath, end, isApprovalRequired = false }: Batch,
  flags: Pick<GlobalFlags, "fields">,
): Outcome => {
  const counts: Record<RowState, number> = { accepted: 0, refused: 0, unknown: 0, notSent: 0 };
  for (const { state } of results) counts[state]++;
  const summary = { rows: rows.length, ...counts, amount: formatMinor(totalOf(rows)) };
  const paid = results.find(({ state }) => state === "accepted");
  return {
    rows: results.map((result) => rowJson(result, flags.fields)),
    columns: rowFields,
    document: (picked) => ({ file: path, batchId, summary, ...(isApprovalRequired ? { approvalRequired: true } : {}), rows: picked }),
    view: batchView({ rows, results, resultPath }),
    ...(paid === undefined ? {} : { made: paid.attemptId === undefined ? {} : { journalId: paid.attemptId } }),
    verdict: () => (end === undefined ? undefined : verdictOf(results, counts, end)),
  };
};

/** A field asked for is there in every row, as null where the row has none. */
const rowJson = (result: RowResult, fields: readonly string[] = []): Json =>
  Object.fromEntries(
    printed.flatMap((name) => {
      const value = result[name] ?? (fields.includes(name) ? null : undefined);
      return value === undefined ? [] : [[name, value]];
    }),
  );

const verdictOf = (results: readonly RowResult[], counts: Readonly<Record<RowState, number>>, end: BatchEnd): CliError | undefined => {
  const ended = { unpaid: 0, open: 0 };
  for (const { ended: how } of results) if (how !== undefined) ended[how]++;
  const { stopped, unwritten } = end;
  if (counts.accepted === results.length && ended.unpaid + ended.open === 0 && unwritten === undefined) return undefined;
  const counted: readonly (readonly [number, string])[] = [
    [counts.refused, "refused"],
    [counts.unknown, "unknown"],
    [counts.notSent, "not sent"],
    [ended.unpaid, "ended unpaid"],
    [ended.open, "still open"],
  ];
  const parts = counted.filter(([count]) => count > 0).map(([count, what]) => `${groupedCount(count)} ${what}`);
  const left = counts.notSent + counts.unknown > 0;
  const why = left && stopped !== undefined ? ` It stopped: ${stopped.message}` : unwritten === undefined ? "" : ` ${unwritten.message}`;
  const all = `${groupedCount(counts.accepted)} of ${groupedCount(results.length)} rows were accepted`;
  return new CliError("batch-incomplete", `${[all, ...parts].join(", ")}.${why}`, {
    sent: counts.unknown > 0 ? "unknown" : counts.accepted > 0 ? "yes" : "no",
    retryable: left,
    ...remedyOf(counts, ended, end),
    ...(stopped?.status === undefined ? {} : { status: stopped.status }),
  });
};

const remedyOf = (
  counts: Readonly<Record<RowState, number>>,
  ended: { readonly unpaid: number; readonly open: number },
  { stopped, unwritten, command }: BatchEnd,
): ErrorDetails => {
  if (counts.unknown > 0 || stopped !== undefined) {
    const when = stopped?.retryAfterMs === undefined || stopped.hint === undefined ? "" : `${stopped.hint} `;
    return { hint: `${when}To go on where it stopped, paying no row twice`, command: command("again") };
  }
  if (unwritten !== undefined) return { hint: "The same command with --resume and another --result FILE writes the result; nothing is paid twice." };
  if (counts.notSent > 0) return { hint: "The reason of each row is in the result." };
  if (counts.refused + ended.unpaid > 0) return { hint: "To send again only what was refused or ended unpaid", command: command("retry-failed") };
  return { hint: "To follow them further, paying nothing", command: command("resume") };
};

export const progressText = (done: number, total: number, elapsedMs: number): string => {
  const rate = done / Math.max(0.001, elapsedMs / 1000);
  const leftSeconds = rate > 0 ? Math.ceil((total - done) / rate) : 0;
  return `${groupedCount(done)} of ${groupedCount(total)} rows (${Math.floor((done / total) * 100)}%), ${rate.toFixed(1)} a second, ${leftSeconds} s left`;
};
