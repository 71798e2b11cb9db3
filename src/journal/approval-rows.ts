import { describeColumns } from "../storage/columns.ts";
import { isRow, type Row, type SqlValue } from "../storage/sqlite.ts";
import { type Approval, type ApprovalItem, type Decision, type NewApproval, type Policy, waits } from "./approval.ts";
import type { Approvals } from "./port.ts";
import { approvalColumns } from "./tables.ts";

/** A question to the tables of a journal: its SQL, and what its rows mean. */
export type Question<T> = { readonly sql: string; readonly values: readonly SqlValue[]; readonly answer: (rows: readonly Row[]) => T };

/** What the databases say in different words. */
export type SqlStyle = {
  readonly prefix: "" | "payments.";
  /** The state of a proposal `p`, and what stands for its `?`. */
  readonly state: string;
  readonly stateValues: readonly SqlValue[];
  /** The decisions `d` as a list in JSON, and the texts in a list. */
  readonly decided: string;
  readonly listed: string;
};

const decisionColumns = describeColumns({ by: "text", at: "text", decision: ["approved", "declined"], reason: "text?" });
const foundColumns = describeColumns({
  state: ["open", "sent", "refused", "declined", "cancelled", "expired", "unknown"],
  choice: ["resume", "retry-failed", "new-run", "plain"],
  decided: "text",
  journalId: "text?",
  transactionId: "text?",
});
const policyColumns = describeColumns({ currency: "text", from: "text", approvers: "integer" });
const itemColumns = describeColumns({ row: "integer", guardKey: "text", body: "text" });

const toDecisions = (json: string): readonly Decision[] => {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list.filter(isRow).map((row) => decisionColumns.fromRow(row)) : [];
};

const toApproval = (row: Row): Approval => {
  const { fileId, choice: _choice, cancelledAt: _cancelledAt, finishedAt: _finishedAt, ...kept } = approvalColumns.fromRow(row);
  const { state, choice, decided, ...made } = foundColumns.fromRow(row);
  return {
    ...kept,
    ...(fileId === undefined ? {} : { batch: { fileId, choice } }),
    state,
    decisions: toDecisions(decided),
    isBegun: made.journalId !== undefined,
    ...(kept.rows === 1 ? made : {}),
  };
};

/** A proposal by the names of its columns. Who proposed it and when is the journal's to say. */
export const toApprovalRow = ({ batch, items, ...proposal }: NewApproval): Readonly<Record<string, SqlValue>> =>
  approvalColumns.toRow({ ...proposal, ...batch, rows: items.length });

/** What both journals are asked about proposals. */
export const approvalQuestions = ({ prefix, state, stateValues, decided, listed }: SqlStyle) => {
  const newest = (column: string): string => `(SELECT a.${column} FROM ${prefix}attempts a WHERE a.approval_id = p.id ORDER BY a.seq DESC LIMIT 1)`;
  const select = `SELECT p.*, ${state} AS state,
    (SELECT ${decided} FROM (SELECT * FROM ${prefix}decisions WHERE approval_id = p.id ORDER BY seq) AS d) AS decided,
    ${newest("id")} AS journal_id, ${newest("transaction_id")} AS transaction_id FROM ${prefix}approvals p`;
  return {
    find: (id: string): Question<Approval | undefined> => ({
      sql: `${select} WHERE p.id = ?`,
      values: [...stateValues, id],
      answer: ([row]) => (row === undefined ? undefined : toApproval(row)),
    }),
    list: (filter: Parameters<Approvals["list"]>[0]): Question<readonly Approval[]> => {
      if (filter === undefined) return { sql: `${select} ORDER BY p.seq DESC`, values: stateValues, answer: (rows) => rows.map(toApproval) };
      return {
        sql: `${select} WHERE p.base_url = ? AND p.cancelled_at IS NULL AND p.finished_at IS NULL
          AND p.id IN (SELECT approval_id FROM ${prefix}approval_items WHERE guard_key IN (${listed})) ORDER BY p.seq`,
        values: [...stateValues, filter.baseUrl, JSON.stringify(filter.guardKeys)],
        answer: (rows) => rows.map(toApproval).filter(waits),
      };
    },
    items: (id: string): Question<readonly ApprovalItem[]> => ({
      sql: `SELECT item AS "row", guard_key, body FROM ${prefix}approval_items WHERE approval_id = ? ORDER BY item`,
      values: [id],
      answer: (rows) => rows.map((row) => itemColumns.fromRow(row)),
    }),
    policies: (): Question<readonly Policy[]> => ({
      sql: `SELECT currency, from_amount AS "from", approvers FROM ${prefix}policies ORDER BY currency`,
      values: [],
      answer: (rows) => rows.map((row) => policyColumns.fromRow(row)),
    }),
  };
};
