import { groupedAmount, groupedCount } from "../../domain/grouped.ts";
import { usageError } from "../../kernel/errors.ts";
import { fieldOf, textOf } from "../../kernel/exact-json.ts";
import type { Tone, View } from "../../kernel/outcome.ts";

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

const waitSeconds = 120;

/** `--wait [SECONDS]` in ms; undefined where it was not given. */
export const waitMsOf = (flag: string | boolean | readonly string[] | undefined): number | undefined => {
  if (flag === undefined || flag === false) return undefined;
  if (flag === true || flag === "") return waitSeconds * 1000;
  const seconds = typeof flag === "string" && /^\d+(\.\d+)?$/.test(flag) ? Number(flag) : Number.NaN;
  if (!(seconds > 0 && seconds <= 86_400)) throw usageError(`--wait takes a number of seconds above 0 and up to 86400, not "${String(flag)}".`);
  return Math.round(seconds * 1000);
};
