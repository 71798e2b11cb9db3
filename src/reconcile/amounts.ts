import { currencyOfWord } from "./currency-words.ts";

export type DecimalMark = "." | ",";
export type DecimalEvidence = { readonly point: string | undefined; readonly comma: string | undefined; readonly unclear: string | undefined };

/** What a cell says of an amount. */
export type ParsedAmount = {
  /** In hundredths; negative for a minus sign or brackets. The direction does not change it. */
  readonly minor: bigint;
  /** The code (ISO 4217) of the currency that the cell names; absent for none, and for words of several countries (`/=`). */
  readonly currency?: string | undefined;
  /** From `CR` or `DR` beside the number. */
  readonly direction?: "credit" | "debit" | undefined;
};
/** Why a cell is no amount, as a sentence without its point. */
export type AmountProblem = { readonly problem: string };

/** A cell without the words and signs around its number. */
type Bare = { readonly number: string; readonly negative: boolean; readonly said: Said };

const notNumber: AmountProblem = { problem: "the amount is no number" };
const isProblem = (value: Bare | AmountProblem): value is AmountProblem => "problem" in value;

/** What a program writes: the usual case of a large file. Three decimals or none leave it to the slower look. */
const plain = /^\d{1,13}\.\d{1,2}$/;
const plainWhole = /^\d{1,13}$/;

