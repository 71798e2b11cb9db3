import { fieldOf, type Json, parseExact, textOf } from "../../json/exact-json.ts";
import { type Approval, type ApprovalState, type Decision, noSuchApproval } from "../approval.ts";
import type { Approvals, JournalUser } from "../port.ts";
import type { ApplyQueue } from "./apply-queue.ts";
import type { Row } from "./connection.ts";
import type { Read } from "./postgres-journal.ts";

const select = `SELECT p.*, payments.approval_state(p.id) AS state,
  coalesce((SELECT json_agg(json_build_object('by', d.decided_by, 'at', d.decided_at, 'decision', d.decision, 'reason', d.reason) ORDER BY d.seq)
    FROM payments.decisions d WHERE d.approval_id = p.id), '[]')::text AS decided,
  (SELECT a.id FROM payments.attempts a WHERE a.approval_id = p.id ORDER BY a.seq DESC LIMIT 1) AS journal_id,
  (SELECT a.transaction_id FROM payments.attempts a WHERE a.approval_id = p.id ORDER BY a.seq DESC LIMIT 1) AS transaction_id
  FROM payments.approvals p`;

const text = (row: Row, name: string): string => String(row[name] ?? "");
const optional = (row: Row, column: string): string | undefined => (typeof row[column] === "string" ? row[column] : undefined);
const oneOf = <T extends string>(value: string, known: readonly T[], otherwise: T): T => known.find((one) => one === value) ?? otherwise;
const states: readonly ApprovalState[] = ["open", "sent", "refused", "unknown", "declined", "cancelled", "expired"];

const toApproval = (row: Row): Approval => {
  const rows = Number(row["rows"]);
  const [journalId, transactionId, fileId] = [optional(row, "journal_id"), optional(row, "transaction_id"), optional(row, "file_id")];
  const [idempotencyKey, note] = [optional(row, "idempotency_key"), optional(row, "note")];
  return {
    id: text(row, "id"),
    operation: oneOf<Approval["operation"]>(text(row, "operation"), ["b2c", "withdraw"], "batch"),
    baseUrl: text(row, "base_url"),
    profile: text(row, "profile"),
    reference: text(row, "reference"),
    payee: text(row, "payee"),
    amount: text(row, "amount"),
    currency: text(row, "currency"),
    rows,
    allowDuplicate: row["allow_duplicate"] === 1,
    proposedBy: text(row, "proposed_by"),
    proposedFrom: text(row, "proposed_from"),
    proposedAt: text(row, "proposed_at"),
    expiresAt: text(row, "expires_at"),
    state: oneOf(text(row, "state"), states, "unknown"),
    decisions: toDecisions(text(row, "decided")),
    isBegun: journalId !== undefined,
    ...(fileId === undefined ? {} : { batch: { fileId, choice: oneOf(text(row, "choice"), ["plain", "resume", "retry-failed", "new-run"], "plain") } }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(note === undefined ? {} : { note }),
    ...(rows === 1 && journalId !== undefined ? { journalId } : {}),
    ...(rows === 1 && transactionId !== undefined ? { transactionId } : {}),
  };
};

const toDecisions = (json: string): readonly Decision[] =>
  toList(parseExact(json)).map((one) => {
    const [decision, reason] = [textOf(fieldOf(one, "decision")), textOf(fieldOf(one, "reason"))];
    return {
      by: textOf(fieldOf(one, "by")) ?? "",
      at: textOf(fieldOf(one, "at")) ?? "",
      decision: decision === "approved" ? "approved" : "declined",
      ...(reason === undefined ? {} : { reason }),
    };
  });
const toList = (json: Json): readonly Json[] => (Array.isArray(json) ? json : []);

export const findSharedApproval = async (read: Read, id: string): Promise<Approval | undefined> => {
  const [row] = await read(`${select} WHERE p.id = $1`, [id]);
  return row === undefined ? undefined : toApproval(row);
};

/** Proposals in PostgreSQL. Who may do what is decided by the schema's functions. */
export const createSharedApprovals = ({ apply }: ApplyQueue, read: Read, user: JournalUser): Approvals => {
  const find = (id: string): Promise<Approval | undefined> => findSharedApproval(read, id);
  const changed = async (id: string, change: Promise<Json>): Promise<Approval> => {
    await change;
    const approval = await find(id);
    if (approval === undefined) throw noSuchApproval(id);
    return approval;
  };
  return {
    user: async () => user,
    propose: ({ items, expiresMs, batch, ...proposal }) => {
      const approval = {
        id: proposal.id,
        operation: proposal.operation,
        base_url: proposal.baseUrl,
        profile: proposal.profile,
        reference: proposal.reference,
        payee: proposal.payee,
        amount: proposal.amount,
        currency: proposal.currency,
        file_id: batch?.fileId ?? null,
        choice: batch?.choice ?? null,
        allow_duplicate: proposal.allowDuplicate ? 1 : 0,
        idempotency_key: proposal.idempotencyKey ?? null,
        note: proposal.note ?? null,
      };
      const rows = items.map(({ row, guardKey, body }) => ({ row, guard_key: guardKey, body }));
      return changed(proposal.id, apply({ op: "propose", approval, items: rows, expiresMs }));
    },
    find,
    items: async (id) =>
      (await read("SELECT * FROM payments.approval_items WHERE approval_id = $1 ORDER BY item", [id])).map((row) => ({
        row: Number(row["item"]),
        guardKey: text(row, "guard_key"),
        body: text(row, "body"),
      })),
    list: async (filter) => {
      if (filter === undefined) return (await read(`${select} ORDER BY p.seq DESC`)).map(toApproval);
      const like =
        "p.base_url = $2 AND p.cancelled_at IS NULL AND p.finished_at IS NULL AND p.id IN (SELECT approval_id FROM payments.approval_items WHERE guard_key = ANY ($1))";
      return (await read(`${select} WHERE ${like} ORDER BY p.seq`, [[...filter.guardKeys], filter.baseUrl]))
        .map(toApproval)
        .filter(({ state }) => state === "open");
    },
    decide: (id, decision) => changed(id, apply({ op: "decide", id, ...(decision === "approved" ? {} : { reason: decision.declined }) })),
    cancel: (id) => changed(id, apply({ op: "cancel", id })),
    finish: async (id) => {
      await apply({ op: "finish", id });
    },
    policies: async () =>
      (await read("SELECT * FROM payments.policies ORDER BY currency")).map((row) => ({
        currency: text(row, "currency"),
        from: text(row, "from_amount"),
        approvers: Number(row["approvers"]),
      })),
    setPolicy: async (currency, policy) => {
      await apply({ op: "policy", currency, ...(policy ?? {}) });
    },
  };
};
