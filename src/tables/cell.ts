/**
 * What a reader knows of a cell beside its text.
 *
 * - `number`: the cell holds a number; `shown` is what the sheet shows for it, where that has other characters (`0712345678`).
 * - `date`: its text is a serial number or ISO date; the sheet shows a date, time or duration.
 * - `formula`: the text is the result of a formula, kept when the file was saved.
 * - `quote`: there is text around a quote, so cells of the row may be shifted.
 * - `rows`: a quoted text holds lines that look like rows, which a lost quote has swallowed.
 * - `unclear`: the sheet shows something else than the text.
 *
 * `says` continues a sentence about the cell, such as "is a date".
 */
export type CellMark = { readonly kind: "number" | "date" | "formula" | "quote" | "rows" | "unclear"; readonly says: string; readonly shown?: string };

export type TableRow = {
  /** The first physical line, or the row of the sheet, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** By column; absent if there is nothing to say of any cell. */
  readonly marks?: readonly (CellMark | undefined)[];
  /** The sheet does not show this row. */
  readonly hidden?: boolean;
};

/** The sheet's name of a column, from 0: A, B, … Z, AA. */
export const columnLetters = (column: number): string =>
  column < 26 ? String.fromCharCode(65 + column) : columnLetters(Math.floor(column / 26) - 1) + columnLetters(column % 26);
