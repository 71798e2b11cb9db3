import { type Approval, approvalRow } from "../../journal/approval.ts";
import { fieldOf, type Json } from "../../json/exact-json.ts";
import { countOf } from "../../money/grouped.ts";
import type { Cell, Column, Outcome, Tone } from "../../outcome.ts";
import { money, timeCell, zonedTime } from "../../output/format.ts";
import { fieldText, idColumn, listOutcome, objectOutcome, textColumn } from "../../output/outcomes.ts";
import { type Proposing, proposePayment } from "../../payments/approvals/propose.ts";
import type { PaymentPlan } from "../../payments/draft.ts";
import type { Context } from "../../ports.ts";

const tones: Readonly<Record<string, Tone>> = {
  open: "waiting",
  unknown: "waiting",
  sent: "good",
  refused: "bad",
  declined: "bad",
  cancelled: "quiet",
  expired: "quiet",
};
const stateCell = (state: string): Cell => ({ text: state, tone: tones[state] ?? "plain" });
const payeeOf = (row: Json): string => (fieldText("rows")(row) === "" ? fieldText("payee")(row) : countOf(Number(fieldText("rows")(row)), "row"));

const columns: readonly Column[] = [
  { heading: "Proposed", isTime: true, cell: (row, style) => timeCell(fieldOf(row, "proposedAt"), style), sheds: 2 },
  textColumn("By", "proposedBy", { sheds: 3 }),
  textColumn("Kind", "operation"),
  { heading: "Amount", cell: (row) => money(fieldOf(row, "amount"), fieldText("currency")(row)), align: "right" },
  { heading: "Payee", cell: payeeOf },
  textColumn("Reference", "reference"),
  textColumn("Note", "note", { sheds: 4 }),
  { heading: "State", cell: (row) => stateCell(fieldText("state")(row)) },
  idColumn(13),
];
const fields = ["id", "operation", "reference", "payee", "amount", "currency", "rows", "proposedBy", "proposedAt", "expiresAt", "state"];

export const approvalsOutcome = (approvals: readonly Approval[], empty: string): Outcome =>
  listOutcome("approvals", approvals.map(approvalRow), fields, { columns, empty });

/** One approval. `more`: what else helps to decide. */
export const approvalOutcome = (approval: Approval, more: readonly string[] = []): Outcome => {
  const isBatch = approval.operation === "batch";
  return objectOutcome(approvalRow(approval), (style) => [
    {
      kind: "card",
      title: `Approval ${approval.id}`,
      pairs: [
        ["State", stateCell(approval.state)],
        ["Amount", { text: money(approval.amount, approval.currency), tone: "strong" }],
        isBatch ? ["Payouts", String(approval.rows)] : ["Payee", approval.payee],
        [isBatch ? "File" : "Reference", approval.reference],
        ["Proposed by", `${approval.proposedBy} from ${approval.proposedFrom}`],
        ["Proposed at", zonedTime(approval.proposedAt, style)],
        ["Note", approval.note],
        ["Expires", zonedTime(approval.expiresAt, style)],
        ["Service", approval.baseUrl],
        ...approval.decisions.map(
          ({ decision, by, at, reason }) => [decision, `by ${by} at ${zonedTime(at, style)}${reason === undefined ? "" : `: ${reason}`}`] as const,
        ),
        ["Journal", approval.journalId],
        ["Transaction", approval.transactionId],
      ],
    },
    { kind: "text", lines: more },
  ]);
};

/** On one machine nothing stops a person from approving what they proposed. */
export const noteSecondLook = async (context: Pick<Context, "journal" | "note">): Promise<void> => {
  const { roles } = await (await context.journal()).approvals.user();
  if (roles === undefined) context.note("On one machine an approval is only a second look: whoever can use this journal can also approve.");
};

/** `--propose` of a payout or withdrawal: stored, and nothing is sent. */
export const propose = async (plan: PaymentPlan, proposing: Proposing, context: Context): Promise<Outcome> => {
  await noteSecondLook(context);
  return approvalOutcome(await proposePayment(plan, proposing, context));
};
