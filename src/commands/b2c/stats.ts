import type { Run } from "../../command.ts";
import { statsView } from "../../output/views/balances.ts";
import { routes } from "../../service/contract/routes.ts";
import { oneObjectOutcome } from "../answer-outcome.ts";
import type { b2cStatsSpec } from "./spec.ts";

/** `b2c stats`: payout volume and count (service 4, GET stats/b2c). */
export const run: Run<typeof b2cStatsSpec> = async (_, context) => {
  const client = await context.client();
  const { body } = await client.call(routes.b2cStats, { signal: context.signal });
  return oneObjectOutcome(body, "stats", statsView);
};
