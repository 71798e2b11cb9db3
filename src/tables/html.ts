import { Parser } from "htmlparser2";
import { usageError } from "../errors.ts";
import type { TableRow } from "./cell.ts";

/** Deeper nesting is an attack: the parser looks through all open elements for each that ends. */
const depthMax = 1000;
const cellMax = 1_000_000;
/** Between two tags; what is longer would be held whole. */
const silenceMax = 2_000_000;
const spanMax = 512;
const breaks: readonly string[] = ["br", "p", "div", "li"];

type OpenRow = { readonly cells: string[]; readonly hidden: boolean };
type OpenCell = { readonly row: OpenRow; text: string; readonly columns: number; readonly rows: number };
/** `covered`: for how many more rows a cell from above fills this column. */
type OpenTable = { readonly covered: number[]; row?: OpenRow | undefined; cell?: OpenCell | undefined };

const spanOf = (text: string | undefined): number => Math.min(Math.max(Number.parseInt(text ?? "1", 10) || 1, 1), spanMax);
const isHidden = (attributes: Readonly<Record<string, string>>): boolean => "hidden" in attributes || /display\s*:\s*none/i.test(attributes["style"] ?? "");

/** Lines of a cell are shown one below the other: two numbers in two lines are not one. */
const shownText = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .reduce((above, line) => `${above}${above === "" ? "" : /\d$/.test(above) && /^\d/.test(line) ? "\n" : " "}${line}`, "");

/** Puts the open cell into its row, behind what cells from above cover. Returns how many cells the row has then. */
const placeCell = (table: OpenTable): number => {
  const { cell } = table;
  if (cell === undefined) return 0;
  table.cell = undefined;
  const { cells } = cell.row;
  while ((table.covered[cells.length] ?? 0) > 0) cells.push("");
  for (let index = 0; index < cell.columns; index += 1) {
    if (cell.rows > 1) table.covered[cells.length] = cell.rows;
    cells.push(index === 0 ? shownText(cell.text) : "");
  }
  return cells.length;
};

/** The open row, which is open no more. */
const takeRow = (table: OpenTable): OpenRow | undefined => {
  const { row } = table;
  if (row === undefined) return undefined;
  table.row = undefined;
  for (const [column, rows] of table.covered.entries()) table.covered[column] = Math.max((rows ?? 0) - 1, 0);
  return row;
};

/**
 * Reads the rows of all tables of a web page, one after the other, with the text that their cells show. A cell that covers
 * others leaves those empty. Throws CliError usage for a page that is cut off.
 */
export const createHtmlReader = (onRow: (row: TableRow) => void, name: string) => {
  const tables: OpenTable[] = [];
  let depth = 0;
  let line = 0;
  let skipped = 0;
  let silence = 0;
  const broken = (why: string): Error => usageError(`${name} is a web page that ${why}.`, "Open it in a spreadsheet program and save it as .xlsx or CSV");

  const endCell = (table: OpenTable): void => {
    if (placeCell(table) > spanMax) throw broken(`has a row of more than ${spanMax} cells`);
  };
  const endRow = (table: OpenTable): void => {
    endCell(table);
    const row = takeRow(table);
    if (row === undefined) return;
    line += 1;
    onRow(row.hidden ? { line, cells: row.cells, hidden: true } : { line, cells: row.cells });
  };
  const open = (tag: string, attributes: Readonly<Record<string, string>>): void => {
    depth += 1;
    silence = 0;
    if (depth > depthMax) throw broken("is nested too deeply");
    if (tag === "script" || tag === "style") skipped += 1;
    const table = tables.at(-1);
    if (tag === "table") tables.push({ covered: [] });
    else if (table === undefined) return;
    else if (tag === "tr") {
      endRow(table);
      table.row = { cells: [], hidden: isHidden(attributes) };
    } else if (tag === "td" || tag === "th") {
      endCell(table);
      table.row ??= { cells: [], hidden: false };
      table.cell = { row: table.row, text: "", columns: spanOf(attributes["colspan"]), rows: spanOf(attributes["rowspan"]) };
    } else if (breaks.includes(tag) && table.cell !== undefined) table.cell.text += "\n";
  };
  const close = (tag: string): void => {
    depth -= 1;
    silence = 0;
    if (tag === "script" || tag === "style") skipped -= 1;
    const table = tables.at(-1);
    if (table === undefined) return;
    if (tag === "td" || tag === "th") endCell(table);
    else if (tag === "tr") endRow(table);
    else if (tag === "table") {
      endRow(table);
      tables.pop();
    }
  };
  const text = (part: string): void => {
    const cell = tables.at(-1)?.cell;
    if (cell === undefined || skipped > 0) return;
    cell.text += part.replaceAll("\n", " ");
    if (cell.text.length > cellMax) throw broken("has a cell that never ends");
  };
  const parser = new Parser({ onopentag: open, onclosetag: close, ontext: text });
  return {
    push: (piece: string): void => {
      silence += piece.length;
      if (silence > silenceMax) throw broken("has a tag or text that never ends");
      parser.write(piece);
    },
    end: (): void => {
      if (tables.length > 0) throw broken("is cut off: its table does not end");
      parser.end();
      if (line === 0) throw usageError(`${name} is a web page without a table.`, "Was a sign-in or error page saved in its place? Export the table again.");
    },
  };
};
