import { SaxesParser, type SaxesTagNS } from "saxes";
import { usageError } from "../errors.ts";
import type { CellMark } from "./cell.ts";
import { chooseSheet, type SheetOptions } from "./choose-sheet.ts";
import { isBoolean, isDate, isFormula, isMerged, numberText, putCell, type SheetRow } from "./sheet-cells.ts";
import { type Survey, surveyOfRows } from "./sheet-facts.ts";
import { UnreadableWorkbook } from "./unreadable.ts";
import type { OpenPart } from "./workbook.ts";
import { createOpenPart, withPassword } from "./workbook-parts.ts";
import type { ZipEntry } from "./zip.ts";

const contentBytesMax = 256 * 1024 * 1024;
const manifestBytesMax = 4 * 1024 * 1024;
const rowsMax = 1_048_576;
const cellsMax = 4_000_000;
const depthMax = 200;
/** No cell, comment or tag is longer. */
const silenceMax = 1_000_000;
const isNumber: CellMark = { kind: "number", says: "is a number" };
const isPercent: CellMark = { kind: "unclear", says: "is a percentage" };

type Sheet = { readonly title: string; hidden: boolean; readonly rows: SheetRow[]; readonly hiddenColumns: Set<number>; columns: number; line: number };
type Cell = { readonly attribute: Attribute; text: string; paragraphs: number };
type Attribute = (name: string) => string | undefined;

/** Opens a sheet of an OpenDocument workbook. Dates are as the sheet holds them: `2026-03-14T08:00:00`. Throws CliError usage and UnreadableWorkbook. */
export const openOds = async (entries: ReadonlyMap<string, ZipEntry>, name: string, options: SheetOptions): Promise<Survey> => {
  const open = createOpenPart(entries);
  if (await isEncrypted(entries, open)) throw withPassword(name);
  const reader = createOdsReader();
  await feed(open("content.xml", contentBytesMax), reader.write);
  reader.end();
  const sheets = reader.sheets.map(({ title, hidden, rows, hiddenColumns }) => ({ title, hidden, survey: async () => surveyOfRows(rows, hiddenColumns) }));
  if (sheets.length === 0)
    throw usageError(`${name} is an OpenDocument file without a sheet.`, "Copy its table into a spreadsheet, and save that as .xlsx or CSV");
  return await chooseSheet(sheets, name, options);
};

/** The list of parts says how each that is locked can be opened. */
const isEncrypted = async (entries: ReadonlyMap<string, ZipEntry>, open: OpenPart): Promise<boolean> => {
  if (!entries.has("meta-inf/manifest.xml")) return false;
  const parts: Uint8Array[] = [];
  for await (const piece of open("META-INF/manifest.xml", manifestBytesMax)) parts.push(piece.slice());
  return Buffer.concat(parts).includes(":encryption-data");
};

const feed = async (pieces: AsyncIterable<Uint8Array>, write: (text: string) => void): Promise<void> => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const piece of pieces) write(decoder.decode(piece, { stream: true }));
    write(decoder.decode());
  } catch (cause) {
    if (cause instanceof TypeError) throw new UnreadableWorkbook("its content is no text", { cause });
    throw cause;
  }
};

type OpenRow = { readonly made: SheetRow; readonly repeated: number; column: number };

/** Builds the sheets of a document's content. What stands beside the cells (comments, drawings, changes) is passed over. */
const createOdsReader = () => {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const sheets: Sheet[] = [];
  const hiddenStyles = new Set<string>();
  let style = "";
  let depth = 0;
  let skippedFrom = 0;
  let sheet: Sheet | undefined;
  let row: OpenRow | undefined;
  let cell: Cell | undefined;
  let cellsHeld = 0;
  let silence = 0;

  const closeRow = (): void => {
    if (sheet === undefined || row === undefined) return;
    cellsHeld += row.made.cells.length * row.repeated;
    if (cellsHeld > cellsMax) throw new UnreadableWorkbook(`it has more than ${cellsMax} cells`);
    addRow(sheet, row);
    row = undefined;
  };
  const closeCell = (): void => {
    if (row !== undefined && cell !== undefined) addCell(row, cell);
    cell = undefined;
  };
  const openIn = (local: string, attribute: Attribute): void => {
    if (local === "style") style = attribute("name") ?? "";
    else if (local === "table-properties" && attribute("display") === "false") hiddenStyles.add(style);
    else if (local === "table") {
      sheet = newSheet(attribute("name") ?? "", hiddenStyles.has(attribute("style-name") ?? ""));
      sheets.push(sheet);
    } else if (local === "table-column" && sheet !== undefined) addColumns(sheet, attribute);
    else if (local === "table-row") row = sheet === undefined ? undefined : newRow(sheet, attribute);
    else if (local === "table-cell" || local === "covered-table-cell") cell = { attribute, text: "", paragraphs: 0 };
    else if (cell !== undefined) openText(cell, local, attribute);
  };
  parser.on("error", (cause) => {
    throw new UnreadableWorkbook("its content is not sound XML", { cause });
  });
  parser.on("doctype", () => {
    throw new UnreadableWorkbook("its content has a DOCTYPE");
  });
  parser.on("opentag", (tag) => {
    depth += 1;
    if (depth > depthMax) throw new UnreadableWorkbook("its content is nested too deeply");
    if (skippedFrom > 0) return;
    if (isBeside(tag.local) || (tag.local === "table" && sheet !== undefined)) skippedFrom = depth;
    else openIn(tag.local, attributeOf(tag));
  });
  parser.on("text", (text) => {
    if (skippedFrom === 0 && cell !== undefined && cell.paragraphs > 0) cell.text += text;
  });
  parser.on("closetag", ({ local }) => {
    if (skippedFrom === 0) {
      if (local === "table-cell" || local === "covered-table-cell") closeCell();
      else if (local === "table-row") closeRow();
      else if (local === "table") sheet = undefined;
    } else if (skippedFrom === depth) skippedFrom = 0;
    depth -= 1;
    silence = 0;
  });
  const write = (text: string): void => {
    silence += text.length;
    if (silence > silenceMax) throw new UnreadableWorkbook("it has a piece of text that is too long");
    parser.write(text);
  };
  return { sheets, write, end: (): unknown => parser.close() };
};

