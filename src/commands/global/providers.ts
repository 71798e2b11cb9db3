import type { Run } from "../../command.ts";
import type { Json } from "../../json/exact-json.ts";
import { railsView } from "../../output/views/rails.ts";
import { railRowsOf, toRail } from "../../payments/rails.ts";
import { withField } from "../show-object.ts";
import { currentProviders } from "./choose-rail.ts";
import type { globalProvidersSpec } from "./spec.ts";

/** `global providers`: rails as they are at this moment (service 4, GET providers). Filters leave the rest of the answer alone. */
export const run: Run<typeof globalProvidersSpec> = async ({ flags }, context) => {
  const answer = await currentProviders(context);
  const [country, currency, flow, channel] = [flags.country, flags.currency, flags.flow, flags.channel].map((wanted) => wanted?.trim().toUpperCase());
  const has = (items: readonly string[], item: string | undefined): boolean => item === undefined || items.some((each) => each.toUpperCase() === item);
  const matches = (row: Json): boolean => {
    // A row without a code is shown all the same, but no filter can be said to fit it.
    const rail = toRail(row);
    if (rail === undefined) return [country, currency, flow, channel].every((each) => each === undefined);
    return has([rail.country], country) && has(rail.currencies, currency) && has([rail.flow], flow) && has(rail.channels, channel);
  };
  return { rows: railRowsOf(answer).filter(matches), document: (providers) => withField(answer, "providers", providers), view: railsView };
};
