import type { CellMark } from "./cell.ts";

/** The formats that a workbook names by number alone, and which show the same everywhere (ECMA-376 part 1, 18.8.30). */
const fixedFormats: Readonly<Record<number, string>> = {
  0: "General",
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  48: "##0.0E+0",
  49: "@",
};
/** What these show differs from computer to computer, so a workbook may describe them itself. */
const localFormats: Readonly<Record<number, string>> = {
  37: "#,##0_)",
  38: "#,##0_)",
  39: "#,##0.00_)",
  40: "#,##0.00_)",
  41: "_(* #,##0_)",
  43: "_(* #,##0.00_)",
};

const isDateNumber = (id: number): boolean => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** The format of a number; undefined if what it shows is not sure. `described`: what the workbook itself says of it. */
export const formatCode = (id: number, described: string | undefined): string | undefined => {
  if (isDateNumber(id)) return "yyyy-mm-dd";
  const fixed = fixedFormats[id];
  if (fixed !== undefined && described !== undefined && described !== fixed) return undefined;
  return fixed ?? described ?? localFormats[id];
};

/** What a format makes of a number or text. `textMark` is undefined if text is shown as it is. */
export type CellFormat = {
  readonly markNumber: (text: string) => CellMark;
  readonly textMark: CellMark | undefined;
};

const unclear = (says: string): CellMark => ({ kind: "unclear", says });
const asDate: CellMark = { kind: "date", says: "is a date or time, which the workbook keeps as a number" };
const asPercent = unclear("is a percentage");
const asScientific = unclear("is shown in scientific notation, so its digits are not all seen");
const asFraction = unclear("is shown as a fraction");
const asThousands = unclear("is shown in thousands");
const asOther = unclear("has a number format that may show another value");
const asNothing = unclear("is not shown: its number format hides it");
const asRounded = unclear("is shown rounded: the sheet holds more decimals than it shows");
const asChangedText = unclear("is shown with other characters than it holds, because of its number format");
const plainNumber: CellMark = { kind: "number", says: "is a number" };

/** One part of a section: a literal, or a place of a digit, the point, or a whole number (`General`). */
type Part = { readonly literal: string } | { readonly digit: string } | { readonly point: true } | { readonly general: true };
type Section = readonly Part[] | CellMark;

const token = /"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|General|AM\/PM|A\/P|E[+-]|./gisu;
const isMark = (section: Section): section is CellMark => "kind" in section;
const colour = /^\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d{1,2})\]$/i;

