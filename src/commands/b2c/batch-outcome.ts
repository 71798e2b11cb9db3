import { type BatchRows, minorText, type RowResult, type RowState } from "../../domain/batch-plan.ts";
import { groupedCount } from "../../domain/grouped.ts";
import type { RowResults } from "../../flows/batch/row-results.ts";
import type { Context } from "../../kernel/context.ts";
import { CliError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/exact-json.ts";
import type { Outcome } from "../../kernel/outcome.ts";
import { batchView } from "./batch-view.ts";

export const rowFields = ["row", "state", "transactionId", "status", "reason"];

/** Up to so many rows all decide how wide a table's columns are; of more the first do, and none is held (issue: flat memory). */
const heldRows = 5000;

type Batch = {
  readonly path: string;
  readonly batchId: string;
  readonly rows: Pick<BatchRows, "length" | "totalMinor">;
  readonly results: RowResults;
  readonly stopped?: CliError | undefined;
  readonly waited?: boolean;
  readonly unwritten?: CliError | undefined;
};

/** What a batch came to: a row each, the sums, and 13 where not every row was accepted. */
export const outcomeOf = ({ path, batchId, rows, results, stopped, waited = false, unwritten }: Batch, context: Pick<Context, "flags">): Outcome => {
  const counts: Record<RowState, number> = { accepted: 0, refused: 0, unknown: 0, notSent: 0 };
  let unpaid = 0;
  for (const { state, reason } of results) {
    counts[state]++;
    if (waited && state === "accepted" && reason !== undefined) unpaid++;
  }
  const summary = { rows: rows.length, ...counts, amount: minorText(rows.totalMinor) };
  const sent = stopped !== undefined || summary.accepted + summary.refused + summary.unknown > 0;
  const json = (result: RowResult): Json => rowJson(result, context.flags.fields);
  return {
    rows: rows.length <= heldRows ? Array.from(results, json) : later(results, json),
    columns: rowFields,
    document: (picked) => ({ file: path, batchId, summary, rows: picked }),
    view: batchView(summary),
    ...(summary.accepted === 0 ? {} : { made: {} }),
    verdict: () => (sent ? verdictOf(summary, unpaid, stopped, unwritten) : undefined),
  };
};

const later = async function* (results: RowResults, json: (result: RowResult) => Json): AsyncGenerator<Json> {
  for (const result of results) yield json(result);
};

/** A field asked for is there in every row, as null where the row has none. */
const rowJson = ({ quote: _quote, attemptId: _attempt, ...result }: RowResult, fields: readonly string[] | undefined): Json =>
  fields === undefined ? result : { ...Object.fromEntries(fields.map((field) => [field, null])), ...result };

const verdictOf = (
  summary: Readonly<Record<RowState, number>> & { readonly rows: number },
  unpaid: number,
  stopped: CliError | undefined,
  unwritten: CliError | undefined,
): CliError | undefined => {
  if (summary.accepted === summary.rows && unpaid === 0 && unwritten === undefined) return undefined;
  const parts = [
    `${groupedCount(summary.accepted)} of ${groupedCount(summary.rows)} rows were accepted`,
    ...(summary.refused > 0 ? [`${groupedCount(summary.refused)} refused`] : []),
    ...(summary.unknown > 0 ? [`${groupedCount(summary.unknown)} unknown`] : []),
    ...(summary.notSent > 0 ? [`${groupedCount(summary.notSent)} not sent`] : []),
    ...(unpaid > 0 ? [`${groupedCount(unpaid)} ended unpaid or are still open`] : []),
  ];
  // All may be paid, with no file that says so.
  const left = summary.notSent + summary.unknown > 0;
  const why = left && stopped !== undefined ? ` It stopped: ${stopped.message}` : unwritten === undefined ? "" : ` ${unwritten.message}`;
  return new CliError("batch-incomplete", `${parts.join(", ")}.${why}`, {
    sent: summary.unknown > 0 ? "unknown" : summary.accepted > 0 ? "yes" : "no",
    retryable: left,
    hint: left
      ? "Run the same command again: it goes on where it stopped and pays no row twice."
      : unwritten === undefined
        ? "The reason of each row is in the result."
        : "The same command with --resume and another --result FILE writes it again; nothing is paid twice.",
    ...(stopped?.status === undefined ? {} : { status: stopped.status }),
  });
};
