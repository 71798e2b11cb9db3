import { classifyStatus, isRecognisedStatus, type StatusClass } from "../transactions/status.ts";
import type { PaymentKind } from "./record.ts";

// cases/README.md: paid; pending, unpaid (open); failed, cancelled (ended unpaid). The others are what shops write.
const open: ReadonlySet<string> = new Set([
  "unpaid",
  "not paid",
  "awaiting payment",
  "pending payment",
  "on-hold",
  "on hold",
  "partially paid",
  "open",
  "new",
  "due",
  "overdue",
]);
const unpaid: ReadonlySet<string> = new Set(["void", "voided", "refunded", "expired", "abandoned", "timeout"]);

/** What an order's status says; a word nobody told us about is open and not recognised (rules.md, Living with what is not shown). */
export const stateOfWord = (cell: string): { readonly state: StatusClass; readonly recognised: boolean } => {
  const word = cell.trim().toLowerCase();
  if (open.has(word)) return { state: "open", recognised: true };
  if (unpaid.has(word)) return { state: "unpaid", recognised: true };
  if (word === "complete") return { state: "paid", recognised: true };
  return { state: classifyStatus(word, "in"), recognised: isRecognisedStatus(word, "in") };
};

const internal =
  /\bsettlement\b|\b(?:utility|working|merchant|m-?pesa|charges paid|organi[sz]ation)\s+(?:account\s+)?to\s+(?:the\s+)?(?:utility|working|m-?pesa|bank|merchant)\b|\b(?:funds?|account|internal) transfer\b|\bwithdrawal of funds\b|\bfloat (?:transfer|purchase)\b/i;

/** What a statement row is, by its reason type where there is one, else by its details. Payers' names are in the details: they decide nothing. */
export const kindOfRow = (row: { readonly type: string; readonly details: string; readonly amountMinor: bigint; readonly linked: string }): PaymentKind => {
  const words = row.type.trim() === "" ? row.details : row.type;
  if (/\breversal\b/i.test(row.type) || /^reversal of\b/i.test(row.details)) return "reversal";
  const charge = row.type.trim() === "" ? /\b(?:charges?|fees?)\s*$/i.test(row.details) : /\b(?:charges?|fees?)\b/i.test(row.type);
  if (charge && row.amountMinor < 0n) return "charge";
  if (internal.test(row.type.trim() === "" ? leadOf(words) : words)) return "internal";
  return row.amountMinor < 0n ? "payout" : "payment";
};

/** Details up to the party they name. */
const leadOf = (details: string): string => details.split(/\s(?:from|-)\s/i)[0] ?? details;

export const reversedReceipt = (details: string, linked: string): string | undefined => {
  const named = linked.trim();
  if (named !== "") return named;
  return /^reversal of\s+(?:transaction\s+)?([A-Z0-9]{6,20})\b/i.exec(details.trim())?.[1];
};

/** What follows `Acc. ` at the end of Details (cases/README.md). */
export const accountInDetails = (details: string): string | undefined => {
  const found = /\bAcc\. (.*)$/s.exec(details)?.[1]?.trim();
  return found === undefined || found === "" ? undefined : found;
};
