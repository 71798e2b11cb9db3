import { join } from "node:path";
import { parseExact, stringifyExact } from "../json/exact-json.ts";
import { inTransaction, isRow, openWithTables, type Row, type SqlValue, unusableDatabase } from "../storage/sqlite.ts";
import type { Direction } from "../transactions/status.ts";
import { type Transaction, toTransaction } from "../transactions/transaction.ts";
import { readAssets } from "./sql.ts";

export const outboxFileName = "outbox.db";

/** A change of a transaction that the endpoint has not taken yet. */
export type PendingDelivery = {
  readonly seq: number;
  readonly id: string;
  readonly status: string;
  readonly direction: Direction;
  readonly transaction: Transaction;
};

/** Read at a time: their bodies are in memory together. */
const batchSize = 500;

/**
 * What `tx watch --forward-to` remembers over a restart: the last status seen of each transaction of one merchant (`base`, see
 * `mirrorKey`), and the changes not yet delivered to `target`. Throws CliError usage if the file cannot be used.
 */
export const openOutbox = async (dataFolder: string, base: string, target: string) => {
  const path = join(dataFolder, outboxFileName);
  const database = await openWithTables(path, String(readAssets()["outbox.sql"]), (cause) =>
    unusableDatabase("The outbox", path, cause, "repair the file, but keep it: it holds callbacks that were not delivered yet"),
  );
  const all = (sql: string, ...values: readonly SqlValue[]): readonly Row[] =>
    database
      .prepare(sql)
      .all(...values)
      .filter(isRow);
  const run = (sql: string, ...values: readonly SqlValue[]): void => void database.prepare(sql).run(...values);
  const see = (id: string, status: string): void =>
    run("INSERT INTO followed VALUES (?, ?, ?) ON CONFLICT (base, id) DO UPDATE SET status = excluded.status", base, id, status);
  return {
    /** Remembers a status that is no change. */
    see,
    lastSeen: (id: string): string | undefined => all("SELECT status FROM followed WHERE base = ? AND id = ?", base, id).map(statusOf)[0],
    /** Everything that earlier runs followed. */
    followed: () => all("SELECT id, status FROM followed WHERE base = ? ORDER BY id", base).map((row) => ({ id: String(row["id"]), status: statusOf(row) })),
    /** Stores a change and the delivery of it in one commit. The same status of the same transaction is delivered once. */
    enqueue: ({ direction, transaction }: Pick<PendingDelivery, "direction" | "transaction">): void =>
      inTransaction(database, () => {
        const { id = "", status = "" } = transaction;
        see(id, status);
        run(
          `INSERT INTO deliveries (base, target, id, status, direction, body) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (base, target, id, status) DO NOTHING`,
          ...[base, target, id, status, direction, stringifyExact(transaction.body)],
        );
      }),
    /** The next deliveries to make, oldest first, after the one with this `seq` (0: from the start). */
    pending: (after: number): readonly PendingDelivery[] =>
      all(
        `SELECT seq, id, status, direction, body FROM deliveries
          WHERE base = ? AND target = ? AND delivered_at IS NULL AND seq > ? ORDER BY seq LIMIT ${batchSize}`,
        ...[base, target, after],
      ).map(toPending),
    /** The endpoint has taken it; the body is no longer needed. */
    markDelivered: (seq: number, at: string): void => run("UPDATE deliveries SET delivered_at = ?, body = '{}' WHERE seq = ?", at, seq),
    dispose: (): void => database.close(),
  };
};

const statusOf = (row: Row): string => String(row["status"]);
const toPending = (row: Row): PendingDelivery => ({
  seq: Number(row["seq"]),
  id: String(row["id"]),
  status: statusOf(row),
  direction: row["direction"] === "in" || row["direction"] === "out" ? row["direction"] : "unknown",
  transaction: toTransaction(parseExact(String(row["body"]))),
});
