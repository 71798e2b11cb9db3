import { type Approval, noSuchApproval } from "../../journal/approval.ts";
import type { Journal } from "../../journal/port.ts";

/** Throws CliError not-found (4). */
export const findApproval = async (id: string, { approvals }: Pick<Journal, "approvals">): Promise<Approval> => {
  const approval = await approvals.find(id.trim());
  if (approval === undefined) throw noSuchApproval(id);
  return approval;
};
