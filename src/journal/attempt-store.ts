import { CliError } from "../errors.ts";
import type { Database } from "../storage/sqlite.ts";
import { cannotRecord } from "./journal-file.ts";
import { isAskedFor, toAttempt, toQuery, updateAttempt, updateValues } from "./journal-rows.ts";
import type { Attempt, AttemptFilter, NewAttempt } from "./port.ts";

export type Change = (attempt: Attempt, db: Database) => Attempt;
export const listAttempts = (db: Database, filter: AttemptFilter): readonly Attempt[] => {
  const { sql, values } = toQuery(filter);
  const statement = db.prepare(sql);
  const found: Attempt[] = [];
  // Of a million rows those that are not wanted are not read.
  for (const row of filter.limit === undefined ? statement.all(...values) : statement.iterate(...values)) {
    const attempt = toAttempt(row);
    if (attempt !== undefined && isAskedFor(attempt, filter)) found.push(attempt);
    if (found.length === filter.limit) break;
  }
  return found;
};

/** Without `attempt` there is no such attempt; with `heldBy` it was not changed. */
type Changed = { readonly attempt?: Attempt; readonly heldBy?: string };

export const change = (db: Database, id: string, to: Change, isHeld: (holder: string) => boolean = () => false): Changed => {
  const attempt = toAttempt(db.prepare("SELECT * FROM attempts WHERE id = ?").get(id));
  if (attempt === undefined) return {};
  if (attempt.heldBy !== undefined && isHeld(attempt.heldBy)) return { attempt, heldBy: attempt.heldBy };
  const changed = to(attempt, db);
  db.prepare(updateAttempt).run(...updateValues(changed));
  return { attempt: changed };
};

export const underWay = ({ id, idempotencyKey }: Attempt): CliError =>
  new CliError(
    "duplicate",
    `This payment is being sent at this moment, by another process or another part of this one (journal ${id}); it was not sent once more`,
    {
      hint: "Wait for that to end. To look at it then",
      command: ["journal", "show", id],
      sent: "unknown",
      idempotencyKey,
      journalId: id,
    },
  );

/** A key is scoped by endpoint (rules.md, Money safety): two processes may have been given the same one at once. */
export const keyIsTaken = (db: Database, { id, idempotencyKey, endpoint, baseUrl }: NewAttempt): CliError => {
  const row = db.prepare("SELECT * FROM attempts WHERE idempotency_key = ? AND endpoint = ? AND base_url = ?").get(idempotencyKey, endpoint, baseUrl);
  const like = toAttempt(row);
  // Ids are random: one that is taken is no coincidence, and what is not recorded is not sent.
  if (like === undefined) return cannotRecord(id, new Error("its id is in the journal already"));
  return new CliError("duplicate", `Another process has just begun a payment with the key ${idempotencyKey} (journal ${like.id}); nothing was sent`, {
    hint: "The same command again goes on with it. To look at it",
    command: ["journal", "show", like.id],
    idempotencyKey,
    journalId: like.id,
  });
};

export const throwIfLikeAppeared = (db: Database, { guardKey, baseUrl }: NewAttempt, judged: readonly string[] | undefined): void => {
  if (judged === undefined) return;
  for (const like of listAttempts(db, { guardKey, baseUrl })) {
    if (like.state === "refused" || judged.includes(like.id)) continue;
    throw new CliError("duplicate", `Another process has just begun the same payment (journal ${like.id}); nothing was sent`, {
      hint: "--allow-duplicate sends another one. To look at the earlier one",
      command: ["journal", "show", like.id],
      idempotencyKey: like.idempotencyKey,
      journalId: like.id,
    });
  }
};
