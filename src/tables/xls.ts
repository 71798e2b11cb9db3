import { type CellObject, CFB, read, type WorkSheet } from "@e965/xlsx";
import { usageError } from "../errors.ts";
import { checkRecords } from "./biff-records.ts";
import type { CellMark } from "./cell.ts";
import { chooseSheet, type SheetOptions } from "./choose-sheet.ts";
import { type CellFormat, createFormats } from "./number-format.ts";
import { isBoolean, isError, isFormula, isMerged, numberContent, numberText, putCell, type SheetRow } from "./sheet-cells.ts";
import { from1904Note, type Survey, surveyOfRows } from "./sheet-facts.ts";
import { createRanges } from "./sheet-ranges.ts";
import { UnreadableWorkbook } from "./unreadable.ts";
import { readNamed, withPassword } from "./workbook-parts.ts";

/** The directory of a container has names in UTF-16. */
const encryptedName = Buffer.from("EncryptedPackage", "utf16le");

/**
 * Opens a sheet of a workbook of an old Office program (.xls), from its bytes. Cells are read by SheetJS, under the name by which
 * its releases since 0.19 are on the registry (0.18.5, the last one under its own, has known faults); what it would take silently
 * for the end of a sheet is found before. Throws CliError usage.
 */
export const openXls = async (bytes: Uint8Array, name: string, options: SheetOptions): Promise<Survey> =>
  await readNamed(name, async () => {
    const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (file.includes(encryptedName)) throw withPassword(name);
    if (checkRecords(workbookStream(file, name)) === "encrypted") throw withPassword(name);
    const book = attempt(() =>
      read(file, { type: "buffer", dense: true, cellFormula: true, cellNF: true, cellText: false, cellHTML: false, cellStyles: true }),
    );
    const datesFrom1904 = book.Workbook?.WBProps?.date1904 === true;
    const formatOf = createFormats();
    const sheets = book.SheetNames.flatMap((title, index) => {
      const sheet = book.Sheets[title];
      if (sheet === undefined || ![undefined, "sheet"].includes(sheet["!type"])) return [];
      const hidden = (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0;
      return { title, hidden, survey: async () => surveyXls(sheet, formatOf, datesFrom1904) };
    });
    const survey = await chooseSheet(sheets, name, options);
    return datesFrom1904 ? { ...survey, notes: [...survey.notes, from1904Note] } : survey;
  });

const attempt = <Result>(run: () => Result): Result => {
  try {
    return run();
  } catch (cause) {
    throw new UnreadableWorkbook("it is cut off or damaged", { cause });
  }
};

/** The stream that holds the cells. Throws CliError usage for a file of another Office program, UnreadableWorkbook for one cut off. */
const workbookStream = (file: Buffer, name: string): Buffer => {
  const container = attempt(() => CFB.read(file, { type: "buffer" }));
  const found = CFB.find(container, "/Workbook") ?? CFB.find(container, "/Book");
  if (found === null || found === undefined)
    throw usageError(`${name} is a file of an old Office program that holds no workbook.`, "Copy its table into a spreadsheet, and save that as .xlsx or CSV");
  const content: unknown = found.content;
  if (!(content instanceof Uint8Array) || content.length < found.size) throw new UnreadableWorkbook("it is cut off within a sheet");
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
};

const surveyXls = (sheet: WorkSheet, formatOf: (code: string) => CellFormat, datesFrom1904: boolean): Survey => {
  const rows: SheetRow[] = [];
  const merged = createRanges(isMerged);
  for (const { s, e } of sheet["!merges"] ?? []) merged.addRange({ top: s.r + 1, left: s.c, bottom: e.r + 1, right: e.c });
  const mark = merged.createMarker();
  const data: readonly (readonly (CellObject | undefined)[] | undefined)[] = sheet["!data"] ?? [];
  data.forEach((cells, index) => {
    const row: SheetRow = { line: index + 1, cells: [], marks: [], hidden: sheet["!rows"]?.[index]?.hidden === true };
    cells?.forEach((cell, column) => {
      if (cell !== undefined) putContent(row, column, cell, { formatOf, datesFrom1904 });
    });
    if (row.cells.length === 0) return;
    mark(row);
    rows.push(row);
  });
  const hiddenColumns = new Set<number>();
  sheet["!cols"]?.forEach((column, index) => {
    if (column?.hidden === true) hiddenColumns.add(index);
  });
  return surveyOfRows(rows, hiddenColumns);
};

type Formats = { readonly formatOf: (code: string) => CellFormat; readonly datesFrom1904: boolean };

const putContent = (row: SheetRow, column: number, cell: CellObject, formats: Formats): void => {
  const { text, mark } = contentOf(cell, formats);
  putCell(row, column, text, cell.f === undefined ? mark : isFormula);
};

const contentOf = (cell: CellObject, { formatOf, datesFrom1904 }: Formats): { readonly text: string; readonly mark?: CellMark } => {
  if (cell.t === "s") return { text: String(cell.v ?? "") };
  if (cell.t === "b") return { text: cell.v === true ? "TRUE" : "FALSE", mark: isBoolean };
  if (cell.t === "e") return { text: cell.w ?? "#ERROR", mark: isError };
  if (cell.t !== "n" || cell.v === undefined) return { text: "" };
  const text = numberText(String(cell.v));
  if (text === undefined) throw new UnreadableWorkbook("it holds a number that cannot be read");
  return numberContent(text, formatOf(String(cell.z ?? "General")), datesFrom1904);
};
