import type { Outcome } from "../../outcome.ts";
import { type Proposing, proposePayment } from "../../payments/approvals/propose.ts";
import type { PaymentPlan } from "../../payments/draft.ts";
import type { Context } from "../../ports.ts";
import { approvalOutcome, noteSecondLook } from "./approval-view.ts";

/** `--propose` of a payout or withdrawal: stored, and nothing is sent. */
export const propose = async (plan: PaymentPlan, proposing: Proposing, context: Context): Promise<Outcome> => {
  await noteSecondLook(context);
  return approvalOutcome(await proposePayment(plan, proposing, context));
};
