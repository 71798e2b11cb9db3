import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CliError } from "../errors.ts";
import type { Context } from "../ports.ts";
import { describeColumns } from "../storage/columns.ts";
import { type Database, inTransaction, isRow, openForReading, openWithTables, unusableDatabase } from "../storage/sqlite.ts";
import { outboxFileName } from "./outbox.ts";

const fileName = "callbacks.db";
/** The newest that are kept. A callback is a few hundred bytes here: its body is not stored. */
const keptMax = 100_000;

/** One callback that passed through this machine: which transaction it spoke of, and what its receiver answered. */
const columns = describeColumns({
  /** ISO 8601 UTC. */
  at: "text",
  /** `received` by `webhook listen`, or `posted` by `webhook replay` or `tx watch --forward-to`. */
  way: ["posted", "received"],
  transactionId: "text",
  /** The status it carried; empty if it carried none. */
  status: "text",
  /** Whether its signature was valid. */
  valid: "flag",
  /** HTTP status that it was answered with. */
  answered: "integer",
});
export type LoggedCallback = ReturnType<typeof columns.fromRow>;

const schema = `
  CREATE TABLE IF NOT EXISTS callbacks (seq INTEGER PRIMARY KEY, ${columns.sql}) STRICT;
  CREATE INDEX IF NOT EXISTS callbacks_transaction ON callbacks (transaction_id, seq);
`;

/**
 * `<data>/callbacks.db`: the callbacks that `tx explain` can tell of. They are received and posted all the same where they cannot be
 * remembered: then a note says so.
 */
export const openCallbackLog = async ({ paths, note }: Pick<Context, "paths" | "note">) => {
  const lost = (error: unknown): void => note(`tx explain will not know of these callbacks: ${error instanceof Error ? error.message : String(error)}`);
  try {
    const path = join(paths.data, fileName);
    const database = await openWithTables(path, schema, (cause) => brokenLog(path, cause));
    const insert = database.prepare(`INSERT INTO callbacks (${columns.names.join(", ")}) VALUES (${columns.names.map(() => "?").join(", ")})`);
    const drop = database.prepare("DELETE FROM callbacks WHERE seq <= (SELECT max(seq) FROM callbacks) - ?");
    return {
      /** In one commit, as each waits for the disk. */
      add: (callback: LoggedCallback): void => {
        try {
          inTransaction(database, () => {
            insert.run(...Object.values(columns.toRow(callback)));
            drop.run(keptMax);
          });
        } catch (error) {
          lost(error);
        }
      },
      dispose: (): void => database.close(),
    };
  } catch (error) {
    lost(error);
    return { add: (): void => undefined, dispose: (): void => undefined };
  }
};

/** Where callbacks are remembered: those of this file, and the deliveries of `tx watch --forward-to`. */
const sources = [
  [fileName, "SELECT * FROM callbacks WHERE transaction_id = ? ORDER BY seq DESC LIMIT 100"],
  [
    outboxFileName,
    `SELECT delivered_at AS at, 'posted' AS way, id AS transaction_id, status, 1 AS valid, 200 AS answered
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
      found.push(...database.prepare(sql).all(transactionId).filter(isRow).map(columns.fromRow));
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
