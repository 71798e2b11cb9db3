import { isObject, type Json, parseExact } from "../json/exact-json.ts";
import type { Account } from "../ports.ts";
import { describeColumns } from "../storage/columns.ts";
import { isRow } from "../storage/sqlite.ts";

/** What a mirror belongs to: another merchant's key at the same address sees other transactions. */
export const mirrorKey = (account: Pick<Account, "baseUrl" | "keyHint">): string => `${account.baseUrl} ${account.keyHint}`;

/** Here, so that whether a mirror is there can be asked without loading what reads it. */
export const mirrorFileName = "mirror.db";

/** `<data>/mirror.db`: what was last seen of the transactions of each base URL. All but the times when they were first seen can be fetched again. */
export const mirrorSchema = `
  CREATE TABLE IF NOT EXISTS transactions (
    seq INTEGER PRIMARY KEY,
    base TEXT NOT NULL,
    id TEXT NOT NULL,
    flow TEXT NOT NULL,
    status TEXT NOT NULL,
    state TEXT NOT NULL,
    status_conflict TEXT,
    detailed INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL,
    phone_back TEXT,
    seen_at TEXT,
    UNIQUE (base, id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS transactions_due ON transactions (base, seq) WHERE detailed = 0 OR state = 'open';
  CREATE INDEX IF NOT EXISTS transactions_flow ON transactions (base, flow);
  CREATE INDEX IF NOT EXISTS transactions_phone ON transactions (base, phone_back) WHERE phone_back IS NOT NULL;
  CREATE TABLE IF NOT EXISTS tokens (base TEXT NOT NULL, token TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (base, token, seq)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS syncs (base TEXT PRIMARY KEY, synced_at TEXT) STRICT;
`;

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
