import type { Run } from "../../command.ts";
import { approvalOutcome } from "./approval-view.ts";
import type { approvalCancelSpec } from "./spec.ts";

export const run: Run<typeof approvalCancelSpec> = async ({ args }, context) =>
  approvalOutcome(await (await context.journal()).approvals.cancel(args.id.trim()));
