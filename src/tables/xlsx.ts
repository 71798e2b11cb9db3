import { chooseSheet, type SheetOptions } from "./choose-sheet.ts";
import { surveySheet } from "./sheet.ts";
import { from1904Note, type Survey } from "./sheet-facts.ts";
import { readWorkbook } from "./workbook.ts";
import { createOpenPart } from "./workbook-parts.ts";
import type { ZipEntry } from "./zip.ts";

/** A million rows of twelve cells take some 500 MB of XML. */
const sheetBytesMax = 1024 * 1024 * 1024;

/**
 * Opens a sheet of a workbook. Texts are as the sheet holds them (dates as serial numbers that count from 1900); marks say where
 * it shows something else. Throws CliError usage and UnreadableWorkbook.
 */
export const openXlsx = async (entries: ReadonlyMap<string, ZipEntry>, name: string, options: SheetOptions): Promise<Survey> => {
  const open = createOpenPart(entries);
  const workbook = await readWorkbook(entries, open);
  const sheets = workbook.sheets.map(({ title, path, hidden }) => ({
    title,
    hidden,
    survey: () => surveySheet(() => open(path, sheetBytesMax), path, workbook),
  }));
  const survey = await chooseSheet(sheets, name, options);
  return workbook.datesFrom1904 ? { ...survey, notes: [...survey.notes, from1904Note] } : survey;
};
