import { fieldOf, textOf } from "../../json/exact-json.ts";
import { groupedAmount, groupedCount } from "../../money/grouped.ts";
import type { Tone, View } from "../../outcome.ts";

const words: Readonly<Record<string, { readonly text: string; readonly tone: Tone }>> = {
  accepted: { text: "accepted", tone: "good" },
  refused: { text: "refused", tone: "bad" },
  unknown: { text: "unknown", tone: "waiting" },
  notSent: { text: "not sent", tone: "quiet" },
};

/** Rows of a batch for a person, with the sums under them. */
export const batchView = (summary: { readonly rows: number; readonly accepted: number; readonly amount: string }): View => ({
  kind: "table",
  empty: "No rows.",
  columns: [
    { heading: "Row", align: "right", cell: (row) => textOf(fieldOf(row, "row")) ?? "" },
    { heading: "State", cell: (row) => words[textOf(fieldOf(row, "state")) ?? ""] ?? "" },
    { heading: "Transaction", sheds: 2, cell: (row) => textOf(fieldOf(row, "transactionId")) ?? "" },
    { heading: "Status", sheds: 1, cell: (row) => textOf(fieldOf(row, "status")) ?? "" },
    { heading: "Reason", sheds: 3, cell: (row) => textOf(fieldOf(row, "reason")) ?? "" },
  ],
  footer: () => `${groupedCount(summary.accepted)} of ${groupedCount(summary.rows)} accepted; the file's total is KES ${groupedAmount(summary.amount, "KES")}`,
});