const newSheet = (title: string, hidden: boolean): Sheet => ({ title, hidden, rows: [], hiddenColumns: new Set(), columns: 0, line: 0 });

const newRow = ({ line }: Sheet, attribute: Attribute): OpenRow => {
  const hidden = (attribute("visibility") ?? "visible") !== "visible";
  return { made: { line: line + 1, cells: [], marks: [], hidden }, repeated: countOf(attribute("number-rows-repeated"), rowsMax), column: 0 };
};

const addRow = (sheet: Sheet, { made, repeated }: OpenRow): void => {
  if (made.cells.length > 0) for (let copy = 0; copy < repeated; copy += 1) sheet.rows.push({ ...made, line: made.line + copy });
  sheet.line += repeated;
  if (made.cells.length > 0 && sheet.line > rowsMax) throw new UnreadableWorkbook(`it has more than ${rowsMax} rows`);
};

const addCell = (row: OpenRow, cell: Cell): void => {
  const { attribute } = cell;
  const repeated = countOf(attribute("number-columns-repeated"), 16_384);
  const isSpan = countOf(attribute("number-columns-spanned"), 16_384) > 1 || countOf(attribute("number-rows-spanned"), rowsMax) > 1;
  const { text, mark } = contentOf(cell);
  const known = attribute("formula") !== undefined ? isFormula : isSpan && text !== "" ? isMerged : mark;
  if (text !== "" || known !== undefined) for (let copy = 0; copy < repeated; copy += 1) putCell(row.made, row.column + copy, text, known);
  row.column += repeated;
};

const addColumns = (sheet: Sheet, attribute: Attribute): void => {
  const repeated = countOf(attribute("number-columns-repeated"), 16_384);
  if ((attribute("visibility") ?? "visible") !== "visible") for (let copy = 0; copy < repeated; copy += 1) sheet.hiddenColumns.add(sheet.columns + copy);
  sheet.columns += repeated;
};

const isBeside = (local: string): boolean => ["annotation", "shapes", "frame", "tracked-changes", "dde-links", "forms"].includes(local);

const attributeOf =
  ({ attributes }: SaxesTagNS): Attribute =>
  (name) =>
    Object.values(attributes).find(({ local }) => local === name)?.value;

const countOf = (text: string | undefined, max: number): number => {
  if (text === undefined) return 1;
  const count = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > max * 2) throw new UnreadableWorkbook(`it repeats something "${text.slice(0, 20)}" times`);
  return count;
};

const openText = (cell: Cell, local: string, attribute: Attribute): void => {
  if (local === "p") {
    if (cell.paragraphs > 0) cell.text += "\n";
    cell.paragraphs += 1;
  } else if (local === "s") cell.text += " ".repeat(Math.min(countOf(attribute("c"), 1000), 1000));
  else if (local === "tab") cell.text += "\t";
  else if (local === "line-break") cell.text += "\n";
};

/** `PT08H05M12S` as `08:05:12`. */
const clockOf = (duration: string): string => {
  const [, hours = "", minutes = "", seconds = ""] = /^PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(duration) ?? [];
  return hours === "" ? duration : [hours, minutes, seconds].map((part) => part.padStart(2, "0")).join(":");
};

const contentOf = ({ attribute, text }: Cell): { readonly text: string; readonly mark?: CellMark } => {
  const type = attribute("value-type");
  if (type === "date") return { text: attribute("date-value") ?? text, mark: isDate };
  if (type === "time") return { text: clockOf(attribute("time-value") ?? text), mark: isDate };
  if (type === "boolean") return { text: attribute("boolean-value") === "true" ? "TRUE" : "FALSE", mark: isBoolean };
  if (type !== "float" && type !== "currency" && type !== "percentage") return { text: attribute("string-value") ?? text };
  const number = numberText(attribute("value") ?? "");
  if (number === undefined) throw new UnreadableWorkbook("it holds a number that cannot be read");
  return { text: number, mark: type === "percentage" ? isPercent : isNumber };
};
