import { currencyDecimals, formatMinor, toDecimal, toFixedText } from "./money.ts";

/** An asset such as USDT, whose code does not have three letters, is shown with the decimals that it came with. */
const decimalsMin = (currency: string): number => (/^[A-Za-z]{3}$/.test(currency) ? (currencyDecimals(currency) ?? 2) : 0);

/**
 * A decimal string grouped for people, `1234.5` → `1,234.50`, whatever the locale (rules.md, Streams). Exact: decimals beyond the
 * currency's own are kept. What is no number comes back as it is.
 */
export const groupedAmount = (text: string, currency: string): string => {
  const decimal = toDecimal(text);
  if (decimal === undefined) return text;
  const [units = "", fraction = ""] = toFixedText(decimal, decimal.scale).replace("-", "").split(".");
  const rest = fraction.replace(/0+$/, "").padEnd(decimalsMin(currency), "0");
  return `${text.startsWith("-") ? "-" : ""}${units.replace(/\B(?=(?:\d{3})+$)/g, ",")}${rest === "" ? "" : `.${rest}`}`;
};

/** Hundredths grouped for people, without the currency. */
export const groupedMinor = (minor: bigint): string => groupedAmount(formatMinor(minor), "KES");

/** A whole count grouped for people, `12345` → `12,345`. */
export const groupedCount = (count: number): string => groupedAmount(String(Math.trunc(count)), "");

/** A count with its noun: `1 row`, `1,234 rows`. */
export const countOf = (count: number, one: string, many = `${one}s`): string => `${groupedCount(count)} ${count === 1 ? one : many}`;
