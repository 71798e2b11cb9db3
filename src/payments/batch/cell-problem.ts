import type { CellMark } from "../../tables/cell.ts";
import type { BatchColumn } from "./batch-plan.ts";

const spreadsheetError = /^#(?:N\/A|REF!|VALUE!|NAME\?|NUM!|NULL!|DIV\/0!|SPILL!|CALC!|FIELD!|GETTING_DATA|#+)$/i;
/** As a spreadsheet writes a long number that it takes for one: `2.54712E+11`. */
const scientific = /^\d(?:\.\d+)?E\+\d+$/i;
/** What is left of `254712345678` where only `2.54712E+11` was kept, as a spreadsheet shows it. */
const cutShort = /^\d{6}0{6}$/;
const decimals = /^\d{7,}\.\d{1,2}$/;
const lost = "\ufffd";

/**
 * Why what a cell holds is not surely what its sheet shows, as the end of a sentence; undefined if nothing speaks against it
 * (rules.md, Batch files). `text` has no spaces around it. Whether it is a phone number or an amount is judged elsewhere.
 */
export const cellProblem = (column: BatchColumn, text: string, mark: CellMark | undefined): string | undefined => {
  if (mark !== undefined && mark.kind !== "number") return mark.says;
  const formula = formulaTextProblem(text);
  if (formula !== undefined) return formula;
  if (column === "amount") return undefined;
  if (column === "phone") return phoneProblem(text, mark);
  if (spreadsheetError.test(text)) return "is an error of the spreadsheet";
  if (text.includes(lost)) return "holds a character that was lost when the file was saved: save it again as UTF-8";
  return column === "reference" ? referenceProblem(text, mark) : undefined;
};

/** `="00731"` protects the zeros from a spreadsheet; the reference is not this text. */
export const formulaTextProblem = (text: string): string | undefined =>
  text.startsWith("=") ? "is the text of a formula: put the value in its place" : undefined;

const phoneProblem = (text: string, mark: CellMark | undefined): string | undefined => {
  if (mark !== undefined && cutShort.test(text)) return "is a number that may have lost its last six digits: format the cell as text, and type it again";
  const hasDecimals = mark === undefined ? decimals.test(text) && !/\.0+$/.test(text) : text.includes(".");
  return hasDecimals ? "is a number with decimals" : undefined;
};

const referenceProblem = (text: string, mark: CellMark | undefined): string | undefined => {
  if (mark !== undefined) return "is a number where text is expected, so leading zeros may be lost: format the cell as text, and type it again";
  if (scientific.test(text)) return "is in scientific notation, as a spreadsheet writes a long number: its digits are lost";
  if (text.startsWith("'")) return "begins with an apostrophe, which spreadsheets put before text: leave it out";
  return undefined;
};
