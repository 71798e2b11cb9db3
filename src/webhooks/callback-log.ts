import { existsSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../errors.ts";
import { type Database, databaseFault, openDatabase, openForReading, type Row } from "../storage/sqlite.ts";
import { outboxFileName } from "./outbox.ts";

const fileName = "callbacks.db";
/** The newest that are kept. A callback is a few hundred bytes here: its body is not stored. */
const keptMax = 100_000;

const schema = `
  CREATE TABLE IF NOT EXISTS callbacks (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    way TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    status TEXT NOT NULL,
    valid INTEGER NOT NULL,
    answered INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS callbacks_transaction ON callbacks (transaction_id, seq);
`;

/** One callback that passed through this machine: which transaction it spoke of, and what its receiver answered. */
export type LoggedCallback = {
  /** ISO 8601 UTC. */
  readonly at: string;
  /** `received` by `webhook listen`, or `posted` by `webhook replay` or `tx watch --forward-to`. */
  readonly way: "received" | "posted";
  readonly transactionId: string;
  /** The status it carried; empty if it carried none. */
  readonly status: string;
  /** Whether its signature was valid. */
  readonly valid: boolean;
  /** HTTP status that it was answered with. */
  readonly answered: number;
};

/** `<data>/callbacks.db`: the callbacks that `tx explain` can tell of. Throws CliError usage if the file cannot be used. */
export const openCallbackLog = async (dataFolder: string) => {
  const path = join(dataFolder, fileName);
  try {
    const database = await openDatabase(path);
    database.exec(schema);
    const insert = database.prepare("INSERT INTO callbacks (at, way, transaction_id, status, valid, answered) VALUES (?, ?, ?, ?, ?, ?)");
    const drop = database.prepare("DELETE FROM callbacks WHERE seq <= (SELECT max(seq) FROM callbacks) - ?");
    return {
      add: ({ at, way, transactionId, status, valid, answered }: LoggedCallback): void => {
        insert.run(at, way, transactionId, status, valid ? 1 : 0, answered);
        drop.run(keptMax);
      },
      dispose: (): void => database.close(),
    };
  } catch (cause) {
    throw brokenLog(path, cause);
  }
};
export type CallbackLog = Awaited<ReturnType<typeof openCallbackLog>>;

/**
 * The callbacks of one transaction, oldest first, at most 100 of each kind: those that `webhook listen` received, and those that
 * `webhook replay` and `tx watch --forward-to` posted. Throws CliError usage if a file is there and cannot be read.
 */
export const readCallbacks = async (dataFolder: string, transactionId: string): Promise<readonly LoggedCallback[]> => {
  const logged = await readRows(
    join(dataFolder, fileName),
    "SELECT at, way, transaction_id, status, valid, answered FROM callbacks WHERE transaction_id = ? ORDER BY seq DESC LIMIT 100",
    transactionId,
  );
  const forwarded = await readRows(
    join(dataFolder, outboxFileName),
    `SELECT delivered_at AS at, 'posted' AS way, id AS transaction_id, status, 1 AS valid, 200 AS answered
      FROM deliveries WHERE id = ? AND delivered_at IS NOT NULL ORDER BY seq DESC LIMIT 100`,
    transactionId,
  );
  return [...logged, ...forwarded].sort((one, other) => one.at.localeCompare(other.at));
};

const readRows = async (path: string, sql: string, transactionId: string): Promise<readonly LoggedCallback[]> => {
  if (!existsSync(path)) return [];
  let database: Database | undefined;
  try {
    database = await openForReading(path);
    return database.prepare(sql).all(transactionId).map(toCallback);
  } catch (cause) {
    throw brokenLog(path, cause);
  } finally {
    database?.close();
  }
};

const brokenLog = (path: string, cause: unknown): CliError => {
  const { reason, hint } = databaseFault(path, cause, "move that file away: it only holds which callbacks were seen here");
  return new CliError("usage", `The list of callbacks ${path} cannot be used: ${reason}.`, { cause, hint });
};

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null;
const toCallback = (row: unknown): LoggedCallback => {
  const text = (name: string): string => (isRow(row) ? String(row[name] ?? "") : "");
  return {
    at: text("at"),
    way: text("way") === "posted" ? "posted" : "received",
    transactionId: text("transaction_id"),
    status: text("status"),
    valid: text("valid") === "1",
    answered: Number(text("answered")),
  };
};
