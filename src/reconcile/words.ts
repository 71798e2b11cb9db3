import { classifyStatus, isRecognisedStatus, type StatusClass } from "../transactions/status.ts";
import type { FileKind } from "./columns.ts";
import type { LayoutData } from "./layout-schema.ts";
import type { PaymentKind } from "./record.ts";

export type StateOfWord = { readonly state: StatusClass; readonly recognised: boolean };
type WordLists = Readonly<Record<StatusClass, readonly string[]>>;
const list = (words: string): readonly string[] => words.split(", ");

/** In orders and statements alike. */
const neverPaid = list(
  "cancel, void, voided, refunded, expired, abandoned, timeout, denied, cancelled by user, request cancelled by user, cancelled by customer, annullato, annullata, annule, annulee, storniert, cancelado, cancelada, imeghairiwa, estornado, estornada",
);

// cases/README.md: paid; pending, unpaid (open); failed, cancelled (ended unpaid). The others are what shops write.
const orderWords: WordLists = {
  paid: list(
    "complete, payment accepted, paiement accepte, paid in full, fully paid, in payment, payment received, bezahlt, paye, payee, regle, reglee, acquitte, acquittee, imelipwa, amelipa, pagado, pagato, pagata, pago, paga, liquidado, liquidada, quitado, captured, cleared, payment confirmed",
  ),
  open: list(
    "unpaid, not paid, not yet, not yet paid, awaiting payment, pending payment, payment pending, on hold, partially paid, part paid, partial, open, new, due, overdue, draft, offen, ausstehend, en attente, in attesa, impaye, impayee, haijalipwa, hajalipa, inasubiri, en attente de paiement, a payer, non paye, non payee, pendiente, pendente, aguardando pagamento, em aberto, por pagar, nao pago, awaiting, awaiting confirmation, pending confirmation, waiting for payment, outstanding, unsettled",
  ),
  unpaid: [...neverPaid, ...list("rembourse, remboursee, imefutwa, deleted, written off")],
};
// TS, TF and TIP are what the wallets of many countries write: transaction successful, failed, in progress. ACSC, RJCT and so on are of ISO 20022.
const statementWords: WordLists = {
  paid: list(
    "complete, gebucht, ausgefuhrt, bezahlt, pagado, approved, captured, received, paid out, ok, acsc, accc, reussi, reussie, succes, effectue, effectuee, accepte, acceptee, paye, payee, valide, validee, execute, executee, executed, cleared, posted, confirmed, credited, ts, imefanikiwa, concluido, concluida, aprovado, aprovada, efetuado, efetuada, efectuado, efectuada, sucesso, com sucesso, liquidado, liquidada, pago, paga, the service request is processed successfully",
  ),
  open: list(
    "vorgemerkt, pendiente, on hold, initiated, in progress, awaiting, unsettled, scheduled, upcoming, uncleared, tip, pdng, acsp, actc, accp, en attente, en cours, inasubiri, pendente, em processamento",
  ),
  unpaid: [
    ...neverPaid,
    ...list(
      "timed out, chargeback, error, not successful, unpaid, fail, failure, invalid, aborted, bounced, returned, dishonoured, not completed, insufficient funds, insufficient balance, tf, rjct, echoue, echouee, echec, refuse, refused, refusee, rejete, rejetee, imeshindikana, imeshindwa, imekataliwa, imefeli, fehlgeschlagen, abgelehnt, rechazado, falhou, falhado, falhada, recusado, recusada, rejeitado, rejeitada, expirado",
    ),
  ],
};
/** In a column that asks "Paid?". */
const answers: WordLists = {
  paid: ["yes", "y", "true", "1", "x", "ja", "oui", "ndiyo", "si", ""],
  open: list("no, n, false, 0, nein, non, hapana"),
  unpaid: [],
};

/** In a column of result codes: those of M-PESA and of card terminals (ISO 8583) that are known, and zero, which says success everywhere. */
const resultCodes: WordLists = {
  paid: list("0, 00, 000, 08"),
  open: [],
  unpaid: list("1, 05, 14, 17, 26, 41, 43, 51, 54, 55, 57, 61, 91, 96, 1001, 1019, 1025, 1032, 1037, 2001"),
};
export const isResultCode = (heading: string): boolean => /\b(?:result|response)[\s_.]*code\b/i.test(heading.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2"));

/** Those of ACI and Peach Payments: `000.100.110`. What was paid and is to be looked at was paid. */
const stateOfDottedCode = (code: string): StateOfWord | undefined => {
  if (!/^\d{3}\.\d{3}\.\d{3}$/.test(code)) return undefined;
  const isPaid = /^000\.(?:000|100\.1|[36]|400\.(?:0[^3]|1[012]0))/.test(code);
  return { state: isPaid ? "paid" : /^(?:000\.200|800\.400\.5|100\.400\.500)/.test(code) ? "open" : "unpaid", recognised: true };
};

/** A column of what is still owed of an order. */
export const isRestHeading = (heading: string): boolean =>
  /^(?!.*\b(?:refund|tax|shipping|discount)\b).*\b(?:remaining|outstanding|residual|unpaid|due|open|balance|offen|rest|solde|saldo|salio)\b/iu.test(heading);

/** Small letters without accents; hyphens and underscores are spaces; ticks and other signs around the word are dropped. */
export const plainWord = (cell: string): string =>
  cell
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[_\s-]+/gu, " ")
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");

