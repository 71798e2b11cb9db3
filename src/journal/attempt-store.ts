import type { Database } from "../storage/sqlite.ts";
import { keyIsTaken, likeAppeared } from "./attempt-errors.ts";
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

/** A key is scoped by endpoint (rules.md, Money safety): two processes may have been given the same one at once. */
export const throwTaken = (db: Database, { id, idempotencyKey, endpoint, baseUrl }: NewAttempt): never => {
  const row = db.prepare("SELECT * FROM attempts WHERE idempotency_key = ? AND endpoint = ? AND base_url = ?").get(idempotencyKey, endpoint, baseUrl);
  const other = toAttempt(row);
  // Ids are random: one that is taken is no coincidence, and what is not recorded is not sent.
  if (other === undefined) throw cannotRecord(id, new Error("its id is in the journal already"));
  throw keyIsTaken(other);
};

export const throwIfLikeAppeared = (db: Database, { guardKey, baseUrl }: NewAttempt, judged: readonly string[] | undefined): void => {
  if (judged === undefined) return;
  for (const like of listAttempts(db, { guardKey, baseUrl })) {
    if (like.state !== "refused" && !judged.includes(like.id)) throw likeAppeared(like);
  }
};
