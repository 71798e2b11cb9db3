import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { approvalOutcome } from "./approval-view.ts";
import type { approvalDeclineSpec } from "./spec.ts";

export const run: Run<typeof approvalDeclineSpec> = async ({ flags, args }, context) => {
  const reason = flags.reason?.trim() ?? "";
  if (reason === "") throw usageError("Why is it declined? Give --reason TEXT.");
  return approvalOutcome(await (await context.journal()).approvals.decide(args.id.trim(), { declined: reason }));
};
