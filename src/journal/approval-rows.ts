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
  /** The time, and what stands for its `?`. */
  readonly now: string;
  readonly nowValues: readonly SqlValue[];
  /** The HTTP status of an attempt's last try. */
  readonly lastHttpStatus: string;
  /** The decisions `d` as a list in JSON, and the texts in a list. */
  readonly decided: string;
  readonly listed: string;
};

/**
 * The state of a proposal `p`. It follows the attempts: settling one of them settles the proposal. By item the newest attempt counts,
 * unless an older one may have moved money. `unsent`: no answer refused it and certainly nothing left, so it may be approved again.
 * `whose`: the proposal whose attempts are looked at.
 */
export const approvalStateSql = ({ prefix, now, lastHttpStatus }: Omit<SqlStyle, "decided" | "listed">, whose = "p.id"): string => `(
  SELECT CASE
    WHEN made.unknown > 0 THEN 'unknown'
    WHEN (p.file_id IS NULL AND made.sent > 0) OR p.finished_at IS NOT NULL THEN CASE WHEN made.accepted > 0 OR made.sent = 0 THEN 'sent' ELSE 'refused' END
    WHEN p.cancelled_at IS NOT NULL THEN 'cancelled'
    WHEN EXISTS (SELECT 1 FROM ${prefix}decisions WHERE approval_id = p.id AND decision = 'declined') THEN 'declined'
    WHEN p.expires_at <= ${now} THEN 'expired'
    ELSE 'open' END
  FROM (
    SELECT count(*) FILTER (WHERE became = 'unknown') AS unknown, count(*) FILTER (WHERE became = 'accepted') AS accepted,
      count(*) FILTER (WHERE became <> 'unsent') AS sent
    FROM (
      SELECT CASE
        WHEN max(CASE state WHEN 'accepted' THEN 1 END) = 1 THEN 'accepted'
        WHEN max(CASE state WHEN 'refused' THEN 0 ELSE 1 END) = 1 THEN 'unknown'
        WHEN max(CASE WHEN unanswered = 0 AND (${lastHttpStatus}) IS NULL THEN seq END) = max(seq) THEN 'unsent'
        ELSE 'refused' END AS became
      FROM ${prefix}attempts WHERE approval_id = ${whose} GROUP BY coalesce(batch_row, 1)
    ) AS item
  ) AS made)`;

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
export const approvalQuestions = (style: SqlStyle) => {
  const { prefix, nowValues, decided, listed } = style;
  const newest = (column: string): string => `(SELECT a.${column} FROM ${prefix}attempts a WHERE a.approval_id = p.id ORDER BY a.seq DESC LIMIT 1)`;
  const select = (whose?: string): string => `SELECT p.*, ${approvalStateSql(style, whose)} AS state,
    (SELECT ${decided} FROM (SELECT * FROM ${prefix}decisions WHERE approval_id = p.id ORDER BY seq) AS d) AS decided,
    ${newest("id")} AS journal_id, ${newest("transaction_id")} AS transaction_id FROM ${prefix}approvals p`;
  return {
    /** `withRows` false: a file's state as if none of its rows were begun, as reading them all for each row would take long. */
    find: (id: string, withRows = true): Question<Approval | undefined> => ({
      sql: `${select(withRows ? "p.id" : "CASE WHEN p.file_id IS NULL THEN p.id END")} WHERE p.id = ?`,
      values: [...nowValues, id],
      answer: ([row]) => (row === undefined ? undefined : toApproval(row)),
    }),
    list: (filter: Parameters<Approvals["list"]>[0]): Question<readonly Approval[]> => {
      if (filter === undefined) return { sql: `${select()} ORDER BY p.seq DESC`, values: nowValues, answer: (rows) => rows.map(toApproval) };
      return {
        sql: `${select()} WHERE p.base_url = ? AND p.cancelled_at IS NULL AND p.finished_at IS NULL
          AND p.id IN (SELECT approval_id FROM ${prefix}approval_items WHERE guard_key IN (${listed})) ORDER BY p.seq`,
        values: [...nowValues, filter.baseUrl, JSON.stringify(filter.guardKeys)],
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
