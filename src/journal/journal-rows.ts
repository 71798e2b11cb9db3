import { type Operation, operationRoutes } from "../service/contract/routes.ts";
import { nodeCrypto } from "../storage/node-crypto.ts";
import { isRow, type Row, type SqlValue } from "../storage/sqlite.ts";
import type { Attempt, AttemptFilter, AttemptState, NewAttempt } from "./port.ts";

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
  approval_id: ({ approvalId }) => approvalId ?? null,
};
const names = Object.keys(columns);
/** What a column is set to is written to its indexes too, so those that never change are left out of an update. */
const changing = ["body", "payee", "closed_at", "state", "transaction_id", "status", "tries", "answer", "unanswered", "evidence", "held_by"];
const marks = (some: readonly string[]): string => some.map(() => "?").join(", ");
/** SQLite keeps text as UTF-8, which has no halves of surrogate pairs. */
const storable = (value: SqlValue): SqlValue => (typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\uFFFD") : value);
const valuesOf = (attempt: Attempt): Readonly<Record<string, SqlValue>> =>
  Object.fromEntries(Object.entries(columns).map(([name, valueIn]) => [name, storable(valueIn(attempt))]));
/** A column that version 1 lacks: left out of the checksum while it is empty, so that older rows stay whole. */
const isLater = (name: string): boolean => name === "approval_id";
const checksumOf = (row: Readonly<Record<string, unknown>>): string =>
  nodeCrypto()
    .hash("sha256", JSON.stringify(names.flatMap((name) => (isLater(name) && (row[name] ?? null) === null ? [] : [row[name]]))))
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

/** An attempt by the names of its columns, as a new one is written. */
export const insertRow = (attempt: NewAttempt): Readonly<Record<string, SqlValue>> => valuesOf({ ...attempt, state: "started", tries: [], unanswered: false });
/** The same of one that was recorded before. */
export const recordedRow = (attempt: Attempt): Readonly<Record<string, SqlValue>> => ({ ...valuesOf(attempt), tries: JSON.stringify(attempt.tries) });

/** One row as an attempt; undefined for no row. `trusted`: it has no checksum, as the database has its own. */
export const toAttempt = (value: unknown, trust: "checksum" | "trusted" = "checksum"): Attempt | undefined => {
  if (!isRow(value)) return undefined;
  const stored = text(value, "state");
  const damaged = (trust === "checksum" && value["checksum"] !== checksumOf(value)) || !isState(stored);
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
    ...optional("approvalId", "approval_id"),
    ...(damaged ? { damaged } : {}),
  };
};

type Query = { readonly sql: string; readonly values: readonly SqlValue[] };
const where = (condition: string, ...values: readonly SqlValue[]): Query => ({ sql: `SELECT * FROM attempts WHERE ${condition} ORDER BY seq DESC`, values });

/** The rows to look at for a filter, newest first, found by what has an index. A day is a UTC one. */
export const toQuery = ({ guardKey, idempotencyKey, transactionId, batchId, batchRows, reference, payee, state, day }: AttemptFilter): Query => {
  // What a damaged index hides is found by the other.
  if (guardKey !== undefined) return where("guard_key = ?1 OR substr(guard_key, 33) = substr(?1, 33)", guardKey);
  if (idempotencyKey !== undefined) return where("idempotency_key = ?", idempotencyKey);
  if (transactionId !== undefined) return where("transaction_id = ?", transactionId);
  if (batchId !== undefined && batchRows !== undefined) return where("batch_id = ? AND batch_row BETWEEN ? AND ?", batchId, ...batchRows);
  if (batchId !== undefined) return where("batch_id = ?", batchId);
  if (reference !== undefined) return where("reference = ?", reference);
  if (payee !== undefined) return where("payee = ?", payee);
  if (state !== undefined) return where("state = ?", state);
  if (day !== undefined) return where("started_at >= ? AND started_at < ?", `${day}T`, `${day}U`);
  return where("true");
};

const compared = ["state", "reference", "operation", "batchId", "guardKey", "idempotencyKey", "baseUrl", "transactionId", "payee"] as const;

/** Whether an attempt is one of those asked for. A damaged one is: what can be read of it may not be what it was. */
export const isAskedFor = (attempt: Attempt, filter: AttemptFilter): boolean => {
  if (attempt.damaged === true) return true;
  const { day, batchRows, batchRow = Number.NaN } = { ...filter, batchRow: attempt.batchRow };
  if (day !== undefined && !attempt.startedAt.startsWith(`${day}T`)) return false;
  if (batchRows !== undefined && !(batchRow >= batchRows[0] && batchRow <= batchRows[1])) return false;
  return compared.every((name) => filter[name] === undefined || filter[name] === attempt[name]);
};
