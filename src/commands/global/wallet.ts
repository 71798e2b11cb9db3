import type { Run } from "../../command.ts";
import { globalWalletView } from "../../output/views/balances.ts";
import { routes } from "../../service/contract/routes.ts";
import { oneObjectOutcome } from "../answer-outcome.ts";
import type { globalWalletSpec } from "./spec.ts";

/** `global wallet`: balances of the Global Wallet (service 2.6). */
export const run: Run<typeof globalWalletSpec> = async (_, context) => {
  const client = await context.client();
  const { body } = await client.call(routes.globalWallet, { signal: context.signal });
  return oneObjectOutcome(body, "wallet", globalWalletView(body));
};
