const decimal = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** Minor digits of a currency by Intl, undefined for what is no currency code. Shillings are answered without waking ICU up. */
const digitsOf = (currency: string): number | undefined => {
  if (currency === "KES") return 2;
  if (!/^[A-Za-z]{3}$/.test(currency)) return undefined;
  return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits;
};

/**
 * A decimal string grouped for people, `1234.5` → `1,234.50`, whatever the locale (rules.md, Streams). Exact: digits are
 * moved, never computed; decimals beyond the currency's own are kept. What is no number comes back as it is.
 */
export const groupedAmount = (text: string, currency: string): string => {
  const [, sign, whole, fraction = "", exponent] = decimal.exec(text) ?? [];
  if (sign === undefined || whole === undefined) return text;
  const shift = Number(exponent ?? "0");
  if (Math.abs(shift) > 40) return text;
  const digits = whole + fraction + "0".repeat(Math.max(0, shift - fraction.length));
  const point = whole.length + shift;
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits;
  const at = Math.max(1, point);
  const units = padded.slice(0, at).replace(/^0+(?=\d)/, "");
  const least = digitsOf(currency) ?? 0;
  const rest = padded.slice(at).replace(/0+$/, "").padEnd(least, "0");
  const grouped = units.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return `${sign === "-" ? "-" : ""}${grouped}${rest === "" ? "" : `.${rest}`}`;
};

/** A whole count grouped for people, `12345` → `12,345`. */
export const groupedCount = (count: number): string => groupedAmount(String(Math.trunc(count)), "");
