import { ExactNumber, type Json } from "../json/exact-json.ts";
import { valueAt } from "./fields.ts";
import { jsonText } from "./json-text.ts";

// What spreadsheets take for the start of a formula, with the full-width forms some locales accept.
const formulaStart = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
// "Numbers are not touched" (rules.md): an amount is a number also where it travels as text.
const negativeNumber = /^-\d+(?:\.\d+)?$/;
const needsQuotes = /[",\r\n;\t]|^ | $/;

/** One cell by RFC 4180; a string that a spreadsheet would run gets an apostrophe in front. */
export const csvCell = (value: Json | undefined): string => {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "boolean" || value instanceof ExactNumber) return String(value);
  const text = typeof value === "string" ? value : jsonText(value);
  const safe = formulaStart.test(text) && !negativeNumber.test(text) ? `'${text}` : text;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/**
 * Lines end in \n alone: every reader of RFC 4180 takes it, and `cut`, `awk` and `while read` would hand a \r on
 * as part of the last column.
 */
export const csvHeader = (columns: readonly string[]): string => `${columns.map((name) => csvCell(name)).join(",")}\n`;
export const csvLine = (row: Json, columns: readonly string[]): string => {
  const cells = columns.map((name) => csvCell(valueAt(row, name)));
  // A line of nothing would be skipped by readers.
  return columns.length === 1 && cells[0] === "" ? '""\n' : `${cells.join(",")}\n`;
};
