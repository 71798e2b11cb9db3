import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { fieldOf, textOf } from "../../json/exact-json.ts";
import { money } from "../../output/format.ts";
import { parseAmount } from "../../payments/creation.ts";
import { noteSecondLook } from "./approval-view.ts";
import type { approvalPolicySpec } from "./spec.ts";

export const run: Run<typeof approvalPolicySpec> = async ({ flags }, context) => {
  const currency = (flags.currency ?? "KES").trim().toUpperCase();
  if (!/^[A-Z]{3}$/.test(currency)) throw usageError(`"${currency}" is not a currency code.`);
  if (flags.off && (flags.from !== undefined || flags.approvers !== undefined))
    throw usageError("--off takes a policy away: give it without --from and --approvers.");
  if (!flags.off && flags.from === undefined && (flags.approvers !== undefined || flags.currency !== undefined))
    throw usageError("From which amount on? Give --from AMOUNT, or --off.");
  const { approvals } = await context.journal();
  if (flags.off) await approvals.setPolicy(currency, undefined);
  if (flags.from !== undefined) {
    await approvals.setPolicy(currency, { from: parseAmount(flags.from, currency).text, approvers: flags.approvers ?? 1 });
    await noteSecondLook(context);
  }
  const policies = await approvals.policies();
  return {
    rows: policies.map(({ from, approvers, currency: of }) => ({ from, currency: of, approvers })),
    document: (rows) => ({ policies: rows }),
    columns: ["from", "currency", "approvers"],
    view: {
      kind: "table",
      empty: "No payment needs approval.",
      columns: [
        { heading: "FROM", align: "right", cell: (row) => money(fieldOf(row, "from"), textOf(fieldOf(row, "currency")) ?? "") },
        { heading: "APPROVERS", align: "right", cell: (row) => textOf(fieldOf(row, "approvers")) ?? "" },
      ],
    },
  };
};
