import { classifyStatus, isRecognisedStatus, type StatusClass } from "../transactions/status.ts";
import type { FileKind } from "./columns.ts";
import { headingSays } from "./heading-words.ts";
import type { LayoutData } from "./layout-schema.ts";
import type { PaymentKind } from "./record.ts";
import data from "./words.json" with { type: "json" };

/** Small letters without accents; hyphens and underscores are spaces; ticks and other signs around the word are dropped. */
export const plainWord = (cell: string): string =>
  cell
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[_\s-]+/gu, " ")
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");

type Lists<Meaning extends string> = { readonly [meaning in Meaning]?: readonly string[] | undefined };
/** What a word means by some lists of words, the first of them first. */
export const createMeanings = <Meaning extends string>(...lists: readonly (Lists<Meaning> | undefined)[]): ((word: string) => Meaning | undefined) => {
  const meanings = new Map<string, Meaning>();
  for (const list of lists)
    for (const meaning in list) for (const word of list[meaning] ?? []) if (!meanings.has(plainWord(word))) meanings.set(plainWord(word), meaning);
  return (word) => meanings.get(word);
};

const { statuses } = data;
const stateOf = {
  orders: createMeanings<StatusClass>(statuses.both, statuses.orders),
  statement: createMeanings<StatusClass>(statuses.both, statuses.statement),
  /** In a column that asks "Paid?". */
  answers: createMeanings<StatusClass>(statuses.answers),
  /** Those of M-PESA and of card terminals (ISO 8583) that are known, and zero, which says success everywhere. */
  codes: createMeanings<StatusClass>(statuses["result codes"]),
};

/** Those of ACI and Peach Payments: `000.100.110`. What was paid and is to be looked at was paid. */
const stateOfDottedCode = (code: string): StatusClass | undefined => {
  if (!/^\d{3}\.\d{3}\.\d{3}$/.test(code)) return undefined;
  if (/^000\.(?:000|100\.1|[36]|400\.(?:0[^3]|1[012]0))/.test(code)) return "paid";
  return /^(?:000\.200|800\.400\.5|100\.400\.500)/.test(code) ? "open" : "unpaid";
};

/** A column of what is still owed of an order. */
export const isRestHeading = (heading: string): boolean => headingSays(heading, "rest") && !headingSays(heading, "rest of something else");

export type StateOfWord = { readonly state: StatusClass; readonly recognised: boolean };
export type StatusOptions = {
  readonly kind: FileKind;
  /** The layout's own words; they go before all others. */
  readonly own?: LayoutData["status"] | undefined;
  /** The heading of the status column. */
  readonly heading?: string | undefined;
};

/** What a cell says by what its heading asks: for a code, whether the row is paid or unpaid, or what is left of it. */
const stateByHeading = (cell: string, kind: FileKind, heading: string): StatusClass | undefined => {
  const isAmount = cell.length < 40 && /^(?:\p{L}{1,4}\.?\s*)?[-\d.,\s()]*\d[\d.,\s)]*$/u.test(cell);
  if (kind === "orders" && isAmount && isRestHeading(heading)) return /[1-9]/.test(cell) ? "open" : "paid";
  const coded = headingSays(heading, "result code") ? (stateOf.codes(plainWord(cell)) ?? stateOfDottedCode(cell.trim())) : undefined;
  if (coded !== undefined) return coded;
  const asksWhetherNot = kind === "statement" && headingSays(heading, "whether unpaid");
  // A tick alone leaves nothing of the word.
  const answer = (asksWhetherNot || headingSays(heading, "whether paid")) && cell.trim() !== "" ? stateOf.answers(plainWord(cell) || "yes") : undefined;
  return asksWhetherNot && answer !== undefined ? (answer === "paid" ? "unpaid" : "paid") : answer;
};

