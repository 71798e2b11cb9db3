import type { Run } from "../../command.ts";
import { approvalRow } from "../../journal/approval.ts";
import { approvalColumnNames, approvalColumns } from "./approval-view.ts";
import type { approvalListSpec } from "./spec.ts";

export const run: Run<typeof approvalListSpec> = async ({ flags }, context) => {
  const approvals = await (await context.journal()).approvals.list();
  return {
    rows: approvals.filter(({ state }) => flags.state === "all" || state === flags.state).map(approvalRow),
    document: (rows) => ({ approvals: rows }),
    columns: approvalColumnNames,
    view: { kind: "table", columns: approvalColumns, empty: flags.state === "open" ? "Nothing waits for approval." : "No such proposals." },
  };
};
