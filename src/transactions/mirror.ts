import { type Json, parseExact } from "../json/exact-json.ts";
import { type Database, inTransaction, isRow } from "../storage/sqlite.ts";
import { openMirrorFile, openMirrorFileToRead } from "./mirror-file.ts";
import { createSaver, type Saved, type Seen } from "./mirror-save.ts";
import { type Due, type MirrorFlow, type StoredRow, toShown, toStored } from "./mirror-schema.ts";
import { normalised, phoneQuery } from "./mirror-tokens.ts";
import { contradictsPaid, type Direction, directionOfFlow } from "./status.ts";
import { type Transaction, toTransaction } from "./transaction.ts";

export type Counts = { readonly total: number; readonly open: number };

export type KnownTransaction = { readonly transaction: Json; readonly direction: Direction /** ISO 8601 UTC. */; readonly firstSeenAt?: string | undefined };

/** What is looked for. `text`: reference, receipt, provider reference, id or the end of the phone. `phone`: its end, or all of it. */
export type MirrorQuery = { readonly text?: string | undefined; readonly phone?: string | undefined; readonly status?: string | undefined };
/** `firstSeenAt`: ISO 8601 UTC. */
type Found = { readonly transaction: Json; readonly firstSeenAt: string | undefined };

/** The local mirror of one merchant's transactions (`base`: see `mirrorKey`), made if absent. Throws CliError usage if the file cannot be used. */
export const openMirror = async (dataFolder: string, base: string): Promise<Mirror> => createMirror(await openMirrorFile(dataFolder), base);

/** The mirror as it is on disk, for reading; undefined if absent or unreadable. */
export const openMirrorToRead = async (dataFolder: string, base: string): Promise<Mirror | undefined> => {
  const database = await openMirrorFileToRead(dataFolder);
  return database === undefined ? undefined : createMirror(database, base);
};

const createMirror = (database: Database, base: string) => ({
  ...changesOf(database, base),
  ...countsOf(database, base),
  ...lookUpsOf(database, base),
  ...syncStateOf(database, base),
  dispose: (): void => database.close(),
});
export type Mirror = ReturnType<typeof createMirror>;

const changesOf = (database: Database, base: string) => {
  const saveOne = createSaver(database, base);
  return {
    /** Saves what was seen `at` this time (ISO 8601 UTC), all of it or nothing. */
    save: (seen: readonly Seen[], at: string): Saved =>
      inTransaction(database, () => {
        let added = 0;
        let changed = 0;
        for (const one of seen) {
          const what = saveOne(one, at);
          if (what === "added") added += 1;
          else if (what === "changed") changed += 1;
        }
        return { added, changed };
      }),
    /** Drops what the service no longer has. */
    forget: (flow: MirrorFlow, keep: ReadonlySet<string>): void =>
      inTransaction(database, () => {
        const gone = "base = ? AND flow = ? AND id NOT IN (SELECT value FROM json_each(?))";
        const values = [base, flow, JSON.stringify([...keep])];
        // Tokens are keyed by text: those of one row are few, but finding them is a scan, and this is rare.
        database.prepare(`DELETE FROM tokens WHERE base = ? AND seq IN (SELECT seq FROM transactions WHERE ${gone})`).run(base, ...values);
        database.prepare(`DELETE FROM transactions WHERE ${gone}`).run(...values);
      }),
  };
};

const countsOf = (database: Database, base: string) => {
  const numberOf = (sql: string, ...values: (string | number)[]): number => {
    const row = database.prepare(sql).get(base, ...values);
    return isRow(row) ? Number(row["n"]) : 0;
  };
  return {
    countOf: (flow: MirrorFlow): number => numberOf("SELECT count(*) AS n FROM transactions WHERE base = ? AND flow = ?", flow),
    counts: (): Counts => ({
      total: numberOf("SELECT count(*) AS n FROM transactions WHERE base = ?"),
      open: numberOf("SELECT count(*) AS n FROM transactions WHERE base = ? AND state = 'open'"),
    }),
    isEmpty: (): boolean => database.prepare("SELECT 1 FROM transactions WHERE base = ? LIMIT 1").get(base) === undefined,
    /** How many still want their details, or were open. */
    dueCount: (): number => numberOf("SELECT count(*) AS n FROM transactions WHERE base = ? AND (detailed = 0 OR state = 'open')"),
    /** The next of those, after `seq`. */
    due: (after: number, limit: number): readonly Due[] =>
      database
        .prepare("SELECT seq, id, flow FROM transactions WHERE base = ? AND (detailed = 0 OR state = 'open') AND seq > ? ORDER BY seq LIMIT ?")
        .all(base, after, limit)
        .flatMap((row) => toStored(row) ?? []),
  };
};

