import type { TableRow } from "../tables/cell.ts";
import { currencyOfWord } from "./currency-words.ts";
import { looksLikeDate } from "./dates.ts";

/** What stands above a block of rows and holds for all of them. */
export type Section = { currency?: string; date?: string };

const label = /^(?:account\s+)?(?:currency|ccy|devise|monnaie|moeda|moneda|w[aä]hrung|valuta|munt|sarafu)(?:\s+code)?\s*[:.-]*(?:\s+(.*))?$/iu;

/** `Currency: KES`, in one cell or two; above the headings, beside other facts too. */
export const currencyOfSection = ({ cells }: TableRow, isAbove: boolean): string | undefined => {
  if (!isAbove && cells.filter((cell) => cell.trim() !== "").length > 2) return undefined;
  for (const [index, cell] of cells.entries()) {
    const found = cell.length > 60 ? null : label.exec(cell.trim());
    if (found === null) continue;
    const code = currencyOfWord(found[1] ?? cells.slice(index + 1).find((next) => next.trim() !== "") ?? "");
    if (code !== undefined && code !== "") return code;
  }
  return undefined;
};

/** A row that holds a day alone: that of the rows below it. */
export const dayOfSection = ({ cells }: TableRow): string | undefined => {
  const [only, ...more] = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  const text = only?.replace(/^(?:date|tarehe|datum|data|fecha)\s*:\s*/iu, "") ?? "";
  return more.length === 0 && /\d\D+\d|\d\D*\p{L}/u.test(text) && looksLikeDate(text) ? text : undefined;
};