export const readFormat = (code: string | undefined): CellFormat => {
  if (code === undefined) return { markNumber: () => asOther, textMark: asChangedText };
  const sections = sectionsOf(code);
  const textSection = sections[3] ?? (sections.length === 1 && code.includes("@") ? sections[0] : undefined);
  const textMark = textSection === undefined || isPlainText(textSection) ? undefined : asChangedText;
  // With a condition it depends on the number which section counts.
  if (/\[[<>=]/.test(code)) return { markNumber: () => asOther, textMark };
  const parsed = sections.map(parseSection);
  return { markNumber: (text) => markNumber(text, parsed), textMark };
};

/** The text alone, spaces and colours aside. */
const isPlainText = (tokens: readonly string[]): boolean => tokens.filter((part) => !/^(?: |_.|\* )$/su.test(part) && !colour.test(part)).join("") === "@";

const sectionsOf = (code: string): readonly (readonly string[])[] => {
  const sections: string[][] = [[]];
  for (const [part] of code.matchAll(token)) {
    if (part === ";") sections.push([]);
    else sections.at(-1)?.push(part);
  }
  return sections;
};

/** The parts of a section, or why what it shows is not the number. */
const parseSection = (tokens: readonly string[]): Section => {
  const letters = tokens.filter((part) => /^(?:[a-z]|AM\/PM|A\/P|\[(?:h+|m+|s+)\])$/i.test(part));
  if (letters.some((part) => /^(?:[ymdhs]|AM\/PM|A\/P|\[)/i.test(part))) return asDate;
  if (letters.length > 0) return asOther;
  if (tokens.includes("%")) return asPercent;
  if (tokens.some((part) => /^E[+-]$/i.test(part))) return asScientific;
  if (tokens.includes("/") && tokens.some((part) => /^[0#?]$/.test(part))) return asFraction;
  const parts: Part[] = [];
  for (const [index, part] of tokens.entries()) {
    const read = readToken(part, tokens, index);
    if (read === undefined) continue;
    if ("kind" in read) return read;
    parts.push(read);
  }
  const points = parts.filter((part) => "point" in part).length;
  const generals = parts.filter((part) => "general" in part).length;
  const digits = parts.filter((part) => "digit" in part).length;
  if (generals + digits === 0) return asNothing;
  return points > 1 || generals > 1 || (generals === 1 && digits + points > 0) ? asOther : parts;
};

const readToken = (part: string, tokens: readonly string[], index: number): Part | CellMark | undefined => {
  if (/^[0#?]$/.test(part)) return { digit: part };
  if (part === ".") return { point: true };
  if (part === "@" || /^general$/i.test(part)) return { general: true };
  if (part === ",") return isGrouping(tokens, index) ? undefined : asThousands;
  if (part.length > 1) {
    if (part.startsWith('"')) return { literal: part.slice(1, -1) };
    if (part.startsWith("\\")) return { literal: part.slice(1) };
    if (part.startsWith("_")) return { literal: " " };
    if (part.startsWith("*")) return /\d/.test(part) ? asOther : { literal: part === "* " ? " " : part.slice(1) };
    if (/^\[\$[^-\]]*(?:-[0-9a-f]*)?\]$/i.test(part)) return { literal: part.slice(2, -1).replace(/-.*$/, "") };
    return colour.test(part) ? undefined : asOther;
  }
  return /^["\\_*[\]]$/.test(part) ? asOther : { literal: part };
};

/** A comma between places of digits groups thousands; one behind them all leaves thousands out. */
const isGrouping = (tokens: readonly string[], index: number): boolean => {
  const isDigit = (part: string): boolean => /^[0#?]$/.test(part);
  const behind = tokens.slice(index + 1);
  const point = behind.indexOf(".");
  return tokens.slice(0, index).some(isDigit) && !tokens.slice(0, index).includes(".") && (point < 0 ? behind : behind.slice(0, point)).some(isDigit);
};

/**
 * `General` counts as showing all digits: a sheet writes 254712345001 as 2.54712E+11 in a narrow column, and no other number is
 * meant by it.
 */
const markNumber = (text: string, sections: readonly Section[]): CellMark => {
  const [whole = "", fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text)?.slice(1) ?? [];
  const isPositive = /[1-9]/.test(text) && whole !== "";
  const section = sections[0] ?? asOther;
  if (isMark(section)) return section;
  // Below zero nothing is ever paid, so how it is shown does not matter unless the sign may be hidden.
  if (!isPositive) return sections.length === 1 && /^[^A-Z]*$/i.test(text) ? plainNumber : asOther;
  const decimals = section.slice(section.findIndex((part) => "point" in part) + 1).filter((part) => "digit" in part).length;
  const hasPoint = section.some((part) => "point" in part);
  if (!section.some((part) => "general" in part) && fraction.length > (hasPoint ? decimals : 0)) return asRounded;
  const shown = withoutCurrency(showParts(section, whole, fraction).trim().replace(thousands, ""));
  return shown === text ? plainNumber : { ...plainNumber, shown };
};

const showParts = (section: readonly Part[], whole: string, fraction: string): string => {
  const point = section.findIndex((part) => "point" in part);
  const before = point < 0 ? section : section.slice(0, point);
  const places = before.filter((part) => "digit" in part).length;
  let digits = whole === "0" ? "" : whole;
  let left = places;
  let shown = "";
  for (const part of before) {
    if ("literal" in part) shown += part.literal;
    else if ("general" in part) shown += fraction === "" ? whole : `${whole}.${fraction}`;
    else if ("digit" in part) {
      // The first place takes all digits for which there is no other.
      const taken = left === places ? Math.max(0, digits.length - left + 1) : digits.length >= left ? 1 : 0;
      shown += taken > 0 ? digits.slice(0, taken) : part.digit === "0" ? "0" : "";
      digits = digits.slice(taken);
      left -= 1;
    }
  }
  if (point < 0) return shown;
  if (places === 0) shown += digits;
  if (fraction !== "") shown += `.${fraction}`;
  return section.slice(point + 1).reduce((text, part) => ("literal" in part ? text + part.literal : text), shown);
};

/** Spaces and apostrophes that a format puts between groups of three digits. */
const thousands = /(?<=\d)[ \u00a0\u202f'](?=(?:\d{3})+(?!\d))/g;
const shillings = "(?:kes|kshs?|k\\.?sh|shs?)\\.?";
const inShillings = new RegExp(`^(?:${shillings}\\s*)?(\\d+(?:\\.\\d+)?)\\s*(?:${shillings}|/=|/-)?$`, "i");

/** `KES 1500` and `1500/=` are 1500: what is paid here is shillings. Any other currency stays. */
const withoutCurrency = (shown: string): string => inShillings.exec(shown)?.[1] ?? shown;
