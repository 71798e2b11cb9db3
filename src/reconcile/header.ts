import type { TableRow } from "../tables/cell.ts";
import { type FieldName, fieldNames, findColumn } from "./columns.ts";
import { looksLikeDate } from "./dates.ts";
import { rankOfHeading } from "./heading-words.ts";
import { isAmountCell } from "./profile.ts";

/** The row or two rows that name the columns. Line 0: the file has none, and its columns go by their numbers. */
export type Header = {
  readonly header: readonly string[];
  readonly headerLine: number;
  /** The line of the second of two rows. */
  readonly lastHeaderLine: number;
};

const headerSearchedMax = 200;
const followingMax = 15;

export const filledCells = (row: TableRow): number => {
  let count = 0;
  for (const cell of row.cells) {
    if (cell !== "" && cell.trim() !== "") count += 1;
    if (count === 2) break;
  }
  return count;
};

/** The texts of a row, without what is blank. */
export const filledTexts = (cells: readonly string[]): readonly string[] => cells.map((cell) => cell.trim()).filter((cell) => cell !== "");

const isHeadingText = (cell: string): boolean =>
  cell.length <= 120 &&
  /\p{L}|^#$/u.test(cell) &&
  // A filter that the export was made with, such as `Status = All`.
  !/\s=\s/.test(cell) &&
  !/\d{4,}/.test(cell) &&
  !/^\p{L}{1,6}[-/ ]?\d+$/u.test(cell) &&
  !looksLikeDate(cell) &&
  !isAmountCell(cell);

/** Two rows of headings as one: `Transaction` above `Date` is `Transaction Date`. */
export const joinedHeadings = (above: readonly string[], below: readonly string[]): readonly string[] =>
  Array.from({ length: Math.max(above.length, below.length) }, (_, index) =>
    [above[index] ?? "", below[index] ?? ""]
      .map((cell) => cell.trim())
      .join(" ")
      .trim(),
  );

/** Finds the headings: the row, or two rows, that name most of what rows below hold. `wanted`: headings that the user or a layout names. */
export const findHeader = (rows: readonly TableRow[], wanted: readonly string[]): Header => {
  const [first] = rows;
  // The keys of JSONL.
  if (first?.line === 0) return { headerLine: 0, lastHeaderLine: 0, header: first.cells };
  let best: { readonly found: Header; readonly score: number } | undefined;
  for (let index = 0; index < Math.min(rows.length, headerSearchedMax); index += 1) {
    const row = rows[index];
    const below = rows[index + 1];
    if (row === undefined || filledCells(row) < 2) continue;
    const support = supportOf(rows.slice(index + 1, index + 1 + followingMax), row.cells);
    const alone = scoreOf(row.cells, wanted);
    if (alone !== undefined && alone + support > (best?.score ?? 0))
      best = { found: { headerLine: row.line, lastHeaderLine: row.line, header: row.cells }, score: alone + support };
    if (below === undefined || alone === undefined || !isSecondRow(below)) continue;
    const headings = joinedHeadings(row.cells, below.cells);
    const both = scoreOf(headings, wanted);
    // A line of facts above the headings, such as `Currency,KES`, is no half of them.
    const second = hasTwice(below.cells) ? undefined : scoreOf(below.cells, wanted);
    if (second !== undefined && both !== undefined && second >= both) continue;
    const under = supportOf(rows.slice(index + 2, index + 2 + followingMax), headings);
    if (both !== undefined && both > alone && both + under > (best?.score ?? 0))
      best = { found: { headerLine: row.line, lastHeaderLine: below.line, header: headings }, score: both + under };
  }
  if (best !== undefined) return firstOfItsKind(best.found, rows);
  const width = Math.max(0, ...rows.slice(0, 50).map(({ cells }) => cells.length));
  return { headerLine: 0, lastHeaderLine: 0, header: Array.from({ length: width }, () => "") };
};

/** Headings that are repeated on each page: all rows from the first of them on are records. */
const firstOfItsKind = (found: Header, rows: readonly TableRow[]): Header => {
  const { header, headerLine, lastHeaderLine } = found;
  const inTwo = headerLine !== lastHeaderLine;
  const textOf = (cells: readonly string[]): string =>
    cells
      .map((cell) => cell.trim())
      .join("\u0000")
      .replace(/\u0000+$/, "");
  const wanted = textOf(header);
  const at = rows.findIndex(
    ({ line, cells }, index) => line <= headerLine && textOf(inTwo ? joinedHeadings(cells, rows[index + 1]?.cells ?? []) : cells) === wanted,
  );
  const [first, second] = [rows[at], rows[inTwo ? at + 1 : at]];
  return first === undefined || second === undefined ? found : { header, headerLine: first.line, lastHeaderLine: second.line };
};

const isSecondRow = (row: TableRow): boolean => {
  const filled = filledTexts(row.cells);
  return filled.length > 0 && filled.every(isHeadingText);
};

const hasTwice = (cells: readonly string[]): boolean => {
  const filled = filledTexts(cells).map((text) => text.toLowerCase());
  return new Set(filled).size < filled.length;
};

/** Undefined for a row that is no row of headings. */
const scoreOf = (cells: readonly string[], wanted: readonly string[]): number | undefined => {
  const filled = filledTexts(cells);
  const texts = filled.filter(isHeadingText).length;
  const named = wanted.filter((heading) => !/^#?\d+$/.test(heading) && findColumn(cells, heading) !== undefined).length;
  if (named === 0 && (texts < 2 || texts < filled.length * 0.7)) return undefined;
  return named * 50 + knownFields(filled) * 2 + Math.min(texts, 12) * 0.3;
};

/** How many different fields the texts name, as a statement's or as orders': each the one that it names best, as `Debit Amount` is no third amount. */
const knownFields = (texts: readonly string[]): number => {
  const found = new Set<FieldName>();
  for (const text of texts) {
    const ranks = fieldNames.map((field) => Math.min(rankOfHeading(text, field, "statement") ?? 99, rankOfHeading(text, field, "orders") ?? 99));
    const least = Math.min(...ranks);
    const field = fieldNames[ranks.indexOf(least)];
    if (least < 99 && field !== undefined) found.add(field);
  }
  return found.size;
};

/** From 0 to 6: how many of the rows below have an amount or a date under these headings. */
const supportOf = (rows: readonly TableRow[], headings: readonly string[]): number => {
  const body = rows.filter((row) => filledCells(row) > 1);
  if (body.length === 0) return 0;
  const fits = body.filter(({ cells }) =>
    cells.some((cell, index) => (headings[index] ?? "").trim() !== "" && (isAmountCell(cell.trim()) || looksLikeDate(cell.trim()))),
  );
  return (fits.length / body.length) * 6;
};
