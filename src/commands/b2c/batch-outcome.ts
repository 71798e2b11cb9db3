import { CliError, type ErrorDetails, withoutNotSent } from "../../errors.ts";
import { fieldOf, type Json, present } from "../../json/exact-json.ts";
import { countOf, groupedCount } from "../../money/grouped.ts";
import { formatMinor } from "../../money/money.ts";
import type { Block, Cell, Outcome } from "../../outcome.ts";
import { money } from "../../output/format.ts";
import { fieldText, textColumn } from "../../output/outcomes.ts";
import { type BatchRow, type RowResult, type RowState, settleOthers, totalOf } from "../../payments/batch/batch-plan.ts";
import type { GlobalFlags } from "../../ports.ts";

const printed = ["row", "state", "transactionId", "status", "reason"] as const;
export const rowFields: readonly string[] = printed;

/** What became of a row, with `--wait` to its end. */
type State = RowState | "unpaid" | "open";
const states: Readonly<Record<State, Required<Cell>>> = {
  accepted: { text: "Accepted", tone: "good" },
  unpaid: { text: "Ended unpaid", tone: "bad" },
  open: { text: "Still open", tone: "waiting" },
  refused: { text: "Refused", tone: "bad" },
  unknown: { text: "Unknown", tone: "waiting" },
  notSent: { text: "Not sent", tone: "quiet" },
};
const stateOf = ({ state, ended }: RowResult): State => ended ?? state;

export type BatchEnd = {
  /** What stopped the run before its last row. */
  readonly stopped: CliError | undefined;
  /** Why the result file is not whole. */
  readonly unwritten: CliError | undefined;
  /** The command as typed, to go on with one of the ways that pay no row twice. */
  readonly command: (choice: "again" | "resume" | "retry-failed") => readonly string[];
  /** It was run with `--resume`: what it left unknown may be too old for another run. */
  readonly isResumed?: boolean;
};
export type Batch = {
  readonly path: string;
  readonly batchId: string;
  readonly rows: readonly BatchRow[];
  readonly results: readonly RowResult[];
  /** Absent if nothing was to be sent. */
  readonly resultPath?: string | undefined;
  /** How the run ended; absent where nothing was to be sent. */
  readonly end?: BatchEnd;
  /** A dry run: a policy asks for approval. */
  readonly isApprovalRequired?: boolean;
};

/** What a batch came to: a row each, the sums, and 13 where not every row was accepted. */
export const outcomeOf = (batch: Batch, { fields = [] }: Pick<GlobalFlags, "fields">): Outcome => {
  const { path, batchId, rows, results, end, isApprovalRequired = false } = batch;
  const count = (wanted: RowState): number => results.filter(({ state }) => state === wanted).length;
  const counts = { accepted: count("accepted"), refused: count("refused"), unknown: count("unknown"), notSent: count("notSent") };
  const summary = { rows: rows.length, ...counts, amount: formatMinor(totalOf(rows)) };
  const paid = results.find(({ state }) => state === "accepted");
  // A field asked for is there in every row, as null where the row has none.
  const rowJson = (result: RowResult): Json =>
    present(Object.fromEntries(printed.map((name) => [name, result[name] ?? (fields.includes(name) ? null : undefined)])));
  return {
    rows: results.map(rowJson),
    columns: rowFields,
    document: (picked) => ({ file: path, batchId, summary, ...(isApprovalRequired ? { approvalRequired: true } : {}), rows: picked }),
    view: { kind: "blocks", blocks: () => batchBlocks(batch) },
    ...(paid === undefined ? {} : { made: paid.attemptId === undefined ? {} : { journalId: paid.attemptId } }),
    verdict: () => (end === undefined ? undefined : verdictOf(results, end)),
  };
};

