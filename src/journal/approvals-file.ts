import { hostname, userInfo } from "node:os";
import { isMoneyOut } from "../service/contract/routes.ts";
import { type Database, isRow, type SqlValue } from "../storage/sqlite.ts";
import { type Approval, alreadyProposed, approvalRequired, closedApproval, findPolicy, hasApprovals, noSuchApproval, waits } from "./approval.ts";
import { approvalQuestions, type Question, toApprovalRow } from "./approval-rows.ts";
import { notTheProposer } from "./attempt-errors.ts";
import type { JournalCore } from "./journal-core.ts";
import { checkVersion } from "./journal-file.ts";
import type { Approvals, Attempt, JournalUser, NewAttempt } from "./port.ts";

/**
 * Assumed: on a file the proposer is the operating system's user. Whoever can write the file can also approve, so the same person may
 * give every approval: there it is a second look, and no separation.
 */
export const readUser = (): JournalUser => {
  const machine = hostname();
  try {
    return { name: `${userInfo().username}@${machine}`, machine };
  } catch {
    // A user number without a name, as in a container.
    return { name: `${process.getuid?.() ?? "user"}@${machine}`, machine };
  }
};

const ask = <T>(db: Database, { sql, values, answer }: Question<T>): T =>
  answer(
    db
      .prepare(sql)
      .all(...values)
      .filter(isRow),
  );
const insert = (db: Database, table: string, row: Readonly<Record<string, SqlValue>>): void => {
  const names = Object.keys(row);
  db.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).run(...Object.values(row));
};

/**
 * The state of a proposal `p`. It follows the attempts: settling one of them settles the proposal. By item the newest attempt counts,
 * unless an older one may have moved money. `unsent`: no answer refused it and certainly nothing left, so it may be approved again.
 * `whose`: the proposal whose attempts are looked at. A shared journal has the same rule in its schema (approval_state).
 */
const stateSql = (whose: string): string => `(
  SELECT CASE
    WHEN made.unknown > 0 THEN 'unknown'
    WHEN (p.file_id IS NULL AND made.sent > 0) OR p.finished_at IS NOT NULL THEN CASE WHEN made.accepted > 0 OR made.sent = 0 THEN 'sent' ELSE 'refused' END
    WHEN p.cancelled_at IS NOT NULL THEN 'cancelled'
    WHEN EXISTS (SELECT 1 FROM decisions WHERE approval_id = p.id AND decision = 'declined') THEN 'declined'
    WHEN p.expires_at <= ? THEN 'expired'
    ELSE 'open' END
  FROM (
    SELECT count(*) FILTER (WHERE became = 'unknown') AS unknown, count(*) FILTER (WHERE became = 'accepted') AS accepted,
      count(*) FILTER (WHERE became <> 'unsent') AS sent
    FROM (
      SELECT CASE
        WHEN max(state = 'accepted') THEN 'accepted'
        WHEN max(state <> 'refused') THEN 'unknown'
        WHEN max(seq) FILTER (WHERE unanswered = 0 AND json_extract(tries, '$[#-1].httpStatus') IS NULL) = max(seq) THEN 'unsent'
        ELSE 'refused' END AS became
      FROM attempts WHERE approval_id = ${whose} GROUP BY coalesce(batch_row, 1)
    ) AS item
  ) AS made)`;

const questionsAt = (nowIso: string, whose = "p.id") =>
  approvalQuestions({
    prefix: "",
    state: stateSql(whose),
    stateValues: [nowIso],
    decided: "json_group_array(json_object('by', decided_by, 'at', decided_at, 'decision', decision, 'reason', reason))",
    listed: "SELECT value FROM json_each(?)",
  });
/** A file's state as if none of its rows were begun: reading them all for each row would take long. */
const unlessFile = "CASE WHEN p.file_id IS NULL THEN p.id END";

/** Throws CliError not-found, or what says why it is closed. */
const findOpen = (db: Database, id: string, questions: ReturnType<typeof questionsAt>): Approval => {
  const approval = ask(db, questions.find(id));
  if (approval === undefined) throw noSuchApproval(id);
  if (approval.state !== "open") throw closedApproval(approval);
  return approval;
};

/**
 * The last look before money out begins. Throws CliError approval-required for what a policy holds back, duplicate for a proposal
 * that was sent already, usage for one that is closed or holds another request.
 */
