/** How figures, times and statuses are put to a person. Amounts are major units, as the service gives them. */
const minor = (currency) => {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits;
  } catch {
    return 2;
  }
};
export const amount = (value, currency = "KES") =>
  typeof value === "number" ? (value < 0 ? "−" : "") + new Intl.NumberFormat("en-GB", { minimumFractionDigits: Math.min(2, minor(currency)), maximumFractionDigits: 2 }).format(Math.abs(value)) : "–";
/** The minus stands before the currency, as it is read. */
export const money = (value, currency = "KES") => (value < 0 ? `−${currency} ${amount(-value, currency)}` : `${currency} ${amount(value, currency)}`);
export const count = (value) => new Intl.NumberFormat("en-GB").format(value);

const sameDay = (a, b) => a.toDateString() === b.toDateString();
export const clock = (iso) => {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString("en-GB");
};
export const when = (iso) => {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  return sameDay(at, new Date()) ? clock(iso) : `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, ${at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
};
export const duration = (ms) => (ms === null || ms === undefined ? "" : ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

const paid = new Set(["COMPLETED", "SUCCESS", "SUCCEEDED", "SUCCESSFUL", "PAID", "SETTLED"]);
const open = new Set(["SENT", "QUEUED", "PENDING", "PROCESSING"]);
export const tone = (status) => (paid.has(status) ? "good" : open.has(status) ? "waiting" : status === "REVERSED" ? "quiet" : "bad");
const words = { SENT: "Sent", QUEUED: "Queued", PROCESSING: "Processing", PENDING: "Pending", COMPLETED: "Completed", FAILED: "Failed", CANCELLED: "Cancelled", EXPIRED: "Expired", REVERSED: "Reversed" };
export const inWords = (status) => words[status] ?? String(status);
const meanings = { good: "paid", waiting: "still open", bad: "ended unpaid", quiet: "ended unpaid" };
/** The status and what it means for the money, in the words of the command line. */
export const withMeaning = (status) => `${inWords(status)}, ${meanings[tone(status)]}`;

const ledgerWords = { TOPUP: "Credits added", FEE: "Service fee", B2C_TOPUP: "Payout float added", B2C_PAYOUT: "Payout", B2C_FEE: "Carrier cost", B2C_HOLD: "Hold" };
/** `value` tells what was taken away from what was added. */
export const entryInWords = (type, value = 0) => (value < 0 && /TOPUP$/.test(type) ? "Taken away" : type === "HOLD_RELEASE" || (value > 0 && type === "B2C_HOLD") ? "Hold released" : undefined) ?? ledgerWords[type] ?? String(type).toLowerCase().replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());

/** A phone without the signs that people write between its digits. */
export const digitsOf = (text) => text.replace(/[\s()+.-]/g, "");
/** A Kenyan phone as people write it (0712 345 678, +254712345678, 712345678) as the digits that the service takes; anything else as typed. */
export const phoneDigits = (text) => {
  const digits = digitsOf(text);
  return /^0[17]\d{8}$/.test(digits) ? `254${digits.slice(1)}` : /^[17]\d{8}$/.test(digits) ? `254${digits}` : /^\d+$/.test(digits) ? digits : text.trim();
};

/** 254712345678 as 0712 345 678 is read; anything else as it came. */
export const phone = (digits) => {
  const found = /^254(\d{3})(\d{3})(\d{3})$/.exec(String(digits ?? ""));
  return found ? `+254 ${found[1]} ${found[2]} ${found[3]}` : String(digits ?? "");
};

/** The receipt is whichever field of metadata has "receipt" in its name. */
export const receiptOf = (transaction) => {
  const entry = Object.entries(transaction?.metadata ?? {}).find(([name]) => /receipt/i.test(name));
  return entry === undefined || entry[1] === null ? undefined : String(entry[1]);
};
