import { usageError } from "../errors.ts";
import type { CellMark, TableRow } from "./cell.ts";

/** One character. */
export type Delimiter = string;

const aroundQuote: CellMark = {
  kind: "quote",
  says: 'has text around a quote: put the whole cell in quotes, with no space before, and write a quote inside twice ("")',
};
const holdsRows: CellMark = { kind: "rows", says: "is a quoted text that holds lines which look like rows: is a quote lost, or one too many?" };

const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;
/** One cell that never ends is a lost quote, not data. */
const cellMax = 1_000_000;
/** An unfinished row is looked through again with each piece that comes: without a bound a giant one would take hours. */
const rowMax = 1_000_000;
/** As many as a sheet has. */
const columnsMax = 16_384;

type Parsed = {
  readonly row: TableRow;
  /** Where the next row begins. */
  readonly next: number;
  /** How many line ends it has, its own included. */
  readonly lines: number;
};

/** Returns a function that parses the row at `from`. It gives undefined if more text (`last` is false) could still belong to that row. */
const createRowParser = (delimiter: Delimiter, name: string) => {
  const separator = delimiter.charCodeAt(0);
  const ends = `\\u${separator.toString(16).padStart(4, "0")}\\r\\n`;
  const plain = new RegExp(`[^${ends}]*`, "y");
  const behindQuote = new RegExp(` {0,64}(?:(?=[${ends}])|$)`, "y");
  return (text: string, from: number, line: number, last: boolean): Parsed | undefined => {
    const cells: string[] = [];
    const tall: number[] = [];
    let marks: (CellMark | undefined)[] | undefined;
    let lines = 0;
    let at = from;
    for (;;) {
      if (text.charCodeAt(at) === quote) {
        const quoted = readQuoted(text, at, last);
        if (quoted === undefined && !last && text.length - from < cellMax) return undefined;
        if (quoted === undefined) throw wrongLine(name, line + lines, "opens a quote that is never closed", "Correct the quote and run again");
        const inside = lineEndsIn(text, at, quoted.end);
        if (inside > 0) tall.push(cells.length);
        lines += inside;
        cells.push(quoted.cell);
        behindQuote.lastIndex = quoted.end;
        if (!behindQuote.test(text)) throw wrongLine(name, line + lines, "has text after a closing quote", 'Write a quote inside a quoted cell twice: ""');
        at = behindQuote.lastIndex;
      } else {
        plain.lastIndex = at;
        plain.test(text);
        const cell = text.slice(at, plain.lastIndex);
        if (cell.includes('"')) {
          marks ??= [];
          marks[cells.length] = aroundQuote;
        }
        cells.push(cell);
        at = plain.lastIndex;
      }
      if (cells.length > columnsMax) throw wrongLine(name, line, `has more than ${columnsMax} cells`, oneRowALine);
      if (at >= text.length && !last) return undefined;
      if (at >= text.length) break;
      const end = text.charCodeAt(at);
      at += 1;
      // A cell, or a line feed, may come in the next piece.
      if (at >= text.length && !last && end !== lineFeed) return undefined;
      if (end === separator) continue;
      if (end === carriageReturn && text.charCodeAt(at) === lineFeed) at += 1;
      lines += 1;
      break;
    }
    for (const column of tall) {
      if (!isLikeRows(cells[column] ?? "", delimiter, cells.length)) continue;
      marks ??= [];
      marks[column] = holdsRows;
    }
    return { row: marks === undefined ? { line, cells } : { line, cells, marks }, next: at, lines };
  };
};

const oneRowALine = "Is it a table with one row a line?";
const wrongLine = (name: string, line: number, why: string, hint: string): Error => usageError(`Line ${line} of ${name} ${why}.`, hint);

/**
 * Reads delimited text piece by piece (RFC 4180, with any line end). Each row has its first physical line, counted from 1,
 * line ends inside quotes included. Throws CliError usage, naming the line, for a quote that is never closed and for text
 * after a closing quote: guessing there would move amounts between columns. Other quotes that may do so are marked.
 *
 * Our own and not csv-parse, which counts records where line ends are mixed, and is several times slower at a million rows.
 */
