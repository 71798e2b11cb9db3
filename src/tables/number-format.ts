import { SSF } from "@e965/xlsx";
import type { CellMark } from "./cell.ts";

const isDateNumber = (id: number): boolean => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/**
 * The format that a workbook names by number (ECMA-376 part 1, 18.8.30); undefined if what it shows is not sure. `described`: what the
 * workbook itself says of it, which counts for those that differ from computer to computer.
 */
export const formatCode = (id: number, described: string | undefined): string | undefined => {
  if (isDateNumber(id)) return "yyyy-mm-dd";
  const known: Readonly<Record<number, string>> = { ...SSF.get_table(), 41: "#,##0", 43: "#,##0.00" };
  const standard = known[id];
  const isFixed = id <= 13 || id === 48 || id === 49;
  if (!isFixed || standard === undefined) return described ?? standard;
  return described === undefined || described === standard ? standard : undefined;
};

/** What a format makes of a number or text. `textMark` is undefined if text is shown as it is. */
export type CellFormat = {
  readonly markNumber: (text: string) => CellMark;
  readonly textMark: CellMark | undefined;
};

const unclear = (says: string): CellMark => ({ kind: "unclear", says });
const asDate: CellMark = { kind: "date", says: "is a date or time, which the workbook keeps as a number" };
const asOther = unclear("has a number format that may show another value");
const asNothing = unclear("is not shown: its number format hides it");
const asChangedText = unclear("is shown with other characters than it holds, because of its number format");
const plainNumber: CellMark = { kind: "number", says: "is a number" };

/** Each format of a workbook is read once. */
export const createFormats = (): ((code: string | undefined) => CellFormat) => {
  const made = new Map<string | undefined, CellFormat>();
  return (code) => {
    const format = made.get(code) ?? readFormat(code);
    made.set(code, format);
    return format;
  };
};

/** Reads what a format shows, as SheetJS formats it. */
const readFormat = (code: string | undefined): CellFormat => {
  if (code === undefined) return { markNumber: () => asOther, textMark: asChangedText };
  const textMark = show(code, "a")?.trim() === "a" ? undefined : asChangedText;
  if (isDateCode(code)) return { markNumber: () => asDate, textMark };
  return { markNumber: (text) => markNumber(text, code), textMark };
};

const isDateCode = (code: string): boolean => SSF.is_date(code) === true;

/** Undefined for what is no format, or has what SheetJS leaves out: digits of another script, and those that fill up a column. */
const show = (code: string, value: string | number): string | undefined => {
  if (code === "" || /\[dbnum|\*\d/i.test(code)) return undefined;
  try {
    return String(SSF.format(code, value));
  } catch {
    return undefined;
  }
};

/** Formats that show each digit of a number, but for the decimals that they leave out. */
const usual = /^(?:General|@|0|#,##0)(?:\.(0+))?$/;
const isPlainNumber = /^\d+(?:\.(\d+))?$/;

const markNumber = (text: string, code: string): CellMark => {
  const [, fraction = ""] = isPlainNumber.exec(text) ?? [];
  const isPositive = isPlainNumber.test(text) && /[1-9]/.test(text);
  // Below zero nothing is ever paid, so how it is shown does not matter unless the sign may be hidden.
  if (!isPositive) return !code.includes(";") && !/[A-Z]/i.test(text) ? plainNumber : asOther;
  const [, decimals = ""] = usual.exec(code) ?? [];
  if (/^(?:General|@)$/.test(code) || (usual.test(code) && fraction.length <= decimals.length)) return plainNumber;
  // A narrow column shows `General` in scientific notation, and no other number is meant by it.
  const written = show(code.replace(/General|@/gi, fraction === "" ? "0" : `0.${"0".repeat(fraction.length)}`), Number(text));
  if (written === undefined) return asOther;
  if (!/\d/.test(written)) return asNothing;
  const shown = withoutCurrency(written.trim().replace(thousands, ""));
  if (plainDecimal(shown) === text) return plainNumber;
  // Digits in front of the number are part of the format: `"+254"0` shows a phone.
  const digits = /\.?\d(?:.*\d)?/.exec(shown)?.[0].replace(/[^\d.]/g, "") ?? "";
  return Number(digits) === Number(text) || digits.endsWith(text) ? { ...plainNumber, shown } : unclear(`holds ${text} and shows ${shown}`);
};

/** `1500.50` as `1500.5`. */
const plainDecimal = (shown: string): string => (isPlainNumber.test(shown) ? shown.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "") : shown);

/** Commas that a format puts between digits, and spaces and apostrophes between groups of three. */
const thousands = /(?<=\d)(?:,(?=\d)|[ \u00a0\u202f'](?=(?:\d{3})+(?!\d)))/g;
const shillings = "(?:kes|kshs?|k\\.?sh|shs?)\\.?";
const inShillings = new RegExp(`^(?:${shillings}\\s*)?(\\d+(?:\\.\\d+)?)\\s*(?:${shillings}|/=|/-)?$`, "i");

/** `KES 1500` and `1500/=` are 1500: what is paid here is shillings. Any other currency stays. */
const withoutCurrency = (shown: string): string => inShillings.exec(shown)?.[1] ?? shown;
