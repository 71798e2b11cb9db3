import type { Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { fieldOf, isObject, type Json, type JsonObject, textOf } from "../../json/exact-json.ts";
import { currencyDecimals, multiplyDecimals, toDecimal, toFixedText } from "../../money/money.ts";
import { ratesView } from "../../output/views/rates.ts";
import { parseAmount } from "../../payments/creation.ts";
import { routes } from "../../service/contract/routes.ts";
import { withField } from "../show-object.ts";
import type { globalFxSpec } from "./spec.ts";

/**
 * An amount of the base in another currency, every part as text. Exact arithmetic; the result is rounded half up to the
 * decimals of its currency. Throws CliError usage for an amount or currency that cannot be converted, unavailable for rates of nothing.
 */
const convert = (rates: Json | undefined, typed: string, to: string): JsonObject => {
  const base = textOf(fieldOf(rates, "base")) ?? "";
  if (base === "") throw new CliError("unavailable", "The service's rates do not say which currency they are for.");
  const amount = parseAmount(typed, base);
  const table = fieldOf(rates, "rates");
  const target = isObject(table) ? Object.keys(table).find((each) => each.toUpperCase() === to.trim().toUpperCase()) : undefined;
  const rate = target === undefined ? undefined : textOf(fieldOf(table, target));
  const [factor, value] = [rate === undefined ? undefined : toDecimal(rate), toDecimal(amount.text)];
  if (target === undefined || rate === undefined || factor === undefined || value === undefined) {
    throw usageError(`There is no rate from ${base} to ${to.trim()}.`, `There are rates for: ${isObject(table) ? Object.keys(table).join(", ") : "none"}`);
  }
  const product = multiplyDecimals(value, factor);
  const result = toFixedText(product, currencyDecimals(target) ?? product.scale);
  return { amount: amount.text, from: base, to: target, rate, result };
};

const checkBase = (base: string | undefined): string | undefined => {
  if (base === undefined || base.trim() === "") return undefined;
  const code = base.trim().toUpperCase();
  // Which currencies there are is the service's to say; a code is letters and digits.
  if (!/^[A-Z0-9]{2,12}$/.test(code)) throw usageError(`"${base}" is not a currency code.`);
  return code;
};

/** `global fx`: display rates (service 2.7), and a conversion by them. */
export const run: Run<typeof globalFxSpec> = async ({ flags }, context) => {
  const { convert: amount, to } = flags;
  if (amount !== undefined && to === undefined) throw usageError("--convert needs --to: the currency to convert to.");
  if (amount === undefined && to !== undefined) throw usageError("--to needs --convert: the amount to convert.");
  const base = checkBase(flags.base);
  // Refused before any request where it is no amount in any currency; the base's own decimals are checked once it is known.
  if (amount !== undefined && (base !== undefined || !/^\d+(\.\d+)?$/.test(amount.trim()))) parseAmount(amount, base ?? "KES");
  const client = await context.client();
  const { body } = await client.call(routes.fxRates, { query: { base }, signal: context.signal });
  const rates = fieldOf(body, "rates");
  const row: JsonObject = isObject(rates) ? rates : {};
  if (amount === undefined || to === undefined)
    return { rows: [row], single: true, document: ([only]) => withField(body, "rates", only ?? null), view: ratesView };
  return {
    rows: [{ ...row, conversion: convert(rates, amount, to) }],
    single: true,
    document: ([only]) => {
      const { conversion, ...rest } = isObject(only) ? only : {};
      return { ...withField(body, "rates", rest), ...(conversion === undefined ? {} : { conversion }) };
    },
    view: ratesView,
  };
};
