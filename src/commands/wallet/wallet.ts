import type { Run } from "../../command.ts";
import { localWalletView } from "../../output/views/balances.ts";
import { routes } from "../../service/contract/routes.ts";
import { oneObjectOutcome } from "../answer-outcome.ts";
import type { walletSpec } from "./spec.ts";

/** `wallet`: local balances, holds and recent ledger (service 4, GET wallet). */
export const run: Run<typeof walletSpec> = async (_, context) => {
  const client = await context.client();
  const { body } = await client.call(routes.wallet, { signal: context.signal });
  return oneObjectOutcome(body, "wallet", localWalletView(body));
};
