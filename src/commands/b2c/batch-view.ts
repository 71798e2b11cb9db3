import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import { groupedCount } from "../../money/grouped.ts";
import { formatMinor } from "../../money/money.ts";
import type { Block, Cell, Tone, View } from "../../outcome.ts";
import { money } from "../../output/format.ts";
import { type BatchRow, type RowResult, type RowState, totalOf } from "../../payments/batch/batch-plan.ts";

type State = RowState | "unpaid" | "open";
const states: readonly (readonly [State, string, Tone])[] = [
  ["accepted", "Accepted", "good"],
  ["unpaid", "Ended unpaid", "bad"],
  ["open", "Still open", "waiting"],
  ["refused", "Refused", "bad"],
  ["unknown", "Unknown", "waiting"],
  ["notSent", "Not sent", "quiet"],
];
/** The result file has every row; on the screen more would hide the totals. */
const troublesMax = 50;

export type BatchShown = {
  readonly rows: readonly BatchRow[];
  readonly results: readonly RowResult[];
  /** Absent if nothing was to be sent. */
  readonly resultPath: string | undefined;
};

const stateOf = ({ state, ended }: RowResult): State => ended ?? state;
const sumOf = (rows: readonly BatchRow[]): string => money(formatMinor(totalOf(rows)), "KES");

/** What a batch came to, for a person: the totals, the rows that did not go well with their reasons, and where the rest is. */
export const batchView = ({ rows, results, resultPath }: BatchShown): View => ({
  kind: "blocks",
  blocks: () => {
    const byRow = new Map(rows.map((row) => [row.row, row] as const));
    const total = ([state, name, tone]: (typeof states)[number]): readonly (readonly [string, Cell])[] => {
      const found = results.filter((result) => stateOf(result) === state);
      const sum = sumOf(found.flatMap(({ row }) => byRow.get(row) ?? []));
      return found.length === 0 ? [] : [[name, { text: `${groupedCount(found.length)}, ${sum}`, tone }]];
    };
    const card: Block = {
      kind: "card",
      pairs: [
        ["Rows", `${groupedCount(rows.length)}, ${sumOf(rows)}`],
        ...states.flatMap(total),
        ...(resultPath === undefined ? [] : [["Result file", resultPath] as const]),
      ],
    };
    const troubles = resultPath === undefined ? [] : results.filter((result) => stateOf(result) !== "accepted");
    return troubles.length === 0 ? [card] : [card, ...troubleBlocks(troubles, byRow)];
  },
});

const troubleBlocks = (troubles: readonly RowResult[], byRow: ReadonlyMap<number, BatchRow>): readonly Block[] => {
  const text = (name: string) => (row: Json) => textOf(fieldOf(row, name)) ?? "";
  const shown = troubles.slice(0, troublesMax).map((result): Json => {
    const { reference = "", payee: phone = "", amount = "" } = byRow.get(result.row) ?? {};
    return { row: result.row, state: stateOf(result), reference, phone, amount, status: result.status ?? "", reason: result.reason ?? "" };
  });
  const table: Block = {
    kind: "table",
    title: "Rows that did not go well",
    columns: [
      { heading: "Row", align: "right", cell: text("row") },
      { heading: "Reference", cell: text("reference") },
      { heading: "Phone", cell: text("phone"), sheds: 2 },
      { heading: "Amount", align: "right", cell: (row) => money(fieldOf(row, "amount"), "KES"), sheds: 3 },
      { heading: "State", cell: (row) => stateCell(text("state")(row)) },
      { heading: "Status", cell: text("status"), sheds: 4 },
      { heading: "Reason", whole: true, cell: text("reason") },
    ],
    rows: shown,
  };
  const more = troubles.length - shown.length;
  return more === 0 ? [table] : [table, { kind: "text", lines: [{ text: `${groupedCount(more)} more are in the result file.`, tone: "quiet" }] }];
};

const stateCell = (state: string): Cell => {
  const [, name = state, tone = "plain"] = states.find(([known]) => known === state) ?? [];
  return { text: name.toLowerCase(), tone };
};