export const createRowReader = (delimiter: Delimiter, onRow: (row: TableRow) => void, name = "the file") => {
  const parseRow = createRowParser(delimiter, name);
  let pending = "";
  let line = 1;
  /** Gives the rows that are whole, and keeps the unfinished one. */
  const giveRows = (last: boolean): void => {
    let at = 0;
    while (at < pending.length) {
      const parsed = parseRow(pending, at, line, last);
      if (parsed === undefined) break;
      onRow(parsed.row);
      line += parsed.lines;
      at = parsed.next;
    }
    pending = pending.slice(at);
  };
  return {
    push(text: string): void {
      pending += text;
      giveRows(false);
      if (pending.length > rowMax) throw wrongLine(name, line, `is longer than ${rowMax} characters`, oneRowALine);
    },
    end: (): void => giveRows(true),
  };
};

/** The quoted cell that begins at `at`, and where it ends; undefined if the text may end before it does. */
const readQuoted = (text: string, at: number, last: boolean): { readonly cell: string; readonly end: number } | undefined => {
  let from = at + 1;
  let cell = "";
  for (;;) {
    const close = text.indexOf('"', from);
    if (close < 0 || (close + 1 >= text.length && !last)) return undefined;
    if (text.charCodeAt(close + 1) !== quote) return { cell: cell + text.slice(from, close), end: close + 1 };
    cell += text.slice(from, close + 1);
    from = close + 2;
  }
};

/** After a lost quote a cell holds the separators of at least one whole row. */
const isLikeRows = (cell: string, delimiter: Delimiter, width: number): boolean => cell.split(delimiter).length >= Math.max(width, 3);

const lineEndsIn = (text: string, from: number, to: number): number => {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === lineFeed || (code === carriageReturn && text.charCodeAt(at + 1) !== lineFeed)) count += 1;
  }
  return count;
};

type Split = { readonly delimiter: Delimiter; readonly rows: number; readonly width: number };

/** How a delimiter explains a text: how many rows have the width that explains most of it. */
const splitBy = (text: string, delimiter: Delimiter): Split => {
  const widths = new Map<number, number>();
  const reader = createRowReader(delimiter, ({ cells, marks }) => {
    // A quote inside a cell says that the cell was cut in the wrong place.
    if (cells.length > 1 && marks === undefined) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
  });
  try {
    reader.push(text);
    reader.end();
  } catch {
    // A quote that makes no sense under this delimiter speaks against it; what was read until then still counts.
  }
  let best: Split = { delimiter, rows: 0, width: 1 };
  for (const [width, rows] of widths) if (rows * (width - 1) > best.rows * (best.width - 1)) best = { delimiter, rows, width };
  return best;
};

const usual: readonly Delimiter[] = [",", ";", "\t"];
const unusual: readonly Delimiter[] = ["|", "~", "^", "\u001f", "\u0001"];

/**
 * The delimiter, by the whole of what is given, not by its first line. An unusual one stands in narratives too: it has to cut as
 * many rows, and each into more cells, headings included.
 */
export const findDelimiter = (text: string): Delimiter => {
  let found: Split = { delimiter: ",", rows: 0, width: 1 };
  for (const delimiter of usual) {
    const split = splitBy(text, delimiter);
    if (split.rows * (split.width - 1) > found.rows * (found.width - 1)) found = split;
  }
  for (const delimiter of unusual) {
    if (!text.includes(delimiter)) continue;
    const split = splitBy(text, delimiter);
    if (split.rows >= Math.max(found.rows, 1) && split.width > found.width) found = split;
  }
  return found.delimiter;
};

/** The delimiter that a first line such as `sep=;` names; spreadsheets write and obey it. Throws CliError usage for one that cannot be. */
export const statedDelimiter = (text: string, name: string): Delimiter | undefined => {
  const [, stated] = /^"?sep=(.)"?\s*(?:[\r\n]|$)/i.exec(text) ?? [];
  if (stated === undefined || /[^\p{L}\p{N}"'\s]|\t/u.test(stated)) return stated;
  throw usageError(`Line 1 of ${name} says that "${stated}" separates the cells.`, "Export it with commas, semicolons or tabs");
};
