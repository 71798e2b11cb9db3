import { CliError, usageError } from "../errors.ts";
import type { TableRow } from "./cell.ts";
import { readSheet } from "./sheet.ts";
import { UnreadableWorkbook } from "./unreadable.ts";
import { type OpenPart, readWorkbook, type Sheet, type Workbook } from "./workbook.ts";
import { readZip, type ZipEntry } from "./zip.ts";

/** What the parts that are read may unpack to: a sheet of 20,000 rows is far below it. */
const unpackedMax = 64 * 1024 * 1024;

export type SheetOptions = {
  /** The sheet to read, by its name; the only visible one with anything on it if absent. */
  readonly sheet?: string | undefined;
  /** The flag that names it. */
  readonly flag?: string;
  /** May a sheet that is hidden be named? */
  readonly includeHidden?: boolean;
};
export type SheetTable = { readonly rows: readonly TableRow[]; readonly hiddenColumns: ReadonlySet<number>; readonly datesFrom1904: boolean };

/**
 * Reads a sheet of a workbook. Texts are as the sheet holds them (dates as serial numbers); marks say where it shows something
 * else. Throws CliError usage.
 */
export const readXlsx = async (bytes: Uint8Array, name: string, options: SheetOptions): Promise<SheetTable> => {
  try {
    const entries = readZip(bytes);
    refuseOthers(entries, name);
    let left = unpackedMax;
    const open: OpenPart = async function* (path) {
      const entry = entries.get(path.toLowerCase());
      if (entry === undefined) throw new UnreadableWorkbook(`its part ${path} is missing`);
      for await (const piece of entry.pieces()) {
        left -= piece.length;
        if (left < 0) throw new UnreadableWorkbook(`it unpacks to more than ${unpackedMax / 1024 / 1024} MB`);
        yield piece;
      }
    };
    const workbook = await readWorkbook(entries, open);
    const table = await readOneSheet(workbook, open, name, options);
    return { ...table, datesFrom1904: workbook.datesFrom1904 };
  } catch (cause) {
    if (!(cause instanceof UnreadableWorkbook)) throw cause;
    throw new CliError("usage", `${name} is a workbook that cannot be read: ${cause.message}.`, {
      hint: "open it in a spreadsheet program and save it again, or save it as CSV",
      cause,
    });
  }
};

/** Zip files that are no workbook of this kind, by a part that only they have. */
const others: readonly (readonly [part: string, what: string, todo: string])[] = [
  ["xl/workbook.bin", "a binary workbook (.xlsb)", "save it as .xlsx or CSV"],
  ["content.xml", "an OpenDocument file (.ods or the like)", "save it as .xlsx or CSV"],
  ["index/document.iwa", "a file of Apple Numbers, Pages or Keynote", "export it as .xlsx or CSV"],
  ["word/document.xml", "a Word document", "copy its table into a spreadsheet and save that as .xlsx or CSV"],
  ["ppt/presentation.xml", "a presentation", "copy its table into a spreadsheet and save that as .xlsx or CSV"],
];

const refuseOthers = (entries: ReadonlyMap<string, ZipEntry>, name: string): void => {
  if ([...entries.values()].some(({ encrypted }) => encrypted))
    throw usageError(`${name} is protected by a password.`, "unpack it with the password, and give what is inside");
  const [, what, todo] = others.find(([part]) => entries.has(part)) ?? [];
  if (what !== undefined) throw usageError(`${name} is ${what}, which is not read.`, todo);
  if (![...entries.keys()].some((part) => part.startsWith("xl/")))
    throw usageError(`${name} is a zip file, but not a workbook.`, "unpack it, and give the file inside");
};

const readOneSheet = async (workbook: Workbook, open: OpenPart, name: string, options: SheetOptions) => {
  const read = ({ path }: Sheet) => readSheet(open(path), path, workbook);
  if (options.sheet !== undefined) return await read(chosenSheet(workbook.sheets, options.sheet, name, options.includeHidden ?? false));
  const visible = workbook.sheets.filter(({ hidden }) => !hidden);
  let filled: Awaited<ReturnType<typeof readSheet>> | undefined;
  for (const sheet of visible) {
    const table = await read(sheet);
    if (table.rows.length === 0) continue;
    if (filled !== undefined)
      throw usageError(`${name} has several visible sheets: ${titlesOf(visible)}.`, `choose one with ${options.flag ?? "--sheet"} NAME`);
    filled = table;
  }
  if (filled === undefined && visible.length < workbook.sheets.length)
    throw usageError(
      `${name} shows no sheet with rows; hidden: ${titlesOf(workbook.sheets.filter(({ hidden }) => hidden))}.`,
      "show the sheet that is meant, and save the file",
    );
  return filled ?? { rows: [], hiddenColumns: new Set<number>() };
};

const titlesOf = (sheets: readonly Sheet[]): string => {
  const shown = sheets.slice(0, 10).map(({ title }) => title);
  return sheets.length > shown.length ? `${shown.join(", ")} and ${sheets.length - shown.length} more` : shown.join(", ");
};

/** Names of sheets are compared as spreadsheets do, without regard to case. */
const chosenSheet = (sheets: readonly Sheet[], wanted: string, name: string, includeHidden: boolean): Sheet => {
  const [sheet, ...more] = sheets.filter(({ title }) => title.toLowerCase() === wanted.toLowerCase());
  if (sheet === undefined) throw usageError(`${name} has no sheet ${wanted}.`, `its sheets are: ${titlesOf(sheets)}`);
  if (more.length > 0) throw new UnreadableWorkbook(`it has several sheets with the name ${wanted}`);
  if (sheet.hidden && !includeHidden) throw usageError(`The sheet ${sheet.title} of ${name} is hidden.`, "add --include-hidden to pay what it holds");
  return sheet;
};
