import { isMoneyOut } from "../service/contract/routes.ts";
import { type Database, isRow, type Row } from "../storage/sqlite.ts";
import {
  type Approval,
  type ApprovalItem,
  approvalRequired,
  closedApproval,
  type Decision,
  findPolicy,
  hasApprovals,
  type ItemState,
  noSuchApproval,
  type Policy,
  toApprovalState,
} from "./approval.ts";
import type { Attempt, NewAttempt } from "./port.ts";

// The tables of approvals in SQLite, read and checked within a transaction or outside one.

const rowsOf = (values: readonly unknown[]): readonly Row[] => values.filter(isRow);
const text = (row: Row, name: string): string => String(row[name] ?? "");
const optional = (row: Row, name: string): string | undefined => (typeof row[name] === "string" ? row[name] : undefined);

export const readPolicies = (db: Database): readonly Policy[] =>
  rowsOf(db.prepare("SELECT * FROM policies ORDER BY currency").all()).map((row) => ({
    currency: text(row, "currency"),
    from: text(row, "from_amount"),
    approvers: Number(row["approvers"]),
  }));

export const readItems = (db: Database, id: string): readonly ApprovalItem[] =>
  rowsOf(db.prepare("SELECT * FROM approval_items WHERE approval_id = ? ORDER BY item").all(id)).map((row) => ({
    row: Number(row["item"]),
    guardKey: text(row, "guard_key"),
    body: text(row, "body"),
  }));

const readDecisions = (db: Database, id: string): readonly Decision[] =>
  rowsOf(db.prepare("SELECT * FROM decisions WHERE approval_id = ? ORDER BY seq").all(id)).map((row) => {
    const reason = optional(row, "reason");
    return {
      by: text(row, "decided_by"),
      at: text(row, "decided_at"),
      decision: row["decision"] === "approved" ? "approved" : "declined",
      ...(reason === undefined ? {} : { reason }),
    };
  });

const attemptsOfApproval =
  "SELECT id, state, transaction_id, coalesce(batch_row, 1) AS item, unanswered, json_extract(tries, '$[#-1].httpStatus') AS http FROM attempts WHERE approval_id = ? ORDER BY seq";
type Made = { readonly items: ReadonlyMap<number, ItemState>; readonly journalId?: string; readonly transactionId?: string };

const noneMade: Made = { items: new Map() };

/** What was made of an approval, by item: the newest attempt counts, unless an older one may have moved money. */
const readMade = (db: Database, id: string): Made => {
  const items = new Map<number, ItemState>();
  let newest: Row | undefined;
  for (const row of rowsOf(db.prepare(attemptsOfApproval).all(id))) {
    const item = Number(row["item"]);
    const before = items.get(item);
    const state = text(row, "state");
    if (before === "accepted" || (before === "unknown" && state === "refused")) continue;
    items.set(item, toItemState(state, row["http"], row["unanswered"] === 1));
    newest = row;
  }
  const transactionId = newest === undefined ? undefined : optional(newest, "transaction_id");
  return { items, ...(newest === undefined ? {} : { journalId: text(newest, "id") }), ...(transactionId === undefined ? {} : { transactionId }) };
};

/** If certainly nothing left, nothing was refused by the service: the proposal stays open. */
const toItemState = (state: string, httpStatus: unknown, unanswered: boolean): ItemState => {
  if (state === "accepted") return "accepted";
  if (state !== "refused") return "unknown";
  return (httpStatus === null || httpStatus === undefined) && !unanswered ? "unsent" : "refused";
};

