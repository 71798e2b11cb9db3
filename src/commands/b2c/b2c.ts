import type { Run } from "../../command.ts";
import { groupedAmount } from "../../money/grouped.ts";
import { withoutGrouping } from "../../money/money.ts";
import { checkLocal, kenyanPhoneProblem, payoutAmountProblem, referenceProblem } from "../../payments/creation.ts";
import { offerReference } from "../../payments/reference.ts";
import { payoutBounds } from "../../service/contract/limits.ts";
import { flagNames, gather, givenBy, pay, proposingOf } from "../creating.ts";
import type { b2cSpec } from "./spec.ts";

/** `b2c`: a payout to a phone (service 4, POST b2c). */
export const run: Run<typeof b2cSpec> = async ({ flags, words }, context) => {
  const proposing = proposingOf(flags);
  const day = new Date(context.clock.now()).toISOString().slice(0, 10);
  const asked = await gather(
    "b2c",
    flags,
    {
      phone: { message: "Recipient's phone", check: kenyanPhoneProblem },
      amount: {
        message: `Amount (KES, ${payoutBounds.min} to ${groupedAmount(String(payoutBounds.max), "")})`,
        check: payoutAmountProblem,
        read: withoutGrouping,
      },
      reference: { message: "Reference", initial: offerReference("B2C", day, context.random.bytes(4)), check: referenceProblem },
    },
    context,
  );
  return pay(checkLocal("b2c", { ...givenBy("b2c", flags), ...asked }, flagNames), { words, flags, proposing }, context);
};
