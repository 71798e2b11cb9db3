import { flagWords } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { withoutGrouping } from "../../money/money.ts";
import { writeProvidersCache } from "../../payments/providers-cache.ts";
import { findCurrency, findRail, type Rail, type RailUse, railAmountProblem, railsOf, readProviders } from "../../payments/rails.ts";
import type { Context } from "../../ports.ts";
import { chooseCurrency, chooseRail, limitsText } from "./choose-rail.ts";

export type RailFlags = Readonly<Record<"rail" | "amount" | "currency", string | undefined>> & { readonly channel?: string | undefined };

/** The rails as they are now; what completion offers is brought up to date by the way. */
export const currentRails = async (context: Context): Promise<readonly Rail[]> => {
  const client = await context.client();
  const providers = await readProviders(client, context.signal);
  await writeProvidersCache(context.paths, providers);
  return railsOf(providers);
};

/** The rail by its flag, else chosen. */
export const railOf = async (rails: readonly Rail[], use: RailUse, flags: RailFlags, context: Context): Promise<Rail> => {
  const { rail: code, currency, channel } = flags;
  if (code !== undefined) return findRail(rails, code, use);
  return chooseRail(rails, use, { currency: currency?.trim(), channel: channel?.trim() }, context);
};

/** Currency and amount by their flags, else asked, with the rail's limits beside the amount. */
export const moneyOf = async (rail: Rail, flags: RailFlags, context: Context): Promise<{ readonly currency: string; readonly amount: string }> => {
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
