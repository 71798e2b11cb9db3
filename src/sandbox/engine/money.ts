import rates from "./rates.json" with { type: "json" };

/** Whole minor units, 100 to a unit of any currency, inside; JSON numbers in units on the wire. The one place that converts. */
export const toMinor = (units: number): number => Math.round(units * 100);
export const toUnits = (minor: number): number => minor / 100;

/** The largest amount that is handled: a JavaScript number still counts its minor units one by one. */
export const amountUnitsMax = 1_000_000_000;

/** Has the amount no more decimals than the currency? To the last digit: what would be rounded away is not what was asked for. */
export const fitsDecimals = (units: number, decimals: number): boolean => Number(units.toFixed(decimals)) === units;

/** Fees in KES by the largest amount in KES that each is for. */
type Tiers = Readonly<Record<number, number>>;
const feeOf = (tiers: Tiers, highest: number, minor: number): number => {
  const tier = Object.entries(tiers).find(([upTo]) => minor <= toMinor(Number(upTo)));
  return toMinor(tier?.[1] ?? highest);
};

/** Fee of the service for a push or a crypto payment. Assumed: tiers in KES; the document names no figures. */
export const pushFee = (minor: number): number => feeOf({ 100: 1, 500: 3, 1000: 5, 5000: 10, 20000: 20, 50000: 35 }, 50, minor);

/** Fee of the service for a payout. Assumed: as above. */
export const payoutPlatformFee = (minor: number): number => feeOf({ 1000: 2, 10000: 5 }, 10, minor);

/** What the carrier takes for a payout (`pricingQuote.fee`). Assumed: tiers of a business-to-customer tariff. */
export const payoutCarrierFee = (minor: number): number => feeOf({ 1500: 5, 5000: 9, 20000: 11 }, 13, minor);

/** A rail's fee from its description: `1.5%`, `flat 50`, `1.5% + 100 cap 2000`. Rounded to the currency's decimals. */
export const railFee = (description: string, minor: number, decimals: number): number => {
  const percent = Number(/([\d.]+)%/.exec(description)?.[1] ?? 0);
  const fixed = Number(/(?:flat|\+)\s*([\d.]+)/.exec(description)?.[1] ?? 0);
  const cap = /cap\s+([\d.]+)/.exec(description)?.[1];
  const fee = Math.min((minor * percent) / 100 + fixed * 100, cap === undefined ? Number.POSITIVE_INFINITY : Number(cap) * 100);
  const grain = 10 ** (2 - Math.min(2, decimals));
  return Math.round(fee / grain) * grain;
};

/** Units of each currency to one US dollar, for display (service 2.7). Assumed: fixed, as a test wants the same answer twice. */
const displayRates: Readonly<Record<string, number>> = rates;

/** Rates with another base, to six significant digits; undefined for an unknown base. */
export const ratesFrom = (base: string): Readonly<Record<string, number>> | undefined => {
  const own = Object.hasOwn(displayRates, base) ? displayRates[base] : undefined;
  if (own === undefined) return undefined;
  return Object.fromEntries(Object.entries(displayRates).map(([code, rate]) => [code, code === base ? 1 : Number((rate / own).toPrecision(6))]));
};

/** The currency that the Global Wallet is kept in. Assumed: the merchant's own. */
export const globalCurrency = "KES";

/** KES for one unit as the provider settles. Assumed: half a percent under the display rate, so that nobody posts by that one. */
export const settlementRate = (currency: string): number => {
  if (currency === globalCurrency) return 1;
  const perDollar = displayRates[currency] ?? 1;
  return Number((((displayRates["KES"] ?? 1) / perDollar) * 0.995).toPrecision(8));
};

/** KES for one unit of an asset. Assumed: fixed. */
export const cryptoRates: Readonly<Record<string, number>> = { USDT: 129.4, USDC: 129.5, BTC: 11_850_000, ETH: 391_000 };
