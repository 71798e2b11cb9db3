import type { TableRow } from "../tables/cell.ts";
import type { StatusClass } from "../transactions/status.ts";
import type { FileKind } from "./columns.ts";
import { currencyOfWord } from "./currency-words.ts";
import { looksLikeDate } from "./dates.ts";
import { filledTexts } from "./header.ts";
import type { Layout } from "./layout.ts";
import { stateOfWord } from "./words.ts";

/** A line above rows that says of all of them what became of them, or which way the money went. */
export type Title = { readonly line: number; readonly text: string; readonly state?: StatusClass; readonly way?: "in" | "out" };
/** What stands above a block of rows and holds for all of them. */
export type Section = { currency?: string; date?: string; state?: Title; way?: Title };

const label = /^(?:account\s+)?(?:currency|ccy|devise|monnaie|moeda|moneda|w[aä]hrung|valuta|munt|sarafu)(?:\s+code)?\s*[:.-]*(?:\s+(.*))?$/iu;

/** `Currency: KES`, in one cell or two; above the headings, beside other facts too. */
export const currencyOfSection = ({ cells }: TableRow, isAbove: boolean): string | undefined => {
  if (!isAbove && filledTexts(cells).length > 2) return undefined;
  for (const [index, cell] of cells.entries()) {
    const found = cell.length > 60 ? null : label.exec(cell.trim());
    if (found === null) continue;
    const code = currencyOfWord(found[1] ?? cells.slice(index + 1).find((next) => next.trim() !== "") ?? "");
    if (code !== undefined && code !== "") return code;
  }
  return undefined;
};

const nouns = "(?:transactions?|payments?|items|entries|invoices|orders|bills|op[eé]rations|paiements|mouvements|movimentos|pagamentos|miamala|malipo)";
const ofState = new RegExp(`^(?:(.{2,30}) ${nouns}|${nouns} (.{2,30}?))(?:\\s*\\(\\d+\\))?\\s*:?$`, "iu");
// Money that went back is neither paid nor unpaid.
const wentBack = /return|refund|revers|charge|void/i;
const moneyIn =
  /^(?:(?:other|electronic) )?(?:deposits|credits|additions|receipts|money in)(?: (?:and|&) (?:other )?(?:deposits|credits|additions|receipts))?\s*:?$/i;
const moneyOut =
  /^(?:(?:other|electronic|atm (?:and|&) debit card) )?(?:withdrawals|debits|deductions|subtractions|disbursements|checks(?: paid)?|money out)(?: (?:and|&) (?:other )?(?:withdrawals|debits|deductions|subtractions|fees))?\s*:?$/i;

/** `FAILED TRANSACTIONS`, `Withdrawals and other debits`: a title that stands alone in its row. */
export const titleOf = ({ cells, line }: TableRow, kind: FileKind): Title | undefined => {
  const [text = "", ...more] = filledTexts(cells);
  if (more.length > 0 || text.length > 60) return undefined;
  if (kind === "statement" && moneyIn.test(text)) return { line, text, way: "in" };
  if (kind === "statement" && moneyOut.test(text)) return { line, text, way: "out" };
  const [, before, after] = ofState.exec(text) ?? [];
  const word = before ?? after;
  const found = word === undefined || wentBack.test(word) ? undefined : stateOfWord(word, { kind });
  return found?.recognised === true ? { line, text, state: found.state } : undefined;
};

/** A title says what no column does. */
export const stateTitle = ({ columns }: Pick<Layout, "columns">, { state }: Section): Title | undefined => (columns.status === undefined ? state : undefined);
export const wayTitle = ({ columns, ways }: Pick<Layout, "columns" | "ways">, { way }: Section): Title | undefined =>
  (["direction", "paid-in", "withdrawn"] as const).every((field) => columns[field] === undefined) && ways.size === 0 ? way : undefined;

/** A row that holds a day alone: that of the rows below it. */
export const dayOfSection = ({ cells }: TableRow): string | undefined => {
  const [only, ...more] = filledTexts(cells);
  const text = only?.replace(/^(?:date|tarehe|datum|data|fecha)\s*:\s*/iu, "") ?? "";
  return more.length === 0 && /\d\D+\d|\d\D*\p{L}/u.test(text) && looksLikeDate(text) ? text : undefined;
};
