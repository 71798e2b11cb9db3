import type { Run } from "../../command.ts";
import { payeeLine } from "../../payments/approvals/describe-approval.ts";
import { approvalOutcome } from "./approval-view.ts";
import { findApproval } from "./find-approval.ts";
import type { approvalShowSpec } from "./spec.ts";

export const run: Run<typeof approvalShowSpec> = async ({ args }, context) => {
  const approval = await findApproval(args.id, await context.journal());
  return approvalOutcome(approval, approval.operation === "batch" ? [] : [await payeeLine(approval, context)]);
};