/** `withMade` false: a file's state as if none of its rows were begun, as reading them all for each row would take long. */
const toApproval = (db: Database, row: Row, nowIso: string, withMade = true): Approval => {
  const id = text(row, "id");
  const [fileId, choice] = [optional(row, "file_id"), optional(row, "choice")];
  const decisions = readDecisions(db, id);
  const { items, ...made } = withMade ? readMade(db, id) : noneMade;
  const states = [...items.values()].filter((state) => state !== "unsent");
  const state = toApprovalState({
    isCancelled: row["cancelled_at"] !== null,
    isDeclined: decisions.some(({ decision }) => decision === "declined"),
    isExpired: text(row, "expires_at") <= nowIso,
    isFinished: fileId === undefined ? states.length > 0 : row["finished_at"] !== null,
    items: states,
  });
  const [note, idempotencyKey] = [optional(row, "note"), optional(row, "idempotency_key")];
  const operation = row["operation"];
  const rows = Number(row["rows"]);
  return {
    id,
    operation: operation === "b2c" || operation === "withdraw" ? operation : "batch",
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
    state,
    decisions,
    isBegun: items.size > 0,
    ...(fileId === undefined ? {} : { batch: { fileId, choice: isChoice(choice) ? choice : "plain" } }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(note === undefined ? {} : { note }),
    ...(rows === 1 ? made : {}),
  };
};
const isChoice = (value: unknown): value is "plain" | "resume" | "retry-failed" | "new-run" =>
  value === "plain" || value === "resume" || value === "retry-failed" || value === "new-run";

export const findApproval = (db: Database, id: string, nowIso: string): Approval | undefined => {
  const row = db.prepare("SELECT * FROM approvals WHERE id = ?").get(id);
  return isRow(row) ? toApproval(db, row, nowIso) : undefined;
};

/** Throws CliError not-found, or what says why it is closed. */
export const findOpen = (db: Database, id: string, nowIso: string): Approval => {
  const approval = findApproval(db, id, nowIso);
  if (approval === undefined) throw noSuchApproval(id);
  if (approval.state !== "open") throw closedApproval(approval);
  return approval;
};

export const listApprovals = (db: Database, nowIso: string): readonly Approval[] =>
  rowsOf(db.prepare("SELECT * FROM approvals ORDER BY seq DESC").all()).map((row) => toApproval(db, row, nowIso));

const likes = `SELECT approvals.* FROM approval_items JOIN approvals ON approvals.id = approval_id
  WHERE guard_key = ? AND base_url = ? AND cancelled_at IS NULL AND finished_at IS NULL ORDER BY approvals.seq`;

/** The open proposals that hold one of these payments. */
export const findOpenLikes = (db: Database, guardKeys: readonly string[], baseUrl: string, nowIso: string): readonly Approval[] => {
  const found = new Map<string, Approval>();
  for (const guardKey of guardKeys) {
    for (const row of rowsOf(db.prepare(likes).all(guardKey, baseUrl))) {
      const approval = found.has(text(row, "id")) ? undefined : toApproval(db, row, nowIso);
      if (approval?.state === "open") found.set(approval.id, approval);
    }
  }
  return [...found.values()];
};

/**
 * The last look before money out begins. Throws CliError approval-required for what a policy holds back, duplicate for a proposal
 * that was sent already, usage for one that is closed or holds another request.
 */
export const throwIfNotApproved = (db: Database, attempt: NewAttempt | Attempt, nowIso: string): void => {
  if (!isMoneyOut(attempt.operation)) return;
  const policies = readPolicies(db);
  const policy = findPolicy(policies, attempt);
  if (attempt.approvalId === undefined) {
    if (policy !== undefined) throw approvalRequired(policy, "Money out", { journalId: attempt.id });
    return;
  }
  const row = db.prepare("SELECT * FROM approvals WHERE id = ?").get(attempt.approvalId);
  if (!isRow(row)) throw noSuchApproval(attempt.approvalId);
  const approval = toApproval(db, row, nowIso, row["file_id"] === null);
  if (approval.state !== "open") throw closedApproval(approval);
  const item = db.prepare("SELECT body FROM approval_items WHERE approval_id = ? AND item = ?").get(approval.id, attempt.batchRow ?? 1);
  const isSame = isRow(item) && item["body"] === attempt.body && approval.baseUrl === attempt.baseUrl;
  if (!isSame || !hasApprovals(approval, policies)) {
    throw approvalRequired(policy ?? { currency: attempt.currency, from: attempt.amount, approvers: 1 }, `Approval ${approval.id}: money out`);
  }
};
