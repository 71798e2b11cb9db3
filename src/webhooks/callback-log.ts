import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CliError } from "../errors.ts";
import { type Database, isRow, openForReading, openWithTables, type Row, unusableDatabase } from "../storage/sqlite.ts";
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
  const database = await openWithTables(path, schema).catch((cause: unknown) => {
    throw brokenLog(path, cause);
  });
  const insert = database.prepare("INSERT INTO callbacks (at, way, transaction_id, status, valid, answered) VALUES (?, ?, ?, ?, ?, ?)");
  const drop = database.prepare("DELETE FROM callbacks WHERE seq <= (SELECT max(seq) FROM callbacks) - ?");
  return {
    add: ({ at, way, transactionId, status, valid, answered }: LoggedCallback): void => {
      insert.run(at, way, transactionId, status, valid ? 1 : 0, answered);
      drop.run(keptMax);
    },
    dispose: (): void => database.close(),
  };
};
export type CallbackLog = Awaited<ReturnType<typeof openCallbackLog>>;

/** Where callbacks are remembered: those of this file, and the deliveries of `tx watch --forward-to`. */
const sources = [
  [fileName, "SELECT at, way, status, valid, answered FROM callbacks WHERE transaction_id = ? ORDER BY seq DESC LIMIT 100"],
  [
    outboxFileName,
    `SELECT delivered_at AS at, 'posted' AS way, status, 1 AS valid, 200 AS answered
      FROM deliveries WHERE id = ? AND delivered_at IS NOT NULL ORDER BY seq DESC LIMIT 100`,
  ],
] as const;

/**
 * The callbacks of one transaction, oldest first, at most 100 of each kind: those that `webhook listen` received, and those that
 * `webhook replay` and `tx watch --forward-to` posted. Throws CliError usage if a file is there and cannot be read.
 */
export const readCallbacks = async (dataFolder: string, transactionId: string): Promise<readonly LoggedCallback[]> => {
  const found: LoggedCallback[] = [];
  for (const [name, sql] of sources) {
    const path = join(dataFolder, name);
    if (!existsSync(path)) continue;
    let database: Database | undefined;
    try {
      database = await openForReading(path);
      for (const row of database.prepare(sql).all(transactionId)) if (isRow(row)) found.push(toCallback(row, transactionId));
    } catch (cause) {
      throw brokenLog(path, cause);
    } finally {
      database?.close();
    }
  }
  return found.sort((one, other) => one.at.localeCompare(other.at));
};

const brokenLog = (path: string, cause: unknown): CliError =>
  unusableDatabase("The list of callbacks", path, cause, "move that file away: it only holds which callbacks were seen here");

const toCallback = (row: Row, transactionId: string): LoggedCallback => ({
  at: String(row["at"]),
  way: row["way"] === "posted" ? "posted" : "received",
  transactionId,
  status: String(row["status"]),
  valid: row["valid"] === 1,
  answered: Number(row["answered"]),
});
