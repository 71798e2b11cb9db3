import { usageError } from "../../errors.ts";
import { groupedAmount } from "../../money/grouped.ts";
import { isChannel, type Rail, type RailUse, unusable } from "../../payments/rails.ts";
import type { Context } from "../../ports.ts";

type Asking = Pick<Context, "prompt">;

/** A region's English name, else its code. */
const countryName = (code: string): string => {
  if (!/^[A-Z]{2}$/i.test(code)) return code === "" ? "(no country given)" : code;
  return `${new Intl.DisplayNames("en", { type: "region", fallback: "code" }).of(code.toUpperCase()) ?? code} (${code})`;
};

/** The limits of a rail, to be shown beside an amount: `500 to 5,000,000`; empty where it names none. */
export const limitsText = ({ min, max }: Rail, currency: string): string => {
  const [least, most] = [min, max].map((text) => (text === undefined ? undefined : groupedAmount(text, currency)));
  if (least !== undefined && most !== undefined) return `${least} to ${most}`;
  if (least !== undefined) return `from ${least}`;
  return most === undefined ? "" : `up to ${most}`;
};

const railName = (rail: Rail, use: RailUse): string => {
  const how = use === "collect" ? rail.flow : rail.channels.join(", ");
  const why = unusable(rail, use);
  const limits = limitsText(rail, rail.currencies.length === 1 ? (rail.currencies[0] ?? "") : "");
  const parts = [`${rail.code}  ${rail.name}`, rail.currencies.join(", "), limits, how].filter((part) => part !== "");
  return parts.join(" · ") + (why === undefined ? "" : ` (${why})`);
};

/** Those that can be used come first. */
const usableFirst = (rails: readonly Rail[], use: RailUse): readonly Rail[] => [
  ...rails.filter((rail) => unusable(rail, use) === undefined),
  ...rails.filter((rail) => unusable(rail, use) !== undefined),
];

export type RailWish = { readonly currency?: string | undefined; readonly channel?: string | undefined };

const fits = (rail: Rail, use: RailUse, { currency, channel }: RailWish): boolean =>
  (use === "collect" ? rail.collects : rail.disburses) &&
  (currency === undefined || rail.currencies.some((each) => each.toUpperCase() === currency.toUpperCase())) &&
  (channel === undefined || use === "collect" || rail.channels.some((each) => each.toUpperCase() === channel.toUpperCase()));

/**
 * Country, then rail, chosen among those there are at this moment (service 1.6), what cannot be used last and with the reason:
 * choosing it asks again. Throws CliError usage if the merchant has no such rail.
 */
export const chooseRail = async (rails: readonly Rail[], use: RailUse, wish: RailWish, { prompt }: Asking): Promise<Rail> => {
  const candidates = rails.filter((rail) => fits(rail, use, wish));
  const there = usableFirst(candidates, use);
  if (!there.some((rail) => unusable(rail, use) === undefined)) {
    throw usageError(`No rail of this merchant can be used to ${use} here at the moment.`, "payments-cli global providers shows what there is.");
  }
  let why = "";
  for (;;) {
    const countries = [...new Set(there.map((rail) => rail.country))];
    const choices = countries.map((value) => ({ value, name: countryName(value) }));
    const country = countries.length === 1 ? (countries[0] ?? "") : await prompt.choose({ message: `${why}Country`, choices });
    const here = there.filter((rail) => rail.country === country);
    const rail = await prompt.choose({
      message: `${countries.length === 1 ? why : ""}Rail`,
      choices: here.map((value) => ({ value, name: railName(value, use) })),
    });
    const reason = unusable(rail, use);
    if (reason === undefined) return rail;
    why = `${rail.code} ${reason}; choose another. `;
  }
};

/** One of the rail's currencies; not asked where there is one alone. */
export const chooseCurrency = async (rail: Rail, { prompt }: Asking): Promise<string> => {
  const [only] = rail.currencies;
  if (only === undefined) throw usageError(`The rail ${rail.code} names no currency.`);
  if (rail.currencies.length === 1) return only;
  return prompt.choose({ message: "Currency", choices: rail.currencies.map((value) => ({ value, name: value })) });
};

/** One of the rail's channels; one that this program does not know is shown, and asked again when chosen. */
export const chooseChannel = async (rail: Rail, { prompt }: Asking): Promise<string> => {
  const [only] = rail.channels;
  if (rail.channels.length === 1 && only !== undefined) return only;
  const choices = [...rail.channels.filter(isChannel), ...rail.channels.filter((each) => !isChannel(each))].map((value) => ({
    value,
    name: isChannel(value) ? value : `${value} (not known to this program)`,
  }));
  for (;;) {
    const channel = await prompt.choose({ message: "Channel", choices });
    if (isChannel(channel)) return channel;
  }
};
