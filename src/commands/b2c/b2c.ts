import type { Run } from "../../command.ts";
import { groupedAmount } from "../../money/grouped.ts";
import { checkLocal, kenyanPhoneProblem, payoutAmountProblem, referenceProblem } from "../../payments/creation.ts";
import { offerReference } from "../../payments/reference.ts";
import { payoutBounds } from "../../service/contract/limits.ts";
import { flagNames, gather, givenBy, payLocal, planFlags, waitMsOf } from "../creating.ts";

/** `b2c`: a payout to a phone (service 4, POST b2c). */
export const run: Run = async (input, context) => {
  const flags = planFlags(input);
  const waitMs = waitMsOf(input);
  const day = new Date(context.clock.now()).toISOString().slice(0, 10);
  const asked = await gather(
    "b2c",
    input,
    {
      phone: { message: "Recipient's phone", check: kenyanPhoneProblem },
      amount: { message: `Amount (KES, ${payoutBounds.min} to ${groupedAmount(String(payoutBounds.max), "")})`, check: payoutAmountProblem },
      reference: { message: "Reference", initial: offerReference("B2C", day, context.random.bytes(4)), check: referenceProblem },
    },
    context,
  );
  const creation = checkLocal("b2c", { ...givenBy("b2c", input), ...asked }, flagNames);
  if (creation.note !== undefined) context.note(creation.note);
  return payLocal({ ...creation, ...flags }, waitMs, context);
};
