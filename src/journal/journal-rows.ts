import { type Operation, operationRoutes } from "../service/contract/routes.ts";
import { nodeCrypto } from "../storage/node-crypto.ts";
import type { Row, SqlValue } from "../storage/sqlite.ts";
import type { Attempt, AttemptFilter, AttemptState } from "./port.ts";

/**
 * `seen`: the transactions that look-ups saw, and the newest attempt at that time.
 * `seq` gives the order of opening, also where the clock was moved. `newest` is the highest time ever written. `checksum` is over
 * all other columns but `seq`. The guard's key has two indexes: a damaged one would hide a payment, and it would be made again.
 */
export const journalSchema = `
CREATE TABLE IF NOT EXISTS attempts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  idempotency_key TEXT NOT NULL,
  operation TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  body TEXT,
  profile TEXT NOT NULL,
  base_url TEXT NOT NULL,
  reference TEXT NOT NULL,
  payee TEXT NOT NULL,
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  started_at TEXT NOT NULL,
  closed_at TEXT,
  state TEXT NOT NULL,
  transaction_id TEXT,
  status TEXT,
  tries TEXT NOT NULL,
  answer TEXT,
  key_fingerprint TEXT NOT NULL,
  key_salt TEXT NOT NULL,
  batch_id TEXT,
  batch_row INTEGER,
  unanswered INTEGER NOT NULL,
  guard_key TEXT NOT NULL,
  evidence TEXT,
  held_by TEXT,
  checksum TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS attempts_key ON attempts (idempotency_key, endpoint, base_url);
CREATE INDEX IF NOT EXISTS attempts_guard ON attempts (guard_key);
CREATE INDEX IF NOT EXISTS attempts_guard_tail ON attempts (substr(guard_key, 33));
CREATE INDEX IF NOT EXISTS attempts_reference ON attempts (reference);
CREATE INDEX IF NOT EXISTS attempts_state ON attempts (state);
CREATE INDEX IF NOT EXISTS attempts_started ON attempts (started_at);
CREATE INDEX IF NOT EXISTS attempts_transaction ON attempts (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_batch ON attempts (batch_id, batch_row) WHERE batch_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS seen (base_url TEXT NOT NULL, transaction_id TEXT NOT NULL, after_seq INTEGER NOT NULL, PRIMARY KEY (base_url, transaction_id)) STRICT;
CREATE TABLE IF NOT EXISTS newest (one INTEGER PRIMARY KEY CHECK (one = 1), at TEXT NOT NULL) STRICT;
`;

/** Each column but `seq` and `checksum`, with its value for an attempt. */
const columns: Readonly<Record<string, (attempt: Attempt) => SqlValue>> = {
  id: ({ id }) => id,
  idempotency_key: ({ idempotencyKey }) => idempotencyKey,
  operation: ({ operation }) => operation,
  endpoint: ({ endpoint }) => endpoint,
  body: ({ body }) => body,
  profile: ({ profile }) => profile,
  base_url: ({ baseUrl }) => baseUrl,
  reference: ({ reference }) => reference,
  payee: ({ payee }) => payee,
  amount: ({ amount }) => amount,
  currency: ({ currency }) => currency,
  started_at: ({ startedAt }) => startedAt,
  closed_at: ({ closedAt }) => closedAt ?? null,
  state: ({ state }) => state,
  transaction_id: ({ transactionId }) => transactionId ?? null,
  status: ({ status }) => status ?? null,
  tries: ({ tries }) => JSON.stringify(tries),
  answer: ({ answer }) => answer ?? null,
  key_fingerprint: ({ keyFingerprint }) => keyFingerprint,
  key_salt: ({ keySalt }) => keySalt,
  batch_id: ({ batchId }) => batchId ?? null,
  batch_row: ({ batchRow }) => batchRow ?? null,
  unanswered: ({ unanswered }) => (unanswered ? 1 : 0),
  guard_key: ({ guardKey }) => guardKey,
  evidence: ({ evidence }) => evidence ?? null,
  held_by: ({ heldBy }) => heldBy ?? null,
};
const names = Object.keys(columns);
/** What a column is set to is written to its indexes too, so those that never change are left out of an update. */
const changing = ["body", "payee", "closed_at", "state", "transaction_id", "status", "tries", "answer", "unanswered", "evidence", "held_by"];
const marks = (some: readonly string[]): string => some.map(() => "?").join(", ");
/** SQLite keeps text as UTF-8, which has no halves of surrogate pairs. */
const storable = (value: SqlValue): SqlValue => (typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\uFFFD") : value);
const valuesOf = (attempt: Attempt): Readonly<Record<string, SqlValue>> =>
  Object.fromEntries(Object.entries(columns).map(([name, valueIn]) => [name, storable(valueIn(attempt))]));
const checksumOf = (row: Readonly<Record<string, unknown>>): string =>
  nodeCrypto()
    .hash("sha256", JSON.stringify(names.map((name) => row[name])))
    .slice(0, 16);

/** Inserts nothing where the id or the key is taken. */
export const insertAttempt = `INSERT INTO attempts (${names.join(", ")}, checksum) VALUES (${marks(names)}, ?) ON CONFLICT DO NOTHING`;
export const insertValues = (attempt: Attempt): SqlValue[] => {
  const values = valuesOf(attempt);
  return [...Object.values(values), checksumOf(values)];
};
export const updateAttempt = `UPDATE attempts SET (${changing.join(", ")}, checksum) = (${marks(changing)}, ?) WHERE id = ?`;
export const updateValues = (attempt: Attempt): SqlValue[] => {
  const values = valuesOf(attempt);
  return [...changing.map((name) => values[name] ?? null), checksumOf(values), attempt.id];
};

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null;
const text = (row: Row, name: string): string => {
  const value = row[name];
  return typeof value === "string" ? value : "";
};
const isOperation = (value: string): value is Operation => Object.hasOwn(operationRoutes, value);
const isState = (value: string): value is AttemptState => value === "started" || value === "accepted" || value === "refused" || value === "unknown";

type StoredTry = Attempt["tries"][number];
const isStoredTry = (value: unknown): value is StoredTry => isRow(value) && typeof value["at"] === "string";
const toTries = (json: string): readonly StoredTry[] => {
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) ? parsed.filter(isStoredTry) : [];
  } catch {
    // Only of a damaged row, and that is shown.
    return [];
  }
};
/** Of a damaged row what the endpoint says, and else money out: what can't be read is treated with the most care. */
const toOperation = (row: Row): Operation => {
  const stored = text(row, "operation");
  if (isOperation(stored)) return stored;
  const path = text(row, "endpoint").replace(/^POST /, "");
  return Object.keys(operationRoutes).find((name): name is Operation => isOperation(name) && operationRoutes[name].path === path) ?? "b2c";
};

