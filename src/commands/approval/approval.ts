import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { type Approval, noSuchApproval } from "../../journal/approval.ts";
import type { Journal } from "../../journal/port.ts";
import { fieldOf } from "../../json/exact-json.ts";
import { money } from "../../output/format.ts";
import { fieldText, listOutcome, textColumn } from "../../output/outcomes.ts";
import { payeeLine, payoutLines } from "../../payments/approvals/describe-approval.ts";
import { parseAmount } from "../../payments/creation.ts";
import { findByPrefix } from "../id-prefix.ts";
import { approvalOutcome, approvalsOutcome, noteSecondLook } from "./approval-view.ts";
import type { approvalCancelSpec, approvalDeclineSpec, approvalListSpec, approvalPolicySpec, approvalShowSpec } from "./spec.ts";

const idLength = 36;

/** The approval of an id, or of the beginning of one. Throws CliError not-found (4), and usage if several ids begin like that. */
export const findApproval = async (id: string, { approvals }: Pick<Journal, "approvals">): Promise<Approval> => {
  // Whoever types SQL may give a proposal the beginning of another one's id.
  const whole = id.trim().length < idLength ? undefined : await approvals.find(id.trim());
  const approval = whole ?? (await findByPrefix(id, () => approvals.list()));
  if (approval === undefined) throw noSuchApproval(id);
  return approval;
};

export const list: Run<typeof approvalListSpec> = async ({ flags }, context) => {
  const approvals = await (await context.journal()).approvals.list();
  const wanted = approvals.filter(({ state }) => flags.state === "all" || state === flags.state);
  return approvalsOutcome(wanted, flags.state === "open" ? "Nothing waits for approval." : "No such proposals.");
};

export const show: Run<typeof approvalShowSpec> = async ({ args }, context) => {
  const approval = await findApproval(args.id, await context.journal());
  return approvalOutcome(approval, approval.batch === undefined ? [await payeeLine(approval, context)] : await payoutLines(approval, context));
};

export const decline: Run<typeof approvalDeclineSpec> = async ({ flags, args }, context) => {
  const reason = flags.reason?.trim() ?? "";
  if (reason === "") throw usageError("Why is it declined? Give --reason TEXT.");
  const journal = await context.journal();
  const { id } = await findApproval(args.id, journal);
  return approvalOutcome(await journal.approvals.decide(id, { declined: reason }));
};

export const cancel: Run<typeof approvalCancelSpec> = async ({ args }, context) => {
  const journal = await context.journal();
  const { id } = await findApproval(args.id, journal);
  return approvalOutcome(await journal.approvals.cancel(id));
};

export const policy: Run<typeof approvalPolicySpec> = async ({ flags }, context) => {
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
  const rows = policies.map(({ from, approvers, currency: of }) => ({ from, currency: of, approvers }));
  return listOutcome("policies", rows, ["from", "currency", "approvers"], {
    empty: "No payment needs approval.",
    columns: [
      { heading: "From", align: "right", cell: (row) => money(fieldOf(row, "from"), fieldText("currency")(row)) },
      textColumn("Approvers", "approvers", { align: "right" }),
    ],
  });
};