/** Digits end before ":", so this is every phone that ends with these digits; nothing for a text that is no phone. */
const phoneCondition = (text: string): readonly [string, ...string[]] => {
  const phone = phoneQuery(text);
  return phone === undefined ? ["0"] : ["phone_back >= ? AND phone_back < ?", phone, `${phone}:`];
};

const textCondition = (base: string, text: string): readonly [string, ...string[]] => {
  const [isPhone, ...phone] = phoneCondition(text);
  return [
    `seq IN (SELECT seq FROM tokens WHERE base = ? AND token = ? UNION SELECT seq FROM transactions WHERE base = ? AND ${isPhone})`,
    base,
    normalised(text),
    base,
    ...phone,
  ];
};

const lookUpsOf = (database: Database, base: string) => {
  const selectOne = database.prepare("SELECT * FROM transactions WHERE base = ? AND id = ?");
  const find = (id: string): StoredRow | undefined => toStored(selectOne.get(base, id));
  /** What `read` finds of each transaction that is known here. */
  const ofEach = <T>(ids: Iterable<string>, read: (row: StoredRow) => T | undefined): ReadonlyMap<string, T> => {
    const found = new Map<string, T>();
    for (const id of ids) {
      const row = find(id);
      const value = row === undefined ? undefined : read(row);
      if (value !== undefined) found.set(id, value);
    }
    return found;
  };
  return {
    /** The paid status that what the service says now contradicts: paid is not undone by a later failure. */
    standing: (id: string, said: string): string | undefined => {
      const status = find(id)?.status;
      return contradictsPaid(status, said) ? status : undefined;
    },
    /** When each of these transactions was first seen here, ISO 8601 UTC: it is not younger than that. Without those never seen. */
    firstSeen: (ids: Iterable<string>): ReadonlyMap<string, string> => ofEach(ids, ({ seenAt }) => seenAt),
    /** Details of a transaction that was final with this very status; undefined where they have to be fetched. */
    finalDetails: (id: string, status: string): Transaction | undefined => {
      const row = find(id);
      const isFinal = row?.detailed === true && row.state !== "open" && row.status === status && row.statusConflict === null;
      return isFinal ? toTransaction(parseExact(row.body)) : undefined;
    },
    /** What is known here of these transactions, for a list of the service that shows less. */
    known: (ids: Iterable<string>): ReadonlyMap<string, KnownTransaction> =>
      ofEach(ids, (row) => ({ transaction: toShown(row), direction: directionOfFlow[row.flow], firstSeenAt: row.seenAt })),
    /** Every transaction that `query` describes and `keeps`, newest first. */
    find: (query: MirrorQuery, keeps: (found: Found) => boolean = () => true): readonly Json[] => {
      const conditions: readonly (readonly [string, ...string[]])[] = [
        // The sign keeps SQLite from going through all of a merchant's rows by an index of `base`, where few have the text.
        [`${query.phone === undefined ? "+" : ""}base = ?`, base],
        ...(query.text === undefined ? [] : [textCondition(base, query.text)]),
        ...(query.phone === undefined ? [] : [phoneCondition(query.phone)]),
        ...(query.status === undefined ? [] : [["upper(status) = ?", query.status.toUpperCase()] as const]),
      ];
      const sql = `SELECT * FROM transactions WHERE ${conditions.map(([condition]) => condition).join(" AND ")} ORDER BY seq DESC`;
      const found: Json[] = [];
      for (const row of database.prepare(sql).iterate(...conditions.flatMap(([, ...values]) => values))) {
        const stored = toStored(row);
        if (stored === undefined) continue;
        const transaction = toShown(stored);
        if (keeps({ transaction, firstSeenAt: stored.seenAt })) found.push(transaction);
      }
      return found;
    },
  };
};

/** When `tx sync` was last complete. */
const syncStateOf = (database: Database, base: string) => ({
  syncedAt: (): string | undefined => {
    const row = database.prepare("SELECT synced_at FROM syncs WHERE base = ?").get(base);
    return isRow(row) && typeof row["synced_at"] === "string" ? row["synced_at"] : undefined;
  },
  setSynced: (at: string): void => void database.prepare("INSERT OR REPLACE INTO syncs (base, synced_at) VALUES (?, ?)").run(base, at),
});
