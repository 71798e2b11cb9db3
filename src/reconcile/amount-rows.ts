import type { TableRow } from "../tables/cell.ts";
import { parseSigned } from "./amounts.ts";
import type { AmountRow } from "./balance-proof.ts";
import { cellOf, type Draft, freeColumns, headingOf, profileOf, says } from "./draft.ts";
import { rankOfHeading } from "./heading-words.ts";
import { looseReference } from "./loose-reference.ts";
import { referenceIn, takeBy } from "./narrative.ts";
import type { Known, OtherSide } from "./other-side.ts";
import { isAmountColumn, usualDecimal } from "./profile.ts";
import { receiptKey } from "./receipts.ts";

/** Columns of amounts whose meaning is not settled by the user or a layout. */
export const amountColumns = (draft: Draft): readonly number[] => {
  const own = (["amount", "paid-in", "withdrawn", "balance"] as const).flatMap((field) => draft.columns[field] ?? []);
  const free = freeColumns(draft).filter((column) => !(["count", "number"] as const).some((what) => says(draft, column, what)));
  return [...new Set([...own, ...free])].filter((column) => {
    // Days as a spreadsheet counts them look like amounts; a heading tells them apart.
    const { dates, filled } = profileOf(draft, column);
    const isOnlySerials = dates === filled && rankOfHeading(headingOf(draft, column), "date", draft.kind) !== undefined;
    return isAmountColumn(profileOf(draft, column)) && !isOnlySerials;
  });
};

/** Whole numbers that all have the same many digits: amounts differ more. */
export const areLongNumbers = ({ body }: Draft, column: number): boolean => {
  const cells = body.map((row) => cellOf(row, column)).filter((cell) => cell !== "");
  return cells.every((cell) => /^\d{6,}$/.test(cell) && cell.length === cells[0]?.length);
};

export const toAmountRows = (draft: Draft, columns: readonly number[]): readonly AmountRow[] => {
  const decimal = draft.decimal ?? usualDecimal(draft.body, columns);
  return draft.body.map((row) => {
    const amounts = new Map<number, bigint>();
    for (const column of columns) {
      const amount = parseSigned(cellOf(row, column), decimal);
      if (amount !== undefined) amounts.set(column, amount);
    }
    return { row, amounts };
  });
};

/** In its column, or else in the narrative; without case, spaces and punctuation. */
export const referenceOf = (draft: Draft, row: TableRow): string | undefined =>
  looseReference(cellOf(row, draft.columns.reference) || (referenceIn(draft, cellOf(row, draft.columns.details)) ?? ""));

/** The amount of a row on the other side that has the reference or the receipt of this row. */
export const knownOf = (draft: Draft, row: TableRow, other: OtherSide): Known | undefined => {
  const receipt = receiptKey(cellOf(row, draft.columns.receipt) || takeBy(draft.receiptIn, cellOf(row, draft.columns.details)));
  return (receipt === undefined ? undefined : other.receipts.get(receipt)) ?? other.references.get(referenceOf(draft, row) ?? "");
};

type KnownRow = { readonly row: TableRow; readonly known: Known };
/** The rows that the other side knows, with what it has of them. */
export const knownRows = (draft: Draft, other: OtherSide): readonly KnownRow[] =>
  draft.body.flatMap((row) => {
    const known = knownOf(draft, row, other);
    return known === undefined ? [] : [{ row, known }];
  });

/** The rows of which the other side knows which way their money went. */
export const directedRows = (draft: Draft, other: OtherSide): readonly { readonly row: TableRow; readonly way: "in" | "out" }[] =>
  knownRows(draft, other).flatMap(({ row, known: { direction } }) => (direction === "unknown" ? [] : [{ row, way: direction }]));