/** What a status says. A word nobody told us about is open and not recognised (rules.md, Living with what is not shown). */
export const stateOfWord = (cell: string, { kind, own, heading = "" }: StatusOptions = { kind: "orders" }): StateOfWord => {
  const word = plainWord(cell);
  const sure = createMeanings<StatusClass>(own)(word) ?? stateByHeading(cell, kind, heading);
  if (sure !== undefined) return { state: sure, recognised: true };
  const known = (text: string): StateOfWord => {
    const state = stateOf[kind](text);
    // Some banks say "sent" of what has arrived, and some of what is on its way.
    const isKnown = state !== undefined || (isRecognisedStatus(text, "in") && (kind === "orders" || text !== "sent"));
    return { state: state ?? classifyStatus(text, "in"), recognised: isKnown };
  };
  const read = known(word);
  if (read.recognised) return read;
  // `Invoice : Paid In Full`, `processor_declined`: what has the status goes before it. What was sent may be a payment or a bill.
  const owner = headingSays(heading, "status") ? /^(?:[^:]+:|payment|processor|gateway|bank|card)\s+(?!sent$)/u : /^[^:]+:\s+/u;
  const alone = known(
    word
      .replace(owner, "")
      .replace(/\bsuccessfully\b/u, "")
      .trim(),
  );
  if (alone.recognised) return alone;
  // `Closed - Paid`, `failed/cancelled`: one part of it is a status, or all are the same one.
  const parts = cell.split(/\s+[-–]\s+|\s*[/|]\s*/u).map((part) => known(plainWord(part)));
  const [first, ...more] = parts.filter(({ recognised }) => recognised);
  const isOne = more.length === 0 ? parts.length > 1 : more.length + 1 === parts.length && more.every(({ state }) => state === first?.state);
  return first !== undefined && isOne ? first : read;
};

/** Which way the money of a row went; `none` if it did not leave, as where it is only held ready. */
export type Way = "in" | "out" | "none";
const wayOf = createMeanings<Way>(data.ways);
/** In a column that says what kind of row it is. The codes are those of Sage's books: receipts and payments of sales, purchases and the bank. */
const wayOfType = createMeanings<Way>(data["ways of types"]);

/** Whether a word says that money came in or went out; undefined if it says neither. A sign alone counts. */
export const wayOfWord = (cell: string, own?: LayoutData["directions"], isType = false): Way | undefined => {
  if (cell.trim() === "+") return "in";
  if (/^[-\u2212]$/u.test(cell.trim())) return "out";
  const word = plainWord(cell).replace(/\.$/, "");
  return createMeanings<Way>(own)(word) ?? wayOf(word) ?? (isType ? wayOfType(word) : undefined);
};

const accounts =
  /\b(?:utility|working|merchant|m-?pesa|charges paid|organi[sz]ation)\s+(?:account\s+)?to\s+(?:the\s+)?(?:utility|working|m-?pesa|bank|merchant|organi[sz]ation)\b|\b(?:funds?|account|internal) transfer\b|\bcurrency (?:conversion|exchange)\b|^converted\b|\bvirt?(?:ement)? (?:interne|compte)\b/i;
const movedOut =
  /\bsettlement\b|\bsettle\b.*\bbank\b|\b(?:withdraw|withdrawal)(?: of)?(?: funds)?(?: to (?:bank|own))\b|\bwithdraw(?:al of)? funds\b|\bfunds? (?:withdrawal|to bank)\b|\bfloat (?:transfer|purchase|withdrawal|to bank)\b|\btransfer to (?:call|savings?|fixed|deposit|treasury|settlement|main|bank) ?(?:account|a\/c|deposit)?\b|\bwallet to bank\b|\b(?:auto(?:matic)? )?(?:payout|sweep|transfer) to bank\b|\b(?:trf|tfr|virement)\b.*\b(?:own|sav(?:ings?)?|[eé]pargne)\b|\bumbuchung\b|\bsweep\b|\bmerchant ?payouts?\b|\bbank (?:payout|withdrawal)\b/i;
const chargeWords =
  "charges?|chgs?|fees?|commission[is]?|excise(?: duty)?|duty|tax|levy|vat|tariff|withholding|\\p{L}*gebühr(?:en)?|\\p{L}*entgelte?|(?:bank)?kosten|kontof[uü]e?hrung|frais|commissions? bancaires?|ada|makato|comiss(?:ão|ões)|taxas?|tarifas?|encargos?|imposto|impuesto|comisi[oó]n(?:es)?";
