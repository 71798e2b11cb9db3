import type { Run } from "../../command.ts";
import { withoutGrouping } from "../../money/money.ts";
import { checkLocal, kenyanPhoneProblem, pushAmountProblem, referenceProblem } from "../../payments/creation.ts";
import { offerReference } from "../../payments/reference.ts";
import { flagNames, gather, givenBy, pay } from "../creating.ts";
import type { stkSpec } from "./spec.ts";

/** `stk`: a push prompt to a customer's phone (service 4, POST stk-push). */
export const run: Run<typeof stkSpec> = async ({ flags, words }, context) => {
  const day = new Date(context.clock.now()).toISOString().slice(0, 10);
  const asked = await gather(
    "stk",
    flags,
    {
      phone: { message: "Customer's phone", check: kenyanPhoneProblem },
      amount: { message: "Amount (KES, whole shillings)", check: pushAmountProblem, read: withoutGrouping },
      reference: { message: "Reference", initial: offerReference("STK", day, context.random.bytes(4)), check: referenceProblem },
    },
    context,
  );
  return pay(checkLocal("stk", { ...givenBy("stk", flags), ...asked }, flagNames), { words, flags }, context);
};
