import type { Run } from "../../command.ts";
import { gatherLocal, pay, proposingOf } from "../creating.ts";
import type { b2cSpec } from "./spec.ts";

/** `b2c`: a payout to a phone (service 4, POST b2c). */
export const run: Run<typeof b2cSpec> = async ({ flags, words }, context) => {
  const proposing = proposingOf(flags);
  return pay(await gatherLocal("b2c", flags, context), { words, flags, proposing }, context);
};