const chargeType = new RegExp(`(?<!\\p{L})(?:${chargeWords})(?!\\p{L})`, "iu");
const chargeLast = new RegExp(
  `(?<!\\p{L})(?:${chargeWords})(?!\\p{L})(?:\\s+of)?(?:\\s+[^\\s\\d]*\\d\\S*)*[\\s).]*$|^(?:monthly|annual|quarterly|ledger|account|service|maintenance|sms|wire)\\s+(?:\\p{L}+\\s+)?(?:fees?|charges?)(?!\\p{L})|^(?:charges?|chrgs?|chgs?|kosten|tarifas?|frais|commissions?|commissioni|makato|ada ya|comiss\\p{L}+|encargos|imposto d[eo] selo)(?!\\p{L})|^(?:taxes?|tva|iva|comm?)\\s*(?:s?/|(?:sur|sobre)\\s)`,
  "iu",
);

const takesBack =
  /^(?:refund|reversal|reversed|rvsl|revsl|rvs|rev[/:-]|chargeback|returned|storno|r[uü]e?ck(?:lastschrift|[uü]e?berweisung|buchung)|annulation|extourne|rejet|estorno|devolu[cç][aã]o|devoluci[oó]n)(?![\p{L}])/iu;

/** A cheque that came back unpaid, in either order of the words. */
const [cheque, unpaid] = ["ch(?:[eè]?ques?|ecks?|qs?|k)", "(?:returned|rtn|unpaid|dishonou?red|bounced|impay[eé]|rejet[eé]?|devolu[cç][aã]o|devolvido)"];
const unpaidCheque = new RegExp(`(?<!\\p{L})(?:${cheque}(?!\\p{L}).{0,20}(?<!\\p{L})${unpaid}|${unpaid}(?!\\p{L}).{0,20}(?<!\\p{L})${cheque})(?!\\p{L})`, "iu");

/** A layout's patterns for kinds of rows. */
export type RowPatterns = { readonly [kind in "charge" | "internal" | "reversal" | "other"]?: readonly RegExp[] };
type RowWords = { readonly type: string; readonly details: string; readonly amountMinor: bigint; readonly linked: string };

const isOnlyWay = (type: string): boolean => /^(?:c|d|cr|dr|credit|debit|in|out)$/.test(plainWord(type));

/** What a statement row is, by its reason type where there is one, else by its details. Payers' names are in the details: they decide nothing. */
export const kindOfRow = (row: RowWords, own: RowPatterns = {}): PaymentKind => {
  const { details, amountMinor } = row;
  // A column of `C` and `D` says which way the money went, and no kind of row.
  const type = isOnlyWay(row.type) ? "" : row.type.trim().replaceAll("_", " ");
  const lead = leadOf(details.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2"));
  const out = amountMinor < 0n;
  const fits = (patterns: readonly RegExp[] | undefined): boolean => (patterns ?? []).some((pattern) => pattern.test(type) || pattern.test(lead));
  if (fits(own.reversal)) return "reversal";
  if (out && fits(own.charge)) return "charge";
  if (fits(own.internal)) return "internal";
  if (/\breversal\b/i.test(type) || /^reversal of\b/i.test(details)) return "reversal";
  if (out && (/\b(?:refund|refunded|chargeback|dispute)s?\b/i.test(type) || (unpaidCheque.test(details) ? !chargeLast.test(lead) : takesBack.test(details))))
    return "reversal";
  const isCharge = chargeType.test(type) || ((type === "" || !/\bpayment\b/i.test(type)) && chargeLast.test(lead)) || (type === "" && chargeLast.test(details));
  if (out && isCharge) return "charge";
  const text = type === "" ? lead : type;
  if (accounts.test(text) || (out && (movedOut.test(text) || movedOut.test(lead)))) return "internal";
  return out ? "payout" : "payment";
};

/** Details up to the party they name. */
const leadOf = (details: string): string => details.split(/\s(?:from|-)\s/i)[0] ?? details;

export const reversedReceipt = (details: string, linked: string): string | undefined => {
  const named = linked.trim();
  if (named !== "") return named;
  return /^reversal of\s+(?:transaction\s+)?([A-Z0-9]{6,20})\b/i.exec(details.trim())?.[1];
};