/** No amount is longer, currency and all. */
const lengthMax = 100;
/** Marks that nobody sees: byte order marks, joiners, directions of writing. */
const unseen = /[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;
const dashes = /[\u2010-\u2015\u2212\ufe63\uff0d]/gu;
const directions: Readonly<Record<string, "credit" | "debit">> = { cr: "credit", c: "credit", credit: "credit", dr: "debit", d: "debit", debit: "debit" };

/** As a spreadsheet keeps a text that looks like a number: `'1500`, `="1500.00"`. */
const unwrapped = (cell: string): string => {
  const text = cell.replace(unseen, "").replace(dashes, "-").trim();
  return (/^="(.*)"$/s.exec(text)?.[1] ?? text.replace(/^['‘’]/u, "")).trim();
};

/** What stands before or behind a number: at most one sign or bracket at either end, then words. */
const takeSign = (part: string): { readonly sign: string; readonly words: string } => {
  const text = part.trim();
  // "1,500/-" ends in a mark of shillings, which is no minus.
  const found = text === "/-" ? null : /^([-+()])|([-+()])$/u.exec(text);
  if (found === null) return { sign: "", words: text };
  return { sign: found[0], words: (found[1] === undefined ? text.slice(0, -1) : text.slice(1)).trim() };
};

type Said = { readonly currency?: string | undefined; readonly direction?: "credit" | "debit" | undefined };

/** What the words beside a number say; undefined if one of them is unknown, or two contradict each other. */
const readWords = (parts: readonly string[]): Said | undefined => {
  let currency: string | undefined;
  let direction: "credit" | "debit" | undefined;
  const words = parts.flatMap((part) => (part === "" || currencyOfWord(part) !== undefined ? part : part.split(/\s+/u)));
  for (const word of words) {
    if (word === "") continue;
    const toward = directions[word.toLowerCase().replace(/\.$/, "")];
    const named = currencyOfWord(word);
    if (toward === undefined && named === undefined) return undefined;
    if (toward !== undefined && direction !== undefined) return undefined;
    if (named !== undefined && named !== "" && currency !== undefined && currency !== named) return undefined;
    direction ??= toward;
    currency ??= named === "" ? undefined : named;
  }
  return { ...(currency === undefined ? {} : { currency }), ...(direction === undefined ? {} : { direction }) };
};

/** A cell without the words and signs around its number. Undefined for an empty cell, and for a dash, which says "no amount". */
const bareOf = (cell: string): Bare | AmountProblem | undefined => {
  if (cell.length > lengthMax) return notNumber;
  const text = unwrapped(cell);
  const found = /^(?<before>\D*?)(?<number>(?<![^\s(+-])[.,]\d+|\d(?:.*\d)?)(?<after>\D*)$/su.exec(text)?.groups;
  if (found === undefined) return /^-*$/.test(takeDashes(text)) ? undefined : notNumber;
  const [before, after] = [takeSign(found["before"] ?? ""), takeSign((found["after"] ?? "").replace(/^\.(?!-)/, ""))];
  const signs = before.sign + after.sign;
  if (!["", "-", "+", "()"].includes(signs)) return notNumber;
  const said = readWords([before.words, after.words]);
  if (said === undefined) return notNumber;
  return { number: found["number"] ?? "", negative: signs === "-" || signs === "()", said };
};

/** `KES -` is a dash as well: a sheet shows so an amount of zero. */
const takeDashes = (text: string): string => {
  const word = text.replace(/-+$/, "").trim();
  return word === "" || (word !== text && currencyOfWord(word) !== undefined) ? "" : text;
};

/** Thousands have one mark all through: `500 1,500` may be two amounts, as two lines are. The third form is lakh grouping: `1,50,000.00`. */
const pointNumber =
  /^(?<whole>\d+|\d{1,3}(?<mark>[ \u00a0\u2000-\u200a\u202f\u205f'’,])\d{3}(?:\k<mark>\d{3})*|\d{1,2}(?:,\d{2})+,\d{3})(?:\.(?<fraction>\d*))?$/u;
const commaNumber = /^(?<whole>\d+|\d{1,3}(?<mark>[ \u00a0\u2000-\u200a\u202f\u205f'’.])\d{3}(?:\k<mark>\d{3})*)(?:,(?<fraction>\d*))?$/u;
const onlyFraction = /^[.,]\d+$/;

/** What one cell says about its column: which mark must be the decimal one, or that it could be either. */
const markOf = (cell: string): DecimalMark | "either" | undefined => {
  const bare = bareOf(cell);
  if (bare === undefined || isProblem(bare)) return undefined;
  const text = bare.number.replace(/[\s'’]/gu, "");
  if (!/^\d[\d.,]*$/.test(text)) return undefined;
  const point = text.lastIndexOf(".");
  const comma = text.lastIndexOf(",");
  if (point < 0 && comma < 0) return undefined;
  if (point >= 0 && comma >= 0) return point > comma ? "." : ",";
  const mark: DecimalMark = point >= 0 ? "." : ",";
  const other: DecimalMark = mark === "." ? "," : ".";
  const parts = text.split(mark);
  if (parts.length > 2) return other;
  const [whole = "", fraction = ""] = parts;
  if (fraction.length !== 3 || whole.length > 3 || whole.startsWith("0")) return mark;
  // 2,355 would be thousandths, which no amount here has. With a point it may be a number that a program did not round.
  return mark === "," && !fraction.endsWith("0") ? "." : "either";
};

/** Collects, over a whole column, which decimal mark it uses (rules.md: decided by the whole column). */
export const createDecimalJudge = () => {
  const seen: { [mark in DecimalMark | "either"]: string | undefined } = { ".": undefined, ",": undefined, either: undefined };
  return {
    see(cell: string): void {
      if (cell === "" || (!cell.includes(".") && !cell.includes(","))) return;
      if (plain.test(cell)) {
        seen["."] ??= cell;
        return;
      }
      const mark = markOf(cell);
      if (mark !== undefined) seen[mark] ??= cell;
    },
    evidence: (): DecimalEvidence => ({ point: seen["."], comma: seen[","], unclear: seen.either }),
  };
};

/** Amounts repeat: each of a large file is looked at, and kept, once. Longer texts would keep all of the file alive. */
const remembering = <Read>(read: (text: string) => Read): ((text: string) => Read) => {
  const known = new Map<string, Read>();
  return (text) => {
    const held = known.get(text);
    if (held !== undefined) return held;
    const made = read(text);
    if (known.size < 10_000 && text.length < 13) known.set(text, made);
    return made;
  };
};

/**
 * The amount of a cell as people write it: `1,500.00 CR`, `Kshs. 1,500/=`, `(1,500.00)`, `'1500`, `1,50,000.00`. Undefined for an
 * empty cell and for a dash, which stands for no amount. Exponents are refused, as a sheet writes them where digits are lost.
 */
export const parseAmount = (cell: string, decimal: DecimalMark): ParsedAmount | AmountProblem | undefined => parsers[decimal](cell);

const parse = (cell: string, decimal: DecimalMark): ParsedAmount | AmountProblem | undefined => {
  if (plainWhole.test(cell)) return { minor: BigInt(cell) * 100n };
  if (decimal === "." && plain.test(cell)) {
    const point = cell.indexOf(".");
    return { minor: BigInt(cell.slice(0, point) + cell.slice(point + 1).padEnd(2, "0")) };
  }
  const bare = bareOf(cell);
  if (bare === undefined || isProblem(bare)) return bare;
  const { number, negative, said } = bare;
  const text = onlyFraction.test(number) ? `0${number}` : number;
  const found = (decimal === "." ? pointNumber : commaNumber).exec(text)?.groups;
  if (found === undefined) return notNumber;
  const fraction = (found["fraction"] ?? "").replace(/0+$/, "");
  if (fraction.length > 2) return { problem: "the amount has more than two decimals" };
  const minor = BigInt((found["whole"] ?? "").replace(/\D/gu, "") + fraction.padEnd(2, "0"));
  return { minor: negative ? -minor : minor, ...said };
};
const parsers = { ".": remembering((cell) => parse(cell, ".")), ",": remembering((cell) => parse(cell, ",")) };

/** An amount with the sign of `DR`, as a balance or a sum has it; undefined for an empty cell and for what is no amount. */
export const parseSigned = (cell: string, decimal: DecimalMark): bigint | undefined => {
  const read = parseAmount(cell.trim(), decimal);
  if (read === undefined || "problem" in read) return undefined;
  return read.direction === "debit" && read.minor > 0n ? -read.minor : read.minor;
};

/** A number as JSON writes it (`1500`, `99.9`, `1e3`), in hundredths; undefined where it has more than two decimals or is none. */
export const minorOfJsonNumber = remembering((text: string): bigint | undefined => {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text);
  if (found === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = found;
  const digits = whole + fraction;
  const zeros = 2 + Number(exponent) - fraction.length;
  if (zeros >= 0) return BigInt(sign + digits + "0".repeat(zeros));
  const cut = digits.padStart(1 - zeros, "0");
  return /^0*$/.test(cut.slice(zeros)) ? BigInt(sign + cut.slice(0, zeros)) : undefined;
});