const verdictOf = (results: readonly RowResult[], { stopped, unwritten, command, isResumed = false }: BatchEnd): CliError | undefined => {
  const count = (...wanted: readonly State[]): number => results.filter((result) => wanted.includes(stateOf(result)) || wanted.includes(result.state)).length;
  const [accepted, refused, unknown, notSent, ended] = [count("accepted"), count("refused"), count("unknown"), count("notSent"), count("unpaid", "open")];
  if (accepted === results.length && ended === 0 && unwritten === undefined) return undefined;
  const parts = (["refused", "unknown", "notSent", "unpaid", "open"] as const).flatMap((state) =>
    count(state) === 0 ? [] : [`${groupedCount(count(state))} ${states[state].text.toLowerCase()}`],
  );
  const left = notSent + unknown > 0;
  const why = left && stopped !== undefined ? ` It stopped: ${withoutNotSent(stopped.message)}` : unwritten === undefined ? "" : ` ${unwritten.message}`;
  const remedy = (): ErrorDetails => {
    const others = results.filter(({ isOthers }) => isOthers).length;
    const onlySettles = others === unknown || (isResumed && notSent === 0);
    if (unknown > 0 && onlySettles && stopped === undefined) return settleOthers;
    if (unknown > 0 || stopped !== undefined) {
      const when = stopped?.retryAfterMs === undefined || stopped.hint === undefined ? "" : `${stopped.hint} `;
      return { hint: `${when}To continue where it stopped, paying no row twice`, command: command("again") };
    }
    if (unwritten !== undefined) return { hint: "The same command with --resume and another --result FILE writes the result; nothing is paid twice." };
    if (notSent > 0) return { hint: "The reason of each row is in the result." };
    if (refused + count("unpaid") > 0) return { hint: "To send again only what was refused or ended unpaid", command: command("retry-failed") };
    return { hint: "To keep following them, without paying again", command: command("resume") };
  };
  const all = `${groupedCount(accepted)} of ${countOf(results.length, "row was accepted", "rows were accepted")}`;
  return new CliError("batch-incomplete", `${[all, ...parts].join(", ")}.${why}`, {
    sent: unknown > 0 ? "unknown" : accepted > 0 ? "yes" : "no",
    retryable: left,
    status: stopped?.status,
    ...remedy(),
  });
};

const sumOf = (rows: readonly BatchRow[]): string => money(formatMinor(totalOf(rows)), "KES");

/** What a batch came to, for a person: the totals, the rows that did not go well with their reasons, and where the rest is. */
export const batchBlocks = ({ rows, results, resultPath }: Pick<Batch, "rows" | "results" | "resultPath">): readonly Block[] => {
  const byRow = new Map(rows.map((row) => [row.row, row] as const));
  const totals = Object.entries(states).map(([state, { text: name, tone }]) => {
    const found = results.filter((result) => stateOf(result) === state);
    const sum = sumOf(found.flatMap(({ row }) => byRow.get(row) ?? []));
    // An accepted row has a reason only if another run, or `b2c`, has paid it.
    const before = state === "accepted" ? found.filter(({ reason }) => reason !== undefined) : [];
    const ofThem = before.length === 0 ? "" : ` (${groupedCount(before.length)} of them paid before this run)`;
    return [name, found.length === 0 ? undefined : { text: `${groupedCount(found.length)}, ${sum}${ofThem}`, tone }] as const;
  });
  const card: Block = { kind: "card", pairs: [["Rows", `${groupedCount(rows.length)}, ${sumOf(rows)}`], ...totals, ["Result file", resultPath]] };
  const troubles = resultPath === undefined ? [] : results.filter((result) => stateOf(result) !== "accepted");
  return troubles.length === 0 ? [card] : [card, ...troubleBlocks(troubles, byRow)];
};

/** The result file has every row; on the screen more would hide the totals. */
const troublesMax = 50;

const troubleBlocks = (troubles: readonly RowResult[], byRow: ReadonlyMap<number, BatchRow>): readonly Block[] => {
  const shown = troubles.slice(0, troublesMax).map((result): Json => {
    const { reference = "", payee: phone = "", amount = "" } = byRow.get(result.row) ?? {};
    return { row: result.row, state: stateOf(result), reference, phone, amount, status: result.status ?? "", reason: result.reason ?? "" };
  });
  const table: Block = {
    kind: "table",
    title: "Rows that need attention",
    columns: [
      textColumn("Row", "row", { align: "right" }),
      textColumn("Reference", "reference"),
      textColumn("Phone", "phone", { sheds: 2 }),
      { heading: "Amount", align: "right", cell: (row) => money(fieldOf(row, "amount"), "KES"), sheds: 3 },
      { heading: "State", cell: (row) => stateCell(fieldText("state")(row)) },
      textColumn("Status", "status", { sheds: 4 }),
      textColumn("Reason", "reason", { whole: true }),
    ],
    rows: shown,
  };
  const more = troubles.length - shown.length;
  return more === 0
    ? [table]
    : [table, { kind: "text", lines: [{ text: `${countOf(more, "more row is", "more rows are")} in the result file.`, tone: "quiet" }] }];
};

const stateCell = (state: string): Cell => {
  const known = Object.entries(states).find(([name]) => name === state)?.[1];
  return { text: (known?.text ?? state).toLowerCase(), tone: known?.tone ?? "plain" };
};