/** One row as an attempt; undefined for no row. */
export const toAttempt = (value: unknown): Attempt | undefined => {
  if (!isRow(value)) return undefined;
  const stored = text(value, "state");
  const damaged = value["checksum"] !== checksumOf(value) || !isState(stored);
  const optional = (name: string, column: string): object => (typeof value[column] === "string" ? { [name]: value[column] } : {});
  return {
    id: text(value, "id"),
    idempotencyKey: text(value, "idempotency_key"),
    operation: toOperation(value),
    endpoint: text(value, "endpoint"),
    body: typeof value["body"] === "string" ? value["body"] : null,
    profile: text(value, "profile"),
    baseUrl: text(value, "base_url"),
    reference: text(value, "reference"),
    payee: text(value, "payee"),
    amount: text(value, "amount"),
    currency: text(value, "currency"),
    startedAt: text(value, "started_at"),
    state: damaged ? "unknown" : stored,
    tries: toTries(text(value, "tries")),
    keyFingerprint: text(value, "key_fingerprint"),
    keySalt: text(value, "key_salt"),
    unanswered: Number(value["unanswered"]) >= 1,
    guardKey: text(value, "guard_key"),
    ...(value["batch_row"] === null || value["batch_row"] === undefined ? {} : { batchRow: Number(value["batch_row"]) }),
    ...optional("closedAt", "closed_at"),
    ...optional("transactionId", "transaction_id"),
    ...optional("status", "status"),
    ...optional("answer", "answer"),
    ...optional("batchId", "batch_id"),
    ...optional("evidence", "evidence"),
    ...optional("heldBy", "held_by"),
    ...(damaged ? { damaged } : {}),
  };
};

type Query = { readonly sql: string; readonly values: readonly SqlValue[] };
const where = (condition: string, ...values: readonly SqlValue[]): Query => ({ sql: `SELECT * FROM attempts WHERE ${condition} ORDER BY seq DESC`, values });

/** The rows to look at for a filter, newest first, found by what has an index. A day is a UTC one. */
export const toQuery = ({ guardKey, idempotencyKey, transactionId, batchId, batchRows, reference, state, day }: AttemptFilter): Query => {
  // What a damaged index hides is found by the other.
  if (guardKey !== undefined) return where("guard_key = ?1 OR substr(guard_key, 33) = substr(?1, 33)", guardKey);
  if (idempotencyKey !== undefined) return where("idempotency_key = ?", idempotencyKey);
  if (transactionId !== undefined) return where("transaction_id = ?", transactionId);
  if (batchId !== undefined && batchRows !== undefined) return where("batch_id = ? AND batch_row BETWEEN ? AND ?", batchId, ...batchRows);
  if (batchId !== undefined) return where("batch_id = ?", batchId);
  if (reference !== undefined) return where("reference = ?", reference);
  if (state !== undefined) return where("state = ?", state);
  if (day !== undefined) return where("started_at >= ? AND started_at < ?", `${day}T`, `${day}U`);
  return where("true");
};

const compared = ["state", "reference", "operation", "batchId", "guardKey", "idempotencyKey", "baseUrl", "transactionId"] as const;

/** Whether an attempt is one of those asked for. A damaged one is: what can be read of it may not be what it was. */
export const isAskedFor = (attempt: Attempt, filter: AttemptFilter): boolean => {
  if (attempt.damaged === true) return true;
  const { day, batchRows, batchRow = Number.NaN } = { ...filter, batchRow: attempt.batchRow };
  if (day !== undefined && !attempt.startedAt.startsWith(`${day}T`)) return false;
  if (batchRows !== undefined && !(batchRow >= batchRows[0] && batchRow <= batchRows[1])) return false;
  return compared.every((name) => filter[name] === undefined || filter[name] === attempt[name]);
};