const inLists = (word: string, lists: Partial<WordLists>): StateOfWord | undefined => {
  for (const state of ["paid", "open", "unpaid"] as const) if (lists[state]?.includes(word) === true) return { state, recognised: true };
  return undefined;
};

export type StatusOptions = {
  readonly kind: FileKind;
  /** The layout's own words; they go before all others. */
  readonly own?: LayoutData["status"] | undefined;
  /** The heading of the status column. */
  readonly heading?: string | undefined;
};

/** What a status says. A word nobody told us about is open and not recognised (rules.md, Living with what is not shown). */
export const stateOfWord = (cell: string, { kind, own, heading = "" }: StatusOptions = { kind: "orders" }): StateOfWord => {
  const word = plainWord(cell);
  const plain = (words: readonly string[] | undefined): readonly string[] => (words ?? []).map(plainWord);
  const found = inLists(word, { paid: plain(own?.paid), open: plain(own?.open), unpaid: plain(own?.unpaid) });
  if (found !== undefined) return found;
  const asks =
    /(?<!\p{L})(?:paid|repaid|success(?:ful)?|settled|received|recd|cleared|collected|bezahlt|pay[eé]e?|r[eé]gl[eé]e?|pagat[oa]|imelipwa)(?!\p{L})|\?\s*$/iu.test(
      heading,
    );
  // A tick alone leaves nothing of the word.
  const coded = isResultCode(heading) ? (inLists(word, resultCodes) ?? stateOfDottedCode(cell.trim())) : undefined;
  const asksWhetherNot = kind === "statement" && /^\s*(?:is\s+)?(?:reversed|refunded|cancell?ed|failed|void(?:ed)?|returned)\s*\??\s*$/i.test(heading);
  const answer = (asks || asksWhetherNot) && cell.trim() !== "" ? inLists(word, answers) : undefined;
  const answered = answer === undefined || !asksWhetherNot ? answer : { ...answer, state: answer.state === "paid" ? ("unpaid" as const) : ("paid" as const) };
  const isAmount = cell.length < 40 && /^(?:\p{L}{1,4}\.?\s*)?[-\d.,\s()]*\d[\d.,\s)]*$/u.test(cell);
  if (kind === "orders" && isAmount && isRestHeading(heading)) return { state: /[1-9]/.test(cell) ? "open" : "paid", recognised: true };
  const known = (text: string): StateOfWord =>
    inLists(text, kind === "orders" ? orderWords : statementWords) ?? {
      state: classifyStatus(text, "in"),
      // Some banks say it of what has arrived, and some of what is on its way.
      recognised: isRecognisedStatus(text, "in") && (kind === "orders" || text !== "sent"),
    };
  const read = coded ?? answered ?? known(word);
  if (read.recognised) return read;
  // `Invoice : Paid In Full`, `processor_declined`: what has the status goes before it. What was sent may be a payment or a bill.
  const owner = /(?<!\p{L})(?:status|state|statut)(?!\p{L})/iu.test(heading) ? /^(?:[^:]+:|payment|processor|gateway|bank|card)\s+(?!sent$)/u : /^[^:]+:\s+/u;
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
type WayWords = Readonly<Record<Way, readonly string[]>>;
const ways: WayWords = {
  in: list(
    "credit, cr, c, in, deposit, received, money in, paid in, pay in, cash in, collection, credited, inflow, incoming, inbound, haben, h, receipt, crédit, crédito, entrée, entrada, bij, ingia",
  ),
  out: list(
    "debit, dr, d, out, withdrawal, withdrawn, sent, money out, paid out, pay out, cash out, payout, disbursement, debited, outflow, outgoing, outbound, soll, s, débit, débito, sortie, saída, af, toka",
  ),
  none: list("neutral, internal transfer"),
};
/** Words of a column that says what kind of row it is. The codes are those of Sage's books: receipts and payments of sales, purchases and the bank. */
const typeWays: WayWords = {
  in: list(
    "payment, merchant payment, customer payment, payment received, c2b, sale, sales receipt, receive, capture, paybill payment, buy goods, top up, topup, merchant pay, sr, sa, br",
  ),
  out: list(
    "b2c, transfer, refund, reversal, fee, fees, charge, charges, service fee, float transfer, settlement, bank transfer, payment sent, send money, commission, tax, b2b, salary, chargeback, dispute, expense, pay, pp, bp",
  ),
  none: list("authorization, authorisation, preauthorization, preauthorisation, void, voided"),
};

/** Whether a word says that money came in or went out; undefined if it says neither. A sign alone counts. */
export const wayOfWord = (cell: string, own?: LayoutData["directions"], isType = false): Way | undefined => {
  if (cell.trim() === "+") return "in";
  if (/^[-\u2212]$/u.test(cell.trim())) return "out";
  const word = plainWord(cell).replace(/\.$/, "");
  for (const lists of [own, ways, ...(isType ? [typeWays] : [])])
    for (const way of ["in", "out", "none"] as const) if (lists?.[way]?.some((each) => plainWord(each) === word)) return way;
  return undefined;
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

const isOnlyWay = (type: string): boolean => list("c, d, cr, dr, credit, debit, in, out").includes(plainWord(type));

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
