import { existsSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../errors.ts";
import { type Json, parseExact, stringifyExact } from "../json/exact-json.ts";
import { type Database, databaseFault, inTransaction, isRow, openDatabase } from "../storage/sqlite.ts";
import { mirrorFileName } from "../transactions/mirror-schema.ts";
import type { Direction } from "../transactions/status.ts";

export const outboxFileName = "outbox.db";

/** `<data>/outbox.db`: the changes that `tx watch --forward-to` saw. Unlike the mirror it cannot be fetched again. */
const schema = `
  CREATE TABLE IF NOT EXISTS followed (base TEXT NOT NULL, id TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (base, id)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS deliveries (
    seq INTEGER PRIMARY KEY,
    base TEXT NOT NULL,
    target TEXT NOT NULL,
    id TEXT NOT NULL,
    status TEXT NOT NULL,
    previous TEXT,
    direction TEXT NOT NULL,
    body TEXT NOT NULL,
    delivered_at TEXT,
    UNIQUE (base, target, id, status)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS deliveries_pending ON deliveries (base, target, seq) WHERE delivered_at IS NULL;
`;

/** A change of a transaction that the endpoint has not taken yet. `direction` is unknown where an earlier version stored it. */
export type PendingDelivery = {
  readonly seq: number;
  readonly id: string;
  readonly status: string;
  readonly direction: Direction;
  readonly transaction: Json;
};
export type SeenChange = Pick<PendingDelivery, "id" | "status" | "direction" | "transaction"> & { readonly previous: string | null };

/** Read at a time: their bodies are in memory together. */
const batchSize = 500;

/**
 * What `tx watch --forward-to` remembers over a restart: the last status seen of each transaction of one merchant (`base`, see
 * `mirrorKey`), and the changes not yet delivered to `target`. Throws CliError usage if the file cannot be used.
 */
export const openOutbox = async (dataFolder: string, base: string, target: string) => {
  const path = join(dataFolder, outboxFileName);
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw brokenOutbox(path, error);
    }
  };
  const database = await openDatabase(path).catch((error: unknown) => {
    throw brokenOutbox(path, error);
  });
  try {
    guarded(() => database.exec(schema));
    takeOver(database, join(dataFolder, mirrorFileName));
  } catch (error) {
    database.close();
    throw error;
  }
  const setStatus = (id: string, status: string): void => {
    database.prepare("INSERT INTO followed VALUES (?, ?, ?) ON CONFLICT (base, id) DO UPDATE SET status = excluded.status").run(base, id, status);
  };
  return {
    /** Remembers a status that is no change. */
    see: (id: string, status: string): void => guarded(() => setStatus(id, status)),
    lastSeen: (id: string): string | undefined =>
      guarded(() => textIn(database.prepare("SELECT status FROM followed WHERE base = ? AND id = ?").get(base, id), "status")),
    /** Everything that earlier runs followed. */
    followed: (): readonly { readonly id: string; readonly status: string }[] =>
      guarded(() =>
        database
          .prepare("SELECT id, status FROM followed WHERE base = ? ORDER BY id")
          .all(base)
          .map((row) => ({ id: textIn(row, "id") ?? "", status: textIn(row, "status") ?? "" })),
      ),
    /** Stores a change and the delivery of it in one commit. The same status of the same transaction is delivered once. */
    enqueue: ({ id, status, previous, direction, transaction }: SeenChange): void =>
      guarded(() =>
        inTransaction(database, () => {
          setStatus(id, status);
          database
            .prepare(
              "INSERT INTO deliveries (base, target, id, status, previous, direction, body) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (base, target, id, status) DO NOTHING",
            )
            .run(base, target, id, status, previous, direction, stringifyExact(transaction));
        }),
      ),
    /** The next deliveries to make, oldest first, after the one with this `seq` (0: from the start). */
    pending: (after: number): readonly PendingDelivery[] =>
      guarded(() =>
        database
          .prepare(
            `SELECT seq, id, status, direction, body FROM deliveries WHERE base = ? AND target = ? AND delivered_at IS NULL AND seq > ? ORDER BY seq LIMIT ${batchSize}`,
          )
          .all(base, target, after)
          .map(toPending),
      ),
    /** The endpoint has taken it; the body is no longer needed. */
    markDelivered: (seq: number, at: string): void =>
      guarded(() => {
        database.prepare("UPDATE deliveries SET delivered_at = ?, body = '{}' WHERE seq = ?").run(at, seq);
      }),
    dispose: (): void => database.close(),
  };
};
export type Outbox = Awaited<ReturnType<typeof openOutbox>>;

const brokenOutbox = (path: string, cause: unknown): CliError => {
  if (cause instanceof CliError) return cause;
  const { reason, hint } = databaseFault(path, cause, "repair the file, but keep it: it holds callbacks that were not delivered yet");
  return new CliError("usage", `The outbox ${path} cannot be used: ${reason}.`, { cause, hint });
};

/**
 * Moves what an earlier version kept in the mirror. The copy is committed before the originals are dropped, and what is here
 * already stays as it is: after a crash in between, copying again changes nothing.
 */
const takeOver = (database: Database, mirrorPath: string): void => {
  if (!existsSync(mirrorPath)) return;
  try {
    database.prepare("ATTACH DATABASE ? AS mirror").run(mirrorPath);
    const held = database.prepare("SELECT count(*) AS n FROM mirror.sqlite_schema WHERE name IN ('watched', 'deliveries')").get();
    if (isRow(held) && held["n"] !== 0) {
      inTransaction(database, () =>
        database.exec(`INSERT OR IGNORE INTO followed SELECT base, id, status FROM mirror.watched;
          INSERT OR IGNORE INTO deliveries (base, target, id, status, previous, direction, body, delivered_at)
            SELECT base, target, id, status, previous, 'unknown', body, delivered_at FROM mirror.deliveries ORDER BY rowid;`),
      );
      inTransaction(database, () => database.exec("DROP TABLE mirror.deliveries; DROP TABLE mirror.watched;"));
    }
    database.exec("DETACH DATABASE mirror");
  } catch (cause) {
    throw new CliError(
      "usage",
      `The callbacks that an earlier version left in ${mirrorPath} cannot be read (${cause instanceof Error ? cause.message : String(cause)}).`,
      {
        cause,
        hint: "repair that file, or move it away and deliver what was missed: payments-cli webhook replay ID… --to URL",
      },
    );
  }
};

const textIn = (row: unknown, name: string): string | undefined => {
  const value = isRow(row) ? row[name] : undefined;
  return typeof value === "string" ? value : undefined;
};

const toPending = (row: unknown): PendingDelivery => {
  const direction = textIn(row, "direction");
  return {
    seq: isRow(row) ? Number(row["seq"]) : 0,
    id: textIn(row, "id") ?? "",
    status: textIn(row, "status") ?? "",
    direction: direction === "in" || direction === "out" ? direction : "unknown",
    transaction: parseExact(textIn(row, "body") ?? "null"),
  };
};
