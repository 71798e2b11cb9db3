import { toColumn } from "../storage/columns.ts";
import { type Database, isRow } from "../storage/sqlite.ts";
import { keyIsTaken, likeAppeared } from "./attempt-errors.ts";
import { cannotRecord } from "./journal-file.ts";
import { toAttempt, updateAttempt, updateValues } from "./journal-rows.ts";
import type { Attempt, AttemptFilter, NewAttempt } from "./port.ts";

export type Change = (attempt: Attempt, db: Database) => Attempt;

type Condition = readonly [sql: string, ...values: (string | number)[]];
const compared = ["guardKey", "idempotencyKey", "transactionId", "batchId", "reference", "payee", "state", "day", "operation", "baseUrl"] as const;

/** What a filter asks for: first what has an index and finds the fewest. A day is a UTC one. */
export const conditionsOf = (filter: AttemptFilter): readonly Condition[] =>
  compared.flatMap((name): readonly Condition[] => {
    const value = filter[name];
    if (value === undefined) return [];
    if (name === "day") return [["started_at >= ? AND started_at < ?", `${value}T`, `${value}U`]];
    if (name === "batchId" && filter.batchRows !== undefined) return [["batch_id = ? AND batch_row BETWEEN ? AND ?", value, ...filter.batchRows]];
    return [[`${toColumn(name)} = ?`, value]];
  });
export const allOf = (conditions: readonly Condition[]): string => conditions.map(([sql]) => sql).join(" AND ") || "true";
export const valuesOf = (conditions: readonly Condition[]): readonly (string | number)[] => conditions.flatMap(([, ...values]) => values);

/** Found by what is asked for first. A damaged one is among them whatever else is asked: what can be read of it may not be what it was. */
export const listAttempts = (db: Database, filter: AttemptFilter): readonly Attempt[] => {
  const { guardKey, limit } = filter;
  const conditions = conditionsOf(filter);
  // What a damaged index hides is found by the other.
  const first: readonly Condition[] =
    guardKey === undefined ? conditions.slice(0, 1) : [["(guard_key = ? OR substr(guard_key, 33) = substr(?, 33))", guardKey, guardKey]];
  const statement = db.prepare(`SELECT *, (${allOf(conditions)}) AS is_asked_for FROM attempts WHERE ${allOf(first)} ORDER BY seq DESC`);
  const values = valuesOf([...conditions, ...first]);
  const found: Attempt[] = [];
  // Of a million rows those that are not wanted are not read.
  for (const row of limit === undefined ? statement.all(...values) : statement.iterate(...values)) {
    const attempt = toAttempt(row);
    if (attempt !== undefined && (attempt.damaged === true || (isRow(row) && row["is_asked_for"] === 1))) found.push(attempt);
    if (found.length === limit) break;
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
