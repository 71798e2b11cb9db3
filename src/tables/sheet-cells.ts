import { type CellMark, columnLetters } from "./cell.ts";
import type { CellFormat } from "./number-format.ts";
import { readAddress } from "./sheet-ranges.ts";
import { UnreadableWorkbook } from "./unreadable.ts";
import { createTextItem, unescaped, type Workbook } from "./workbook.ts";
import type { Attributes, XmlShape } from "./xml.ts";

const columnsMax = 512;

export const isFormula: CellMark = { kind: "formula", says: "is a formula, and its result may be an old one: put values in place of formulas" };
export const isMerged: CellMark = { kind: "unclear", says: "is part of merged cells: split them" };
export const isDate: CellMark = { kind: "date", says: "is a date or time" };
export const isBoolean: CellMark = { kind: "unclear", says: "is a truth value, neither text nor a number" };
export const isError: CellMark = { kind: "unclear", says: "is an error of the spreadsheet" };
const isLong: CellMark = { kind: "unclear", says: "is a number of more than 15 digits, so its last digits are lost: keep it as text" };

export type SheetRow = {
  readonly line: number;
  readonly cells: string[];
  readonly marks: (CellMark | undefined)[];
  readonly hidden: boolean;
};
type Cell = {
  readonly name: string;
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value?: string;
  inline?: string;
  formula: boolean;
};
type Content = { readonly text: string; readonly mark?: CellMark | undefined };

/** Puts a cell behind those that its row has already, unless nothing is in it. Throws UnreadableWorkbook for one too far to the right. */
export const putCell = (row: SheetRow, column: number, text: string, mark: CellMark | undefined): void => {
  if (text === "" && mark === undefined) return;
  if (column >= columnsMax) throw new UnreadableWorkbook(`its cell ${columnLetters(column)}${row.line} lies beyond ${columnsMax} columns`);
  while (row.cells.length < column) row.cells.push("");
  row.cells.push(text);
  if (mark !== undefined) row.marks[column] = mark;
};

/** Reads the cells of one row after the other into it; `onFormulas` gets the area that one formula fills. */
export const createCellReader = (workbook: Workbook, onFormulas: (area: string) => void) => {
  let row: SheetRow | undefined;
  let next = 0;
  let cell: Cell | undefined;
  const item = createTextItem();
  const open = (attribute: Attributes): void => {
    if (row === undefined) return;
    const address = attribute("r");
    const { column, line } = address === undefined ? { column: next, line: row.line } : readAddress(address);
    const name = `${columnLetters(column)}${line}`;
    if (column < next || line !== row.line) throw new UnreadableWorkbook(`its cell ${name} comes twice or out of order`);
    next = column + 1;
    cell = { name, column, type: attribute("t") ?? "n", style: Number(attribute("s") ?? 0), formula: false };
  };
  const close = (): void => {
    if (row === undefined || cell === undefined) return;
    const { text, mark } = contentOf(cell, workbook);
    const known = cell.formula ? isFormula : mark;
    putCell(row, cell.column, text, known);
  };
  const is: XmlShape = {
    close: () => {
      if (cell !== undefined) cell.inline = item.take();
    },
    children: item.shape,
  };
  const v: XmlShape = {
    close: (text) => {
      if (cell?.value !== undefined) throw new UnreadableWorkbook(`its cell ${cell.name} has two values`);
      if (cell !== undefined) cell.value = text;
    },
  };
  const f: XmlShape = {
    open: (attribute) => {
      if (cell !== undefined) cell.formula = true;
      const type = attribute("t");
      if (type === "array" || type === "dataTable") onFormulas(attribute("ref") ?? "");
    },
    close: () => undefined,
  };
  return {
    startRow: (started: SheetRow): void => {
      row = started;
      next = 0;
    },
    shape: { open, close, children: { v, is, f } } satisfies XmlShape,
  };
};

const contentOf = ({ name, type, style, value = "", inline }: Cell, { strings, formats, datesFrom1904 }: Workbook): Content => {
  const format = formats[style];
  const wrong = (): UnreadableWorkbook => new UnreadableWorkbook(`its cell ${name} cannot be read`);
  if (format === undefined || (inline !== undefined && (type !== "inlineStr" || value !== ""))) throw wrong();
  const asText = (text: string): Content => ({ text, mark: text === "" ? undefined : format.textMark });
  if (type === "inlineStr") return asText(inline ?? "");
  if (value.trim() === "") return { text: "" };
  if (type === "str") return asText(unescaped(value));
  if (type === "s") {
    const text = /^\s*\d+\s*$/.test(value) ? strings[Number(value)] : undefined;
    if (text === undefined) throw wrong();
    return asText(text);
  }
  if (type === "b") return { text: /^\s*(?:1|true)\s*$/.test(value) ? "TRUE" : "FALSE", mark: isBoolean };
  if (type === "e") return { text: value, mark: isError };
  if (type === "d") return { text: value, mark: isDate };
  const text = type === "n" ? numberText(value.trim()) : undefined;
  if (text === undefined) throw wrong();
  return numberContent(text, format, datesFrom1904);
};

/** A number, with what its format makes of it. */
export const numberContent = (text: string, format: CellFormat, datesFrom1904: boolean): { readonly text: string; readonly mark: CellMark } => {
  const mark = /\d{16}/.test(text) ? isLong : format.markNumber(text);
  // A format of zeros is how sheets keep the zeros that an account number begins with.
  const shown = mark.shown !== undefined && /^0\d+$/.test(mark.shown) ? mark.shown : text;
  return { text: datesFrom1904 && mark.kind === "date" ? from1904(text) : shown, mark };
};

/** Days between the two dates from which spreadsheets count. */
const daysTo1904 = 1462;
/** A date of a workbook that counts from 1904, as others count it. A time of day alone stays. */
const from1904 = (text: string): string => (Number(text) >= 1 ? String(Number((Number(text) + daysTo1904).toPrecision(15))) : text);

/**
 * A sheet keeps binary fractions: what it shows as 0.3 may be written 0.30000000000000004. It shows fifteen digits at most, which
 * is no reason to change the cents of a large number. Undefined for what is not a number.
 */
export const numberText = (value: string): string | undefined => {
  if (/^-?(?:0|[1-9]\d{0,14}|\d{14,}\.\d+)$/.test(value)) return value;
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,4})?$/i.test(value)) return undefined;
  const number = Number(value);
  if (!Number.isFinite(number)) return undefined;
  const rounded = Number(number.toPrecision(15));
  return Math.abs(rounded) >= 1e15 || (rounded !== 0 && Math.abs(rounded) < 1e-6) ? value : String(rounded);
};
