import { CliError, usageError } from "../errors.ts";
import type { Survey } from "./sheet-facts.ts";
import { UnreadableWorkbook } from "./unreadable.ts";

export type SheetOptions = {
  /** The sheet to read, by its name; the only visible one with anything on it if absent. */
  readonly sheet?: string | undefined;
  /** The flag that names it. */
  readonly flag?: string;
  /** May a sheet that is hidden be named? */
  readonly includeHidden?: boolean;
  /** The words after `payments-cli` of the same command with this sheet chosen: the remedy where several could be meant. */
  readonly command?: ((sheet: string) => readonly string[]) | undefined;
};
export type OneSheet = { readonly title: string; readonly hidden: boolean; readonly survey: () => Promise<Survey> };

const noRows: Survey = { isFilled: false, hiddenColumns: new Set<number>(), notes: [], scan: async () => undefined };

/** The sheet that is meant. Throws CliError usage where none or several are, and UnreadableWorkbook. */
export const chooseSheet = async (sheets: readonly OneSheet[], name: string, options: SheetOptions): Promise<Survey> => {
  if (options.sheet !== undefined) return await namedSheet(sheets, options.sheet, name, options.includeHidden ?? false).survey();
  const visible = sheets.filter(({ hidden }) => !hidden);
  const hidden = sheets.filter((sheet) => sheet.hidden);
  const filled: { readonly sheet: OneSheet; readonly survey: Survey }[] = [];
  for (const sheet of visible) {
    const survey = await sheet.survey();
    if (survey.isFilled) filled.push({ sheet, survey });
  }
  const [first, second] = filled;
  if (first !== undefined && second !== undefined)
    throw new CliError("usage", `${name} has several visible sheets: ${titlesOf(filled.map(({ sheet }) => sheet))}.`, {
      hint: `Choose one with ${options.flag ?? "--sheet"} NAME`,
      command: options.command?.(await largest(filled)),
    });
  if (first === undefined && hidden.length > 0)
    throw usageError(`${name} shows no sheet with rows; hidden: ${titlesOf(hidden)}.`, "Show the sheet that is meant, and save the file");
  const survey = first?.survey ?? noRows;
  return hidden.length === 0 ? survey : { ...survey, notes: [...survey.notes, `has hidden sheets, which are not read: ${titlesOf(hidden)}`] };
};

/** The sheet with the most rows: a summary has fewer than what it sums up. */
const largest = async (filled: readonly { readonly sheet: OneSheet; readonly survey: Survey }[]): Promise<string> => {
  let best = { title: "", rows: -1 };
  for (const { sheet, survey } of filled) {
    let rows = 0;
    await survey.scan(() => {
      rows += 1;
    });
    if (rows > best.rows) best = { title: sheet.title, rows };
  }
  return best.title;
};

const titlesOf = (sheets: readonly OneSheet[]): string => {
  const shown = sheets.slice(0, 10).map(({ title }) => title);
  return sheets.length > shown.length ? `${shown.join(", ")} and ${sheets.length - shown.length} more` : shown.join(", ");
};

/** Names of sheets are compared as spreadsheets do, without regard to case. */
const namedSheet = (sheets: readonly OneSheet[], wanted: string, name: string, includeHidden: boolean): OneSheet => {
  const [sheet, ...more] = sheets.filter(({ title }) => title.toLowerCase() === wanted.toLowerCase());
  if (sheet === undefined) throw usageError(`${name} has no sheet ${wanted}.`, `Its sheets are: ${titlesOf(sheets)}`);
  if (more.length > 0) throw new UnreadableWorkbook(`it has several sheets with the name ${wanted}`);
  if (sheet.hidden && !includeHidden) throw usageError(`The sheet ${sheet.title} of ${name} is hidden.`, "Add --include-hidden to pay what it holds");
  return sheet;
};
