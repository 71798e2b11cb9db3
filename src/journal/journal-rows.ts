import { type Operation, operationRoutes } from "../service/contract/routes.ts";
import { isRow, type Row, type SqlValue } from "../storage/sqlite.ts";
import type { Attempt } from "./port.ts";
import { attemptColumns, changingColumns } from "./tables.ts";

const { names } = attemptColumns;
const marks = (some: readonly string[]): string => some.map(() => "?").join(", ");
/** A column that version 1 lacks: left out of the checksum while it is empty, so that older rows stay whole. */
const isLater = (name: string): boolean => name === "approval_id";
const checksumOf = (row: Row): string =>
  process
    .getBuiltinModule("node:crypto")
    .hash("sha256", JSON.stringify(names.flatMap((name) => (isLater(name) && (row[name] ?? null) === null ? [] : [row[name]]))))
    .slice(0, 16);

/** Inserts nothing where the id or the key is taken. */
export const insertAttempt = `INSERT INTO attempts (${names.join(", ")}, checksum) VALUES (${marks(names)}, ?) ON CONFLICT DO NOTHING`;
export const insertValues = (attempt: Attempt): SqlValue[] => {
  const row = attemptColumns.toRow(attempt);
  return [...Object.values(row), checksumOf(row)];
};
/** What a column is set to is written to its indexes too, so those that never change are left out. */
export const updateAttempt = `UPDATE attempts SET (${changingColumns.join(", ")}, checksum) = (${marks(changingColumns)}, ?) WHERE id = ?`;
export const updateValues = (attempt: Attempt): SqlValue[] => {
  const row = attemptColumns.toRow(attempt);
  return [...changingColumns.map((name) => row[name] ?? null), checksumOf(row), attempt.id];
};

/** Of a damaged row what the endpoint says, and else money out: what can't be read is treated with the most care. */
const operationAt = (endpoint: string): Operation => {
  const operations = ["stk", "collect", "withdraw"] as const;
  return operations.find((name) => endpoint === `POST ${operationRoutes[name].path}`) ?? "b2c";
};

/** One row as an attempt; undefined for no row. Without a checksum it is trusted, as the database has its own. */
export const toAttempt = (row: unknown): Attempt | undefined => {
  if (!isRow(row)) return undefined;
  const attempt = attemptColumns.fromRow(row);
  const isWhole = (row["checksum"] === undefined || row["checksum"] === checksumOf(row)) && row["state"] === attempt.state;
  if (isWhole) return attempt;
  const operation = row["operation"] === attempt.operation ? attempt.operation : operationAt(attempt.endpoint);
  return { ...attempt, operation, state: "unknown", damaged: true };
};
