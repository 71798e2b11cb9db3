import { flagWords } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import type { Json } from "../../json/exact-json.ts";
import { groupedAmount } from "../../money/grouped.ts";
import { withoutGrouping } from "../../money/money.ts";
import {
  findCurrency,
  findRail,
  isChannel,
  type Rail,
  type RailUse,
  railAmountProblem,
  railsOf,
  readProviders,
  unusable,
  writeProvidersCache,
} from "../../payments/rails.ts";
import type { Choice, Context } from "../../ports.ts";

type Asking = Pick<Context, "prompt" | "note">;

/** A region's English name, else its code. */
const countryName = (code: string): string => {
  if (!/^[A-Z]{2}$/i.test(code)) return code === "" ? "(no country given)" : code;
  return `${new Intl.DisplayNames("en", { type: "region", fallback: "code" }).of(code.toUpperCase()) ?? code} (${code})`;
};

/** The limits of a rail, to be shown beside an amount: `500 to 5,000,000`; empty where it names none. */
const limitsText = ({ min, max }: Rail, currency: string): string => {
  const [least, most] = [min, max].map((text) => (text === undefined ? undefined : groupedAmount(text, currency)));
  if (least !== undefined && most !== undefined) return `${least} to ${most}`;
  if (least !== undefined) return `from ${least}`;
  return most === undefined ? "" : `up to ${most}`;
};

const railName = (rail: Rail, use: RailUse): string => {
  const how = use === "collect" ? rail.flow : rail.channels.filter(isChannel).join(", ");
  const limits = limitsText(rail, rail.currencies.length === 1 ? (rail.currencies[0] ?? "") : "");
  const parts = [`${rail.code}  ${rail.name}`, rail.currencies.join(", "), limits, how].filter((part) => part !== "");
  return parts.join(" · ");
};

type RailFlags = Readonly<Record<"rail" | "amount" | "currency", string | undefined>> & { readonly channel?: string | undefined };

/** Any of these names, in any case of letters, or none asked for. */
const has = (names: readonly string[], wanted: string | undefined): boolean =>
  wanted === undefined || names.some((each) => each.toUpperCase() === wanted.trim().toUpperCase());

/**
 * The rail of --rail; else country, then rail, chosen among those that can be used at this moment (service 1.6); the others are named with
 * the reason. A question with one answer is not asked. Throws CliError usage if the merchant has no such rail.
 */
export const railOf = async (rails: readonly Rail[], use: RailUse, flags: RailFlags, { prompt, note }: Asking): Promise<Rail> => {
  if (flags.rail !== undefined) return findRail(rails, flags.rail, use);
  const serves = (rail: Rail): boolean => (use === "collect" ? rail.collects : rail.disburses && has(rail.channels, flags.channel));
  const candidates = rails.filter((rail) => serves(rail) && has(rail.currencies, flags.currency)).map((rail) => ({ rail, why: unusable(rail, use) }));
  const usable = candidates.flatMap(({ rail, why }) => (why === undefined ? [rail] : []));
  if (usable.length === 0)
    throw new CliError("usage", `You have no rail to ${use} with at the moment.`, { hint: "To see your rails", command: ["global", "providers"] });
  for (const { rail, why } of candidates) if (why !== undefined) note(`Not offered: ${rail.code} ${why}.`);
  const countries = [...new Set(usable.map((rail) => rail.country))].map((value) => ({ value, name: countryName(value) }));
  const country = await chooseOrName({ message: "Country", choices: countries }, { prompt, note });
  const here = usable.filter((rail) => rail.country === country).map((value) => ({ value, name: railName(value, use) }));
  return await chooseOrName({ message: "Rail", choices: here, words: (rail) => flagWords("rail", rail.code) }, { prompt, note });
};

type Question<T> = { readonly message: string; readonly choices: readonly Choice<T>[]; readonly words?: (answer: T) => readonly string[] };

/** A single choice is named, as it is not asked for. */
const chooseOrName = async <T>(question: Question<T>, { prompt, note }: Asking): Promise<T> => {
  const [only, other] = question.choices;
  if (only !== undefined && other === undefined) note(`${question.message}: ${only.name}`);
  return await prompt.choose(question);
};

/** One of the rail's currencies; not asked if there is only one. */
const chooseCurrency = async (rail: Rail, { prompt }: Asking): Promise<string> => {
  if (rail.currencies.length === 0) throw usageError(`The service gives no currency for the rail ${rail.code}.`);
  const choices = rail.currencies.map((value) => ({ value, name: value }));
  return prompt.choose({ message: "Currency", choices, words: (currency) => flagWords("currency", currency) });
};

/** One of the rail's channels that this program knows. Throws CliError usage if there is none. */
export const chooseChannel = async (rail: Rail, { prompt, note }: Asking): Promise<string> => {
  const known = rail.channels.filter(isChannel);
  if (known.length === 0) throw usageError(`The rail ${rail.code} ${unusable(rail, "withdraw") ?? "has no channel"}.`);
  const choices = known.map((value) => ({ value, name: value === "BANK" ? "BANK (to a bank account)" : "MOBILE_MONEY (to a phone)" }));
  return await chooseOrName({ message: "Channel", choices, words: (channel) => flagWords("channel", channel) }, { prompt, note });
};

type Reading = Pick<Context, "client" | "signal" | "paths">;
/** What the service says of the rails now; what completion offers is brought up to date by the way. */
export const currentProviders = async (context: Reading): Promise<Json> => {
  const providers = await readProviders(await context.client(), context.signal);
  await writeProvidersCache(context.paths, providers);
  return providers;
};
export const currentRails = async (context: Reading): Promise<readonly Rail[]> => railsOf(await currentProviders(context));

/** Currency and amount by their flags, else asked, with the rail's limits beside the amount. */
export const moneyOf = async (rail: Rail, flags: RailFlags, context: Asking): Promise<{ readonly currency: string; readonly amount: string }> => {
  const { currency: given, amount: typed } = flags;
  const currency = given === undefined ? await chooseCurrency(rail, context) : findCurrency(rail, given);
  const check = (text: string): string | undefined => railAmountProblem(rail, text, currency);
  const limits = limitsText(rail, currency);
  const text =
    typed ??
    withoutGrouping(
      await context.prompt.text({
        message: `Amount in ${currency}${limits === "" ? "" : ` (${limits})`}`,
        check: (answer) => check(withoutGrouping(answer)),
        words: (answer) => flagWords("amount", withoutGrouping(answer)),
      }),
    );
  const fault = check(text);
  if (fault !== undefined) throw usageError(fault);
  return { currency, amount: text };
};
