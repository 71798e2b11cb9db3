import { isObject, type Json, parseExact, stringifyExact, textOf } from "../json/exact-json.ts";
import { compareDecimals, toDecimal } from "../money/money.ts";
import type { Database } from "../storage/sqlite.ts";
import { type MirrorFlow, type StoredRow, toStored } from "./mirror-schema.ts";
import { phoneBackwards, tokensOf } from "./mirror-tokens.ts";
import { classifyStatus, contradictsPaid, directionOfFlow, isReversed } from "./status.ts";
import type { Transaction } from "./transaction.ts";

export type Seen = {
  readonly flow: MirrorFlow;
  readonly transaction: Transaction /** From GET transactions/:id, not from a list. */;
  readonly detailed: boolean;
};
export type Saved = { readonly added: number; readonly changed: number };
/** What becomes of a status that was seen before: paid stays unless reversed, reversed stays (rules.md, Living with what is not shown). */
export const mergeStatus = (before: string, after: string): { readonly status: string; readonly conflict: string | undefined } => {
  if (before.toUpperCase() === after.toUpperCase() || isReversed(after)) return { status: after, conflict: undefined };
  if (isReversed(before)) return { status: before, conflict: after };
  return contradictsPaid(before, after) ? { status: before, conflict: after } : { status: after, conflict: undefined };
};

const withStatus = (transaction: Json, status: string): Json =>
  isObject(transaction) && textOf(transaction["status"]) !== status ? { ...transaction, status } : transaction;

const isSameValue = (a: Json | undefined, b: Json): boolean => {
  const [left, right] = typeof a === "string" && typeof b === "string" ? [] : [toDecimal(textOf(a) ?? ""), toDecimal(textOf(b) ?? "")];
  return left !== undefined && right !== undefined ? compareDecimals(left, right) === 0 : stringifyExact(a) === stringifyExact(b);
};

/** Whether a list's row contradicts the stored details. Fields that only the list has, and the same number or status written otherwise, do not. */
const contradictsDetails = (row: Json, details: Json, { status, statusConflict }: StoredRow): boolean => {
  if (!isObject(row) || !isObject(details)) return true;
  const statuses = [status, statusConflict].map((each) => each?.toUpperCase());
  return Object.entries(row).some(([name, value]) =>
    name === "status" ? !statuses.includes(textOf(value)?.toUpperCase()) : Object.hasOwn(details, name) && !isSameValue(details[name], value),
  );
};

/** What saves one transaction as it was seen `at` this time (ISO 8601 UTC). */
export const createSaver = (database: Database, base: string) => {
  const selectOne = database.prepare("SELECT * FROM transactions WHERE base = ? AND id = ?");
  const insert = database.prepare(
    "INSERT INTO transactions (base, id, flow, status, state, detailed, body, phone_back, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
  );
  const update = database.prepare(
    "UPDATE transactions SET flow = ?, status = ?, state = ?, detailed = ?, body = ?, phone_back = ?, status_conflict = ? WHERE seq = ?",
  );
  const insertToken = database.prepare("INSERT OR IGNORE INTO tokens VALUES (?, ?, ?)");
  const addTokens = (transaction: Json, seq: number): void => {
    for (const token of tokensOf(transaction)) insertToken.run(base, token, seq);
  };
  return ({ flow, transaction: { id, status: said = "", body: transaction }, detailed }: Seen, at: string): "added" | "changed" | "same" => {
    if (id === undefined) return "same";
    const direction = directionOfFlow[flow];
    const stored = toStored(selectOne.get(base, id));
    if (stored === undefined) {
      const body = stringifyExact(transaction);
      const row = insert.get(base, id, flow, said, classifyStatus(said, direction), detailed ? 1 : 0, body, phoneBackwards(transaction) ?? null, at);
      addTokens(transaction, toStored(row)?.seq ?? 0);
      return "added";
    }
    const { status, conflict } = mergeStatus(stored.status, said);
    const before = parseExact(stored.body);
    if (!detailed && stored.detailed && !contradictsDetails(transaction, before, stored)) return "same";
    // A list shows less than what is already known of a transaction: it only tells of a change, which is then fetched.
    const statusChanged = status.toUpperCase() !== stored.status.toUpperCase();
    const kept = detailed ? transaction : isObject(before) && isObject(transaction) ? { ...before, ...transaction } : transaction;
    const body = stringifyExact(withStatus(kept, status));
    const conflictKept = conflict ?? (statusChanged || detailed ? null : stored.statusConflict);
    const changed = body !== stored.body || (conflictKept ?? null) !== stored.statusConflict;
    const isDetailed = detailed || (stored.detailed && !changed);
    if (!changed && isDetailed === stored.detailed) return "same";
    update.run(flow, status, classifyStatus(status, direction), isDetailed ? 1 : 0, body, phoneBackwards(kept) ?? null, conflictKept ?? null, stored.seq);
    addTokens(kept, stored.seq);
    // The first details of what a list brought are no change of the payment.
    return statusChanged || (changed && stored.detailed) || (conflictKept ?? null) !== stored.statusConflict ? "changed" : "same";
  };
};
