import { isObject, type Json, parseExact } from "../json/exact-json.ts";
import type { Account } from "../ports.ts";
import { describeColumns } from "../storage/columns.ts";
import { isRow } from "../storage/sqlite.ts";

/** What a mirror belongs to: another merchant's key at the same address sees other transactions. */
export const mirrorKey = (account: Pick<Account, "baseUrl" | "keyHint">): string => `${account.baseUrl} ${account.keyHint}`;

/** Here, so that whether a mirror is there can be asked without loading what reads it. */
export const mirrorFileName = "mirror.db";

export type MirrorFlow = "standard" | "b2c";
const columns = describeColumns({
  seq: "integer",
  id: "text",
  flow: ["b2c", "standard"],
  status: "text",
  state: "text",
  /** What the service said last where it contradicts `status`. */
  statusConflict: "text|null",
  detailed: "flag",
  body: "text",
  seenAt: "text?",
});
export type StoredRow = ReturnType<typeof columns.fromRow>;
/** A transaction whose details are to be fetched. */
export type Due = Pick<StoredRow, "id" | "flow" | "seq">;

/** A row of the table `transactions`; undefined for no row. */
export const toStored = (row: unknown): StoredRow | undefined => (isRow(row) ? columns.fromRow(row) : undefined);

/** The transaction as it is shown: with the status that contradicts the one that stands, if there was one. */
export const toShown = ({ body, statusConflict }: StoredRow): Json => {
  const transaction = parseExact(body);
  return statusConflict === null || !isObject(transaction) ? transaction : { ...transaction, status_conflict: statusConflict };
};
