import { type Operation, operationRoutes } from "../service/contract/routes.ts";
import type { Row, SqlValue } from "../storage/sqlite.ts";
import type { Attempt, AttemptFilter, AttemptState } from "./port.ts";

/** `seq` gives the order of opening, also where the clock was moved. `newest` is the highest time ever written. */
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
  held_by TEXT
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS attempts_key ON attempts (idempotency_key, endpoint, base_url);
CREATE INDEX IF NOT EXISTS attempts_guard ON attempts (guard_key);
CREATE INDEX IF NOT EXISTS attempts_reference ON attempts (reference);
CREATE INDEX IF NOT EXISTS attempts_state ON attempts (state);
CREATE INDEX IF NOT EXISTS attempts_started ON attempts (started_at);
CREATE INDEX IF NOT EXISTS attempts_transaction ON attempts (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_batch ON attempts (batch_id, batch_row) WHERE batch_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS newest (one INTEGER PRIMARY KEY CHECK (one = 1), at TEXT NOT NULL) STRICT;
`;

/** Each column but `seq`, with its value for an attempt. */
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
const valuesOf = (attempt: Attempt, some: readonly string[]): SqlValue[] => some.map((name) => columns[name]?.(attempt) ?? null);
const marks = (some: readonly string[]): string => some.map(() => "?").join(", ");

/** Inserts nothing where the id or the key is taken. */
export const insertAttempt = `INSERT INTO attempts (${names.join(", ")}) VALUES (${marks(names)}) ON CONFLICT DO NOTHING`;
export const insertValues = (attempt: Attempt): SqlValue[] => valuesOf(attempt, names);
export const updateAttempt = `UPDATE attempts SET (${changing.join(", ")}) = (${marks(changing)}) WHERE id = ?`;
export const updateValues = (attempt: Attempt): SqlValue[] => [...valuesOf(attempt, changing), attempt.id];

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
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter(isStoredTry) : [];
};

/** One row as an attempt. A state this version does not know is `unknown`: never closed by mistake. */
export const toAttempt = (value: unknown): Attempt | undefined => {
  if (!isRow(value)) return undefined;
  const operation = text(value, "operation");
  if (!isOperation(operation)) return undefined;
  const state = text(value, "state");
  const optional = (name: string, column: string): object => (typeof value[column] === "string" ? { [name]: value[column] } : {});
  return {
    id: text(value, "id"),
    idempotencyKey: text(value, "idempotency_key"),
    operation,
    endpoint: text(value, "endpoint"),
    body: typeof value["body"] === "string" ? value["body"] : null,
    profile: text(value, "profile"),
    baseUrl: text(value, "base_url"),
    reference: text(value, "reference"),
    payee: text(value, "payee"),
    amount: text(value, "amount"),
    currency: text(value, "currency"),
    startedAt: text(value, "started_at"),
    state: isState(state) ? state : "unknown",
    tries: toTries(text(value, "tries") || "[]"),
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
  };
};

/** The WHERE of a filter, newest first. A day is a UTC one. */
export const toQuery = (filter: AttemptFilter): { readonly sql: string; readonly values: SqlValue[] } => {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const equal = (column: string, value: string | undefined): void => {
    if (value === undefined) return;
    conditions.push(`${column} = ?`);
    values.push(value);
  };
  equal("state", filter.state);
  equal("reference", filter.reference);
  equal("operation", filter.operation);
  equal("batch_id", filter.batchId);
  equal("guard_key", filter.guardKey);
  equal("idempotency_key", filter.idempotencyKey);
  equal("base_url", filter.baseUrl);
  equal("transaction_id", filter.transactionId);
  if (filter.batchRows !== undefined) {
    conditions.push("batch_row BETWEEN ? AND ?");
    values.push(...filter.batchRows);
  }
  if (filter.day !== undefined) {
    conditions.push("started_at >= ? AND started_at < ?");
    values.push(`${filter.day}T`, `${filter.day}U`);
  }
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return { sql: `SELECT * FROM attempts${where} ORDER BY seq DESC LIMIT ?`, values: [...values, Math.trunc(filter.limit ?? -1)] };
};
