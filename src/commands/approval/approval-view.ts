import { type Approval, approvalRow } from "../../journal/approval.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Block, Cell, Column, Outcome, Tone } from "../../outcome.ts";
import { money, timeCell, zonedTime } from "../../output/format.ts";
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

const field = (name: string) => (row: Json) => textOf(fieldOf(row, name)) ?? "";
const payeeOf = (row: Json): string => {
  const rows = field("rows")(row);
  return rows === "" ? field("payee")(row) : `${rows} rows`;
};

export const approvalColumns: readonly Column[] = [
  { heading: "PROPOSED", isTime: true, cell: (row, style) => timeCell(fieldOf(row, "proposedAt"), style), sheds: 2 },
  { heading: "BY", cell: field("proposedBy"), sheds: 3 },
  { heading: "KIND", cell: field("operation") },
  { heading: "AMOUNT", cell: (row) => money(fieldOf(row, "amount"), field("currency")(row)), align: "right" },
  { heading: "PAYEE", cell: payeeOf },
  { heading: "REFERENCE", cell: field("reference") },
  { heading: "NOTE", cell: field("note"), sheds: 4 },
  { heading: "STATE", cell: (row) => stateCell(field("state")(row)) },
  { heading: "ID", cell: (row) => ({ text: field("id")(row), tone: "quiet" }) },
];
export const approvalColumnNames = ["id", "operation", "reference", "payee", "amount", "currency", "rows", "proposedBy", "proposedAt", "expiresAt", "state"];

/** One approval. `more`: what else helps to decide. */
export const approvalOutcome = (approval: Approval, more: readonly string[] = []): Outcome => ({
  rows: [approvalRow(approval)],
  single: true,
  view: { kind: "blocks", blocks: (_, style) => blocksOf(approval, more, (time) => zonedTime(time, style)) },
});

const blocksOf = (approval: Approval, more: readonly string[], at: (time: string) => string): readonly Block[] => [
  {
    kind: "card",
    title: `Approval ${approval.id}`,
    pairs: [
      ["State", stateCell(approval.state)],
      ["Amount", { text: money(approval.amount, approval.currency), tone: "strong" }],
      approval.operation === "batch" ? ["Payouts", String(approval.rows)] : ["Payee", approval.payee],
      [approval.operation === "batch" ? "File" : "Reference", approval.reference],
      ["Proposed by", `${approval.proposedBy} from ${approval.proposedFrom}`],
      ["Proposed at", at(approval.proposedAt)],
      ...(approval.note === undefined ? [] : ([["Note", approval.note]] as const)),
      ["Expires", at(approval.expiresAt)],
      ["Service", approval.baseUrl],
      ...approval.decisions.map((one) => [one.decision, `by ${one.by} at ${at(one.at)}${one.reason === undefined ? "" : `: ${one.reason}`}`] as const),
      ...(approval.journalId === undefined ? [] : ([["Journal", approval.journalId]] as const)),
      ...(approval.transactionId === undefined ? [] : ([["Transaction", approval.transactionId]] as const)),
    ],
  },
  ...(more.length === 0 ? [] : [{ kind: "text", lines: more } as const]),
];

/** On one machine nothing stops a person from approving what they proposed. */
export const noteSecondLook = async (context: Pick<Context, "journal" | "note">): Promise<void> => {
  const { isShared } = await (await context.journal()).approvals.user();
  if (!isShared) context.note("On one machine an approval is only a second look: whoever can use this journal can also approve.");
};
