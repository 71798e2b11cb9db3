import type { Approval, ApprovalItem } from "../../journal/approval.ts";
import type { Attempt } from "../../journal/port.ts";
import { fieldOf, parseExact, textOf } from "../../json/exact-json.ts";
import { countOf, groupedAmount } from "../../money/grouped.ts";
import type { Context } from "../../ports.ts";
import { isMoneyOut } from "../../service/contract/routes.ts";
import { utcTime } from "../../utc-time.ts";
import { balanceLine } from "../balances.ts";
import type { BatchRow } from "../batch/batch-plan.ts";
import { findNewestRun, findOthers } from "../batch/find-run.ts";
import type { KnownRows } from "../batch/look-up.ts";
import { checkLocal, creationFields } from "../creation.ts";

type Deps = Pick<Context, "journal" | "client" | "signal">;

/** What a person decides on: `what` is paid, who proposed it, what the payee got before, and the balance before and after. */
export const approvalLines = async (approval: Approval, what: readonly string[], context: Deps): Promise<readonly string[]> => {
  const { note, proposedBy, proposedFrom, proposedAt } = approval;
  const approved = approval.decisions.filter(({ decision }) => decision === "approved").map(({ by, at }) => `Approved by ${by} at ${utcTime(at)}`);
  const balance = await balanceLine(approval, context);
  return [
    ...what,
    `Proposed by ${proposedBy} from ${proposedFrom} at ${utcTime(proposedAt)}`,
    ...(note === undefined ? [] : [`Note: ${note}`]),
    ...approved,
    ...(approval.batch === undefined ? [await payeeLine(approval, context)] : []),
    ...(balance === undefined ? [] : [balance]),
  ];
};

/** What this journal knows of payments to the same payee before the proposal's own, which may have been sent since. */
export const payeeLine = async ({ id, payee, baseUrl }: Pick<Approval, "id" | "payee" | "baseUrl">, context: Pick<Context, "journal">): Promise<string> => {
  const journal = await context.journal();
  const newestFirst = await journal.list({ payee, baseUrl });
  const before = newestFirst.slice(newestFirst.findLastIndex(({ approvalId }) => approvalId === id) + 1);
  const paid = before.filter(({ state, operation }) => state === "accepted" && isMoneyOut(operation));
  const [last] = paid;
  if (last === undefined) return "Nothing was paid to this payee before, as far as this journal knows";
  return `Paid to this payee before: ${countOf(paid.length, "payment")}, the last ${amountOf(last)} at ${utcTime(last.startedAt)}${last.reference === "" ? "" : ` (${last.reference})`}`;
};
const amountOf = ({ amount, currency }: Pick<Attempt, "amount" | "currency">): string => `${currency} ${groupedAmount(amount, currency)}`;

/** A row of a proposed file, after the checks of its command as they are now. */
export const toRow = ({ row, body }: ApprovalItem): BatchRow => {
  const fields = parseExact(body);
  const given = Object.fromEntries(creationFields.b2c.map((field) => [field, textOf(fieldOf(fields, field))]));
  return { ...checkLocal("b2c", given, { of: (field) => `The field ${field} of row ${row}` }), row, line: row, body, cells: [] };
};

/** The rows of a file, with what is known of their payments from `before`. */
export const rowLines = (rows: readonly BatchRow[], before: KnownRows): readonly string[] =>
  rows.map(({ row, payee, reference, ...payment }) => {
    const known = before.get(row);
    const words = known === undefined ? [] : [known.state === "notSent" ? "not sent" : known.state, known.status, known.transactionId, known.reason];
    const said = words.filter((word) => word !== undefined).join(", ");
    return `Row ${row}: ${amountOf(payment)} to ${payee} (${reference})${said === "" ? "" : `: ${said}`}`;
  });

/** All of them, as far as this journal knows. */
export const payoutLines = async ({ id, baseUrl, batch }: Approval, context: Pick<Context, "journal">): Promise<readonly string[]> => {
  const journal = await context.journal();
  const rows = (await journal.approvals.items(id)).map(toRow);
  const own = (await findNewestRun(batch?.fileId ?? "", rows.length, journal))?.rows ?? new Map();
  const left = rows.filter(({ row }) => !own.has(row));
  return rowLines(rows, new Map([...own, ...(await findOthers(left, { baseUrl, except: new Set() }, journal))]));
};
