import { type Json, parseExact, stringifyExact } from "../kernel/exact-json.ts";
import type { Database } from "./sqlite.ts";

export type PendingDelivery = { readonly id: string; readonly status: string; readonly transaction: Json };

/** What `tx watch --forward-to` has to remember over a restart: the last status seen of each, and what was not delivered yet. */
export const createWatchStore = (database: Database, base: string, target: string) => {
  const inTransaction = (work: () => void): void => {
    database.exec("BEGIN IMMEDIATE");
    try {
      work();
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  };
  const setSeen = (id: string, status: string): void => {
    database.prepare("INSERT INTO watched VALUES (?, ?, ?) ON CONFLICT (base, id) DO UPDATE SET status = excluded.status").run(base, id, status);
  };
  return {
    /** Remembers a status that is no change yet. */
    see: (id: string, status: string): void => inTransaction(() => setSeen(id, status)),
    lastSeen: (id: string): string | undefined => {
      const row = database.prepare("SELECT status FROM watched WHERE base = ? AND id = ?").get(base, id);
      return typeof row === "object" && row !== null && "status" in row && typeof row.status === "string" ? row.status : undefined;
    },
    /** Everything that was being followed when the last run ended. */
    followed: (): readonly { readonly id: string; readonly status: string }[] =>
      database
        .prepare("SELECT id, status FROM watched WHERE base = ? ORDER BY id")
        .all(base)
        .flatMap((row) =>
          typeof row === "object" && row !== null && "id" in row && "status" in row && typeof row.id === "string" && typeof row.status === "string"
            ? [{ id: row.id, status: row.status }]
            : [],
        ),
    /** A change and the debt to deliver it are written as one, before anything is posted. */
    owe: (id: string, status: string, previous: string | null, transaction: Json): void =>
      inTransaction(() => {
        setSeen(id, status);
        database
          .prepare("INSERT INTO deliveries (base, target, id, status, previous, body) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
          .run(base, target, id, status, previous, stringifyExact(transaction));
      }),
    owed: (): readonly PendingDelivery[] =>
      database
        .prepare("SELECT id, status, body FROM deliveries WHERE base = ? AND target = ? AND delivered_at IS NULL ORDER BY rowid LIMIT 1000")
        .all(base, target)
        .flatMap((row) =>
          typeof row === "object" &&
          row !== null &&
          "id" in row &&
          "status" in row &&
          "body" in row &&
          typeof row.id === "string" &&
          typeof row.status === "string" &&
          typeof row.body === "string"
            ? [{ id: row.id, status: row.status, transaction: parseExact(row.body) }]
            : [],
        ),
    /** Delivered: its body is no longer needed. */
    paidOff: (id: string, status: string, at: string): void => {
      database
        .prepare("UPDATE deliveries SET delivered_at = ?, body = '{}' WHERE base = ? AND target = ? AND id = ? AND status = ?")
        .run(at, base, target, id, status);
    },
  };
};
export type WatchStore = ReturnType<typeof createWatchStore>;
