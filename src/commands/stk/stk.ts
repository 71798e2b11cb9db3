import type { Run } from "../../command.ts";
import { checkLocal, kenyanPhoneProblem, pushAmountProblem, referenceProblem } from "../../payments/creation.ts";
import { offerReference } from "../../payments/reference.ts";
import { flagNames, gather, payLocal, planFlags } from "../creating.ts";
import { askAgain } from "./ask-again.ts";
import type { stkSpec } from "./spec.ts";

/** `stk`: a push prompt to a customer's phone (service 4, POST stk-push). */
export const run: Run<typeof stkSpec> = async ({ flags }, context) => {
  const day = new Date(context.clock.now()).toISOString().slice(0, 10);
  const asked = await gather(
    "stk",
    flags,
    {
      phone: { message: "Customer's phone", check: kenyanPhoneProblem },
      amount: { message: "Amount (KES, whole shillings)", check: pushAmountProblem },
      reference: { message: "Reference", initial: offerReference("STK", day, context.random.bytes(4)), check: referenceProblem },
    },
    context,
  );
  const { channelId, description, callbackUrl } = flags;
  const creation = checkLocal("stk", { ...asked, channelId, description, callbackUrl }, flagNames);
  if (creation.note !== undefined) context.note(creation.note);
  const { dryRun, allowDuplicate, idempotencyKey } = flags;
  if (!dryRun && !allowDuplicate && idempotencyKey === undefined) await askAgain(creation, context);
  return payLocal({ ...creation, ...planFlags(flags) }, flags.wait, context);
};
