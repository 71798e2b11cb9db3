/** A checked amount. `text` is canonical: no leading zeros, no trailing zeros after the point, as it goes on the wire. */
export type Amount = {
  readonly text: string;
  /** Minor units of the currency (cents; whole units where it has none). */
  readonly minor: bigint;
};
export type AmountReading = { readonly amount: Amount } | { readonly problem: string };

/** Assumed: a JSON number of more digits is not carried exactly by most readers, and no payment is that large. */
const maxDigits = 15;

/** Decimals of a currency by Intl (rules.md, Money safety), undefined for an unknown code. Shillings are answered without waking ICU up. */
export const currencyDecimals = (currency: string): number | undefined => {
  const code = currency.toUpperCase();
  if (code === "KES") return 2;
  // Intl formats any three letters, so the list of what exists is asked first.
  if (!/^[A-Z]{3}$/.test(code) || !Intl.supportedValuesOf("currency").includes(code)) return undefined;
  return new Intl.NumberFormat("en", { style: "currency", currency: code }).resolvedOptions().maximumFractionDigits;
};

/** The digits of an amount that is written as screens show it, `100,000.00`; anything else as typed. */
export const withoutGrouping = (typed: string): string => (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(typed.trim()) ? typed.replaceAll(",", "") : typed);

/** Why a text is no amount, as the end of a sentence. */
const whyNotDigits = (text: string): string => {
  if (text === "") return "is empty: type digits, such as 1500";
  if (/^[-\u2212]/.test(text)) return "must be positive";
  if (/^[+]/.test(text)) return "must be written without a sign";
  if (/^[\d.]+e[+-]?\d+$/i.test(text)) return "must be written in full, not in scientific notation";
  if (/^[\d.,' \u00a0\u202f]+$/.test(text) && /[,' \u00a0\u202f]/.test(text)) return "must be written without commas or spaces, such as 1500";
  return "must be digits, such as 1500";
};

/**
 * Reads an amount typed by a person: digits with an optional point, above zero, with at most the currency's decimals
 * (rules.md, Money safety). Returns the problem as a sentence instead of throwing.
 */
export const readAmount = (typed: string, currency: string): AmountReading => {
  const text = typed.trim();
  if (!/^[A-Za-z0-9]+$/.test(currency)) return { problem: `"${currency}" is not a currency code.` };
  // What a rail takes is the service's to say: a code that Intl does not know has two decimals (rules.md, Money safety).
  const decimals = currencyDecimals(currency) ?? 2;
  const [, digits, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (digits === undefined) return { problem: `The amount "${text}" ${whyNotDigits(text)}.` };
  if (fraction.length > decimals) {
    const has = decimals === 0 ? "no decimals" : `at most ${decimals} decimals`;
    return { problem: `The amount "${text}" has too many decimals: ${currency.toUpperCase()} has ${has}.` };
  }
  const whole = digits.replace(/^0+(?=\d)/, "");
  if (whole.length + decimals > maxDigits) return { problem: `The amount "${text}" is too large.` };
  const minor = BigInt(whole + fraction.padEnd(decimals, "0"));
  if (minor === 0n) return { problem: `The amount "${text}" must be positive.` };
  const rest = fraction.replace(/0+$/, "");
  return { amount: { text: rest === "" ? whole : `${whole}.${rest}`, minor } };
};

/** An exact decimal: `digits` times ten to the minus `scale`. */
export type Decimal = { readonly digits: bigint; readonly scale: number };

/** Minor units of a currency with two decimals as text: `12345n` is `123.45`. */
export const formatMinor = (minor: bigint): string => toFixedText({ digits: minor, scale: 2 }, 2);

/** A JSON number's text: sign, whole digits, fraction, exponent. */
const decimalText = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** A JSON number's text as an exact decimal; undefined for other texts and for exponents beyond ±40. */
export const toDecimal = (text: string): Decimal | undefined => {
  const [, sign, whole, fraction = "", exponent = "0"] = decimalText.exec(text) ?? [];
  if (sign === undefined || whole === undefined || Math.abs(Number(exponent)) > 40) return undefined;
  const scale = fraction.length - Number(exponent);
  const magnitude = BigInt(whole + fraction) * (scale < 0 ? 10n ** BigInt(-scale) : 1n);
  return { digits: sign === "-" ? -magnitude : magnitude, scale: Math.max(0, scale) };
};

const atScale = (value: Decimal, scale: number): bigint => value.digits * 10n ** BigInt(scale - value.scale);

export const addDecimals = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale);
  return { digits: atScale(a, scale) + atScale(b, scale), scale };
};
export const subtractDecimals = (a: Decimal, b: Decimal): Decimal => addDecimals(a, { ...b, digits: -b.digits });

/** Below zero where a < b, above where a > b, else 0. */
export const compareDecimals = (a: Decimal, b: Decimal): number => {
  const { digits } = subtractDecimals(a, b);
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
};

export const multiplyDecimals = (a: Decimal, b: Decimal): Decimal => ({ digits: a.digits * b.digits, scale: a.scale + b.scale });

/** Digits with exactly `decimals` after the point, rounded half away from zero. */
export const toFixedText = (value: Decimal, decimals: number): string => {
  const negative = value.digits < 0n;
  const magnitude = negative ? -value.digits : value.digits;
  const surplus = value.scale - decimals;
  const divisor = 10n ** BigInt(Math.max(0, surplus));
  const minor = surplus <= 0 ? magnitude * 10n ** BigInt(-surplus) : (magnitude + divisor / 2n) / divisor;
  const digits = String(minor).padStart(decimals + 1, "0");
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return negative && minor !== 0n ? `-${text}` : text;
};
