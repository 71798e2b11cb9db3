import { hostname, userInfo } from "node:os";
import { usageError } from "../errors.ts";
import type { Database } from "../storage/sqlite.ts";
import { alreadyProposed, hasApprovals, type NewApproval, noSuchApproval } from "./approval.ts";
import { findApproval, findOpen, findOpenLikes, listApprovals, readItems, readPolicies } from "./approval-rows.ts";
import type { JournalCore } from "./journal-core.ts";
import { checkVersion } from "./journal-file.ts";
import type { Approvals, JournalUser } from "./port.ts";

/**
 * Assumed: on a file the proposer is the operating system's user. Whoever can write the file can also approve, so the same person may
 * give every approval: there it is a second look, and no separation.
 */
export const readUser = (): JournalUser => {
  const machine = hostname();
  try {
    return { name: `${userInfo().username}@${machine}`, machine, isShared: false };
  } catch {
    // A user number without a name, as in a container.
    return { name: `${process.getuid?.() ?? "user"}@${machine}`, machine, isShared: false };
  }
};

/** Approvals in the journal's file. */
export const createApprovals = ({ database, read, write, nowIso }: JournalCore): Approvals => ({
  user: async () => readUser(),
  propose: (proposal) =>
    write((db) => {
      checkVersion(db);
      const [like] = proposal.allowDuplicate
        ? []
        : findOpenLikes(
            db,
            proposal.items.map(({ guardKey }) => guardKey),
            proposal.baseUrl,
            nowIso(),
          );
      if (like !== undefined) throw alreadyProposed(like);
      insertApproval(db, proposal, nowIso());
      return findOpen(db, proposal.id, nowIso());
    }, "synced"),
  find: async (id) => read(() => findApproval(database, id, nowIso())),
  items: async (id) => read(() => readItems(database, id)),
  list: async (filter) =>
    read(() => (filter === undefined ? listApprovals(database, nowIso()) : findOpenLikes(database, filter.guardKeys, filter.baseUrl, nowIso()))),
  decide: (id, decision) =>
    write((db) => {
      checkVersion(db);
      const approval = findApproval(db, id, nowIso());
      // A batch that was cut off is approved again to go on.
      const goesOn = approval?.state === "unknown" && approval.batch !== undefined && decision === "approved";
      const open = goesOn ? approval : findOpen(db, id, nowIso());
      if (decision !== "approved" || !hasApprovals(open, readPolicies(db))) {
        const [word, reason] = decision === "approved" ? ["approved", null] : ["declined", decision.declined];
        db.prepare("INSERT INTO decisions (approval_id, decided_by, decided_at, decision, reason) VALUES (?, ?, ?, ?, ?)").run(
          id,
          readUser().name,
          nowIso(),
          word ?? "",
          reason ?? null,
        );
      }
      return findApproval(db, id, nowIso()) ?? open;
    }, "synced"),
  cancel: (id) =>
    write((db) => {
      const approval = findOpen(db, id, nowIso());
      if (approval.proposedBy !== readUser().name)
        throw usageError(`Approval ${id} was proposed by ${approval.proposedBy}, who alone can cancel it.`, "Decline it instead.");
      db.prepare("UPDATE approvals SET cancelled_at = ? WHERE id = ?").run(nowIso(), id);
      return findApproval(db, id, nowIso()) ?? approval;
    }, "synced"),
  finish: async (id) => {
    await write((db) => {
      if (findApproval(db, id, nowIso()) === undefined) throw noSuchApproval(id);
      db.prepare("UPDATE approvals SET finished_at = ? WHERE id = ? AND finished_at IS NULL").run(nowIso(), id);
    }, "synced");
  },
  policies: async () => read(() => readPolicies(database)),
  setPolicy: async (currency, policy) => {
    await write((db) => {
      checkVersion(db);
      db.prepare("DELETE FROM policies WHERE currency = ?").run(currency);
      if (policy !== undefined) db.prepare("INSERT INTO policies VALUES (?, ?, ?)").run(currency, policy.from, policy.approvers);
    }, "synced");
  },
});

const insertApproval = (db: Database, proposal: NewApproval, nowIso: string): void => {
  const { items, batch, expiresMs } = proposal;
  const user = readUser();
  const row = {
    id: proposal.id,
    operation: proposal.operation,
    base_url: proposal.baseUrl,
    profile: proposal.profile,
    reference: proposal.reference,
    payee: proposal.payee,
    amount: proposal.amount,
    currency: proposal.currency,
    rows: items.length,
    file_id: batch?.fileId ?? null,
    choice: batch?.choice ?? null,
    allow_duplicate: proposal.allowDuplicate ? 1 : 0,
    idempotency_key: proposal.idempotencyKey ?? null,
    note: proposal.note ?? null,
    proposed_by: user.name,
    proposed_from: user.machine,
    proposed_at: nowIso,
    expires_at: new Date(Date.parse(nowIso) + expiresMs).toISOString(),
  };
  const names = Object.keys(row);
  db.prepare(`INSERT INTO approvals (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).run(...Object.values(row));
  for (const { row: item, guardKey, body } of items) db.prepare("INSERT INTO approval_items VALUES (?, ?, ?, ?)").run(proposal.id, item, guardKey, body);
};