export const throwIfNotApproved = (db: Database, attempt: NewAttempt | Attempt, nowIso: string): void => {
  if (!isMoneyOut(attempt.operation)) return;
  const policies = ask(db, questionsAt(nowIso).policies());
  const policy = findPolicy(policies, attempt);
  if (attempt.approvalId === undefined) {
    if (policy !== undefined) throw approvalRequired(policy, "Money out", { journalId: attempt.id });
    return;
  }
  const approval = findOpen(db, attempt.approvalId, questionsAt(nowIso, unlessFile));
  const item = db.prepare("SELECT body FROM approval_items WHERE approval_id = ? AND item = ?").get(approval.id, attempt.batchRow ?? 1);
  const isSame = isRow(item) && item["body"] === attempt.body && approval.baseUrl === attempt.baseUrl;
  if (!isSame || !hasApprovals(approval, policies)) {
    throw approvalRequired(policy ?? { currency: attempt.currency, from: attempt.amount, approvers: 1 }, `Approval ${approval.id}: money out`);
  }
};

/** Approvals in the journal's file. */
export const createApprovals = ({ database, read, write, nowIso }: JournalCore): Approvals => {
  const find = (db: Database, id: string): Approval => {
    const approval = ask(db, questionsAt(nowIso()).find(id));
    if (approval === undefined) throw noSuchApproval(id);
    return approval;
  };
  return {
    user: async () => readUser(),
    propose: (proposal) =>
      write((db) => {
        checkVersion(db);
        const guardKeys = proposal.items.map(({ guardKey }) => guardKey);
        const [like] = proposal.allowDuplicate ? [] : ask(db, questionsAt(nowIso()).list({ guardKeys, baseUrl: proposal.baseUrl }));
        if (like !== undefined) throw alreadyProposed(like);
        const { name, machine } = readUser();
        const [proposedAt, expiresAt] = [nowIso(), new Date(Date.parse(nowIso()) + proposal.expiresMs).toISOString()];
        insert(db, "approvals", { ...toApprovalRow(proposal), proposed_by: name, proposed_from: machine, proposed_at: proposedAt, expires_at: expiresAt });
        for (const { row, guardKey, body } of proposal.items) insert(db, "approval_items", { approval_id: proposal.id, item: row, guard_key: guardKey, body });
        return find(db, proposal.id);
      }, "synced"),
    find: async (id) => read(() => ask(database, questionsAt(nowIso()).find(id))),
    items: async (id) => read(() => ask(database, questionsAt(nowIso()).items(id))),
    list: async (filter) => read(() => ask(database, questionsAt(nowIso()).list(filter))),
    decide: (id, decision) =>
      write((db) => {
        checkVersion(db);
        const approval = find(db, id);
        // A batch that was cut off is approved again to go on.
        if (approval.state !== "open" && !(decision === "approved" && waits(approval))) throw closedApproval(approval);
        if (decision === "approved" && hasApprovals(approval, ask(db, questionsAt(nowIso()).policies()))) return approval;
        const what = decision === "approved" ? { decision, reason: null } : { decision: "declined", reason: decision.declined };
        insert(db, "decisions", { approval_id: id, decided_by: readUser().name, decided_at: nowIso(), ...what });
        return find(db, id);
      }, "synced"),
    cancel: (id) =>
      write((db) => {
        const approval = findOpen(db, id, questionsAt(nowIso()));
        if (approval.proposedBy !== readUser().name) throw notTheProposer(id, approval.proposedBy);
        db.prepare("UPDATE approvals SET cancelled_at = ? WHERE id = ?").run(nowIso(), id);
        return find(db, id);
      }, "synced"),
    finish: async (id) => {
      await write((db) => {
        find(db, id);
        db.prepare("UPDATE approvals SET finished_at = ? WHERE id = ? AND finished_at IS NULL").run(nowIso(), id);
      }, "synced");
    },
    policies: async () => read(() => ask(database, questionsAt(nowIso()).policies())),
    setPolicy: async (currency, policy) => {
      await write((db) => {
        checkVersion(db);
        db.prepare("DELETE FROM policies WHERE currency = ?").run(currency);
        if (policy !== undefined) insert(db, "policies", { currency, from_amount: policy.from, approvers: policy.approvers });
      }, "synced");
    },
  };
};
