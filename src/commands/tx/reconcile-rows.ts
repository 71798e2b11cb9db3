import { type Json, present } from "../../json/exact-json.ts";
import { formatMinor } from "../../money/money.ts";
import type { Result } from "../../reconcile/judge.ts";
import { sumOf } from "../../reconcile/order-rows.ts";
import type { CategorySum, Compared, Total } from "../../reconcile/reconcile.ts";
import { type FileRecord, toShownRecord } from "../../reconcile/record.ts";

/** One of `rows` of the JSON document (rules.md, `tx reconcile --json`). */
export const toRow = (result: Result): Json => {
  const [transaction] = result.theirs;
  const id = result.theirs.length === 1 && transaction?.line === undefined ? transaction?.id : undefined;
  const { category, reference = null, reason, suggestions = [] } = result;
  const [ours, theirs] = [result.ours.map(toShownRecord), result.theirs.map(toShownRecord)];
  const likely = suggestions.map(({ because, records }) => ({ because, records: records.slice(0, 20).map(toShownRecord) }));
  return present({ category, reference, transactionId: id, ours, theirs, reason, suggestions: likely.length === 0 ? undefined : likely });
};

export const toSummary = ({ summary }: Compared): Json => {
  const total = ({ rows, amountMinor }: Total): Json => ({ rows, amount: formatMinor(amountMinor) });
  const shown = ({ count, amountMinor, ours, theirs }: CategorySum): Json => ({
    count,
    amount: formatMinor(amountMinor),
    ours: total(ours),
    theirs: total(theirs),
  });
  return Object.fromEntries([...summary].map(([category, sum]) => [category, shown(sum)]));
};

/** Rows of earlier files that are still open, as a member of the JSON document; nothing if there are none. */
export const toCarried = ({ carried }: Compared): { readonly carried?: Json } =>
  carried.length === 0 ? {} : { carried: { count: carried.length, amount: formatMinor(sumOf(carried)), rows: carried.map(toShownRecord) } };

export const flatColumns = ["side", "category", "reference", "receipt", "amount", "date", "line", "reason"] as const;

/** What differs as CSV has it: one row for each record, every cell a text or a number. */
export const toFlatRows = ({ differing, carried }: Compared): readonly Json[] => [
  ...differing.flatMap((result) => [
    ...result.ours.map((record) => flatRow("here", result, record)),
    ...result.theirs.map((record) => flatRow("there", result, record)),
  ]),
  ...carried.map((record) => flatRow("here", { category: "carried", reason: `left open by the file of ${record.carried ?? ""}` }, record)),
];

const flatRow = (side: "here" | "there", { category, reason }: { readonly category: string; readonly reason: string }, record: FileRecord): Json => ({
  side,
  category,
  reference: record.reference ?? null,
  receipt: record.receipt ?? null,
  amount: record.unreadable === undefined ? formatMinor(record.amountMinor) : null,
  date: record.at ?? null,
  line: record.line ?? null,
  reason,
});
