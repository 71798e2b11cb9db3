import type { Run } from "../../command.ts";
import { checkLocal, kenyanPhoneProblem, pushAmountProblem, referenceProblem } from "../../payments/creation.ts";
import { offerReference } from "../../payments/reference.ts";
import { flagNames, gather, givenBy, payLocal, planFlags, waitMsOf } from "../creating.ts";

/** `stk`: a push prompt to a customer's phone (service 4, POST stk-push). */
export const run: Run = async (input, context) => {
  const flags = planFlags(input);
  const waitMs = waitMsOf(input);
  const day = new Date(context.clock.now()).toISOString().slice(0, 10);
  const asked = await gather(
    "stk",
    input,
    {
      phone: { message: "Customer's phone", check: kenyanPhoneProblem },
      amount: { message: "Amount (KES, whole shillings)", check: pushAmountProblem },
      reference: { message: "Reference", initial: offerReference("STK", day, context.random.bytes(4)), check: referenceProblem },
    },
    context,
  );
  const creation = checkLocal("stk", { ...givenBy("stk", input), ...asked }, flagNames);
  if (creation.note !== undefined) context.note(creation.note);
  return payLocal({ ...creation, ...flags }, waitMs, context);
};
