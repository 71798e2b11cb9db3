import { type FieldName, type FileKind, fieldNames } from "./columns.ts";
import { currencyOfWord, isWordToo } from "./currency-words.ts";
import data from "./headings.json" with { type: "json" };

const normalised = (heading: string): string =>
  heading
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(?<=\p{L}{2})\.(?=\p{L}{2})/gu, " ")
    .replace(/\(\s*(\p{L}{3})\s*\)/gu, (whole, word: string) => (currencyOfWord(word) === undefined ? whole : " "))
    .toLowerCase()
    // Without its accent it would be a payee, or a tax (PAYE).
    .replace(/(?<!\p{L})payée?(?!\p{L})/gu, "paid")
    .normalize("NFD")
    .replace(/[\p{M}'’.]/gu, "")
    .replace(/[^\p{L}\p{N}#?]+/gu, " ")
    .replace(/(?<=\p{L})[#?]/gu, " $&")
    .replace(/\b(?:kes|kshs?|ksh|ugx|tzs|rwf|ngn|ghs|usd|zar|eur|(?<!\b(?:paid|money|cash|pay) )in kes)\b/gu, " ")
    .replace(/(?<!\p{L})(?:number|num|nr|nummer|numero)(?!\p{L})/gu, "no")
    .replace(/\bm pesa\b/gu, "mpesa")
    .replace(/\b(?:a c|acc|acct)\b/gu, "account")
    .replace(/\b(?:trans|txn|trx|tran|trn|tx)(?:\b|(?=(?:id|time|date|amount|type)\b))/gu, "transaction ")
    .replace(/\bamt\b/gu, "amount")
    .replace(/\s+/gu, " ")
    .trim();

const known = new Map<string, string>();
/**
 * Words of a heading in small letters without accents: `payment_metadata[order_id]`, `CompanyRef` and `Debit (KES)` become
 * `payment metadata order id`, `company ref` and `debit`. A table has few headings, and each is asked for many meanings.
 */
export const headingWords = (heading: string): string => {
  const held = known.get(heading);
  if (held !== undefined) return held;
  const words = normalised(heading);
  if (known.size > 5000) known.clear();
  known.set(heading, words);
  return words;
};

/** `Amount (USD)`: words that are a currency's code too are left out. */
export const currencyOfHeadings = (headings: readonly string[]): string | undefined => {
  const words = headings.flatMap((heading) => heading.split(/[^\p{L}]+/u)).filter((word) => word.length > 2 && !isWordToo(word));
  return words.map(currencyOfWord).find((code) => code !== undefined && code !== "");
};

/**
 * Phrases of headings.json, with commas between them, as one pattern for the words of a heading between two spaces: `[a|b]` may be left
 * out, one of `(a|b)` is there, and `...` stands for any words or none.
 */
const patternOf = (phrases: string): RegExp => {
  const patterns = phrases.split(", ").map((phrase) =>
    `${phrase} `
      .replaceAll("?", "\\?")
      .replaceAll("(", "(?:")
      .replaceAll("... ", "(?:.* )?")
      .replace(/ \[(.*?)\]/g, "(?: (?:$1))?")
      .replace(/(?<=[\p{L})])\[(.*?)\]/gu, "(?:$1)?")
      .replace(/\[(.*?)\] /g, "(?:(?:$1) )?"),
  );
  return new RegExp(`^ (?:${patterns.join("|")})$`, "u");
};

type Ranks = Readonly<Partial<Record<FieldName, readonly string[]>>>;
const fields: Readonly<Record<FileKind | "both", Ranks>> = data.fields;
const never = new Map(Object.entries(data.never).map(([field, phrases]) => [field, patternOf(phrases)]));
const sayings = new Map(Object.entries(data.says).map(([what, phrases]) => [what, patternOf(phrases)]));
const vocabularyOf = (kind: FileKind): ReadonlyMap<FieldName, readonly RegExp[]> =>
  new Map(fieldNames.map((field) => [field, [...(fields.both[field] ?? []), ...(fields[kind][field] ?? [])].map(patternOf)]));
/** The likeliest words first. They come last among the proofs: what the cells say goes before. */
const vocabularies = { orders: vocabularyOf("orders"), statement: vocabularyOf("statement") };

/** It has the words of a field and means something else, as `Previous Status` does. */
export const isNever = (heading: string, field: FieldName): boolean => never.get(field)?.test(` ${headingWords(heading)} `) === true;

/** How well a heading names a field: 0 is best, undefined is not at all. */
export const rankOfHeading = (heading: string, field: FieldName, kind: FileKind): number | undefined => {
  const words = ` ${headingWords(heading)} `;
  if (isNever(heading, field)) return undefined;
  const rank = vocabularies[kind].get(field)?.findIndex((pattern) => pattern.test(words)) ?? -1;
  return rank < 0 ? undefined : rank;
};

export type Saying = keyof typeof data.says;
/** Whether a heading says this of its column, by the words of headings.json. */
export const headingSays = (heading: string, what: Saying): boolean => sayings.get(what)?.test(` ${headingWords(heading)} `) === true;

/** Does the heading say that its cells are receipts, and not just some id? */
export const isReceiptHeading = (heading: string): boolean => (rankOfHeading(heading, "receipt", "statement") ?? 99) < data.fields.both.receipt.length;

/** Above 0 for what speaks of a statement, below for orders; `either` is what a word counts that both may have. */
export const kindScore = (headings: readonly string[], either = 1): number => {
  let score = 0;
  for (const heading of headings) {
    if (headingSays(heading, "statement")) score += 1;
    else if (headingSays(heading, "orders or statement")) score += either;
    if (headingSays(heading, "orders")) score -= 1;
  }
  return score;
};
