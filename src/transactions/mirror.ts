import { join } from "node:path";
import { CliError } from "../errors.ts";
import { fieldOf, isObject, type Json, parseExact, stringifyExact, textOf } from "../json/exact-json.ts";
import { type Database, databaseFault, isBusy, isDamaged, openDatabase, openForReading } from "../storage/sqlite.ts";
import { mirrorFileName, mirrorSchema } from "./mirror-schema.ts";
import { normalised, phoneBackwards, phoneQuery, tokensOf } from "./mirror-tokens.ts";
import { classifyStatus, contradictsPaid, type Direction, isReversed } from "./status.ts";

export type MirrorFlow = "standard" | "b2c";
export type Seen = { readonly flow: MirrorFlow; readonly transaction: Json /** From GET transactions/:id, not from a list. */; readonly detailed: boolean };
export type Saved = { readonly added: number; readonly changed: number };
export type Counts = { readonly total: number; readonly open: number };
export type Due = { readonly id: string; readonly flow: MirrorFlow; readonly seq: number };
/** How far the listing of each flow got in a run that did not end. */
export type Listed = Readonly<Partial<Record<MirrorFlow, number>>>;

const findMax = 500;

export const directionOf = (flow: MirrorFlow): Direction => (flow === "b2c" ? "out" : "in");

const brokenMirror = (path: string, cause: unknown): CliError => {
  if (cause instanceof CliError) return cause;
  const { reason, hint } = databaseFault(path, cause, "move that file away and run payments-cli tx sync, which fetches the transactions again");
  return new CliError("usage", `The mirror ${path} cannot be used: ${reason}.`, { cause, hint });
};

/** The local mirror of one merchant's transactions (`base`: see `mirrorKey`), made if absent. Throws CliError usage if the file cannot be used. */
export const openMirror = async (dataFolder: string, base: string): Promise<Mirror> => {
  const path = join(dataFolder, mirrorFileName);
  try {
    return createMirror(await openWritable(path), base, path);
  } catch (error) {
    // On a read-only disk it can still be searched.
    const readable = error instanceof CliError || isBusy(error) || isDamaged(error) ? undefined : await openForReading(path).catch(() => undefined);
    if (readable !== undefined) return createMirror(readable, base, path);
    throw brokenMirror(path, error);
  }
};

/** The mirror as it is on disk, for reading; undefined if absent or unreadable. */
export const openMirrorToRead = async (dataFolder: string, base: string): Promise<Mirror | undefined> => {
  const path = join(dataFolder, mirrorFileName);
  try {
    const readable = await openForReading(path);
    if (hasFirstSeen(readable)) return createMirror(readable, base, path);
    readable.close();
    return await openMirror(dataFolder, base);
  } catch {
    return undefined;
  }
};

const openWritable = async (path: string): Promise<Database> => {
  const database = await openDatabase(path);
  try {
    database.exec(mirrorSchema);
    if (!hasFirstSeen(database)) addFirstSeen(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const hasFirstSeen = (database: Database): boolean =>
  database.prepare("SELECT 1 FROM pragma_table_info('transactions') WHERE name = 'seen_at'").get() !== undefined;

/** For a mirror made before the column existed. Its rows were seen by now, which is all that can be said of them. */
const addFirstSeen = (database: Database): void => {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have added it since.
    if (!hasFirstSeen(database)) {
      database.exec("ALTER TABLE transactions ADD COLUMN seen_at TEXT");
      database.exec("UPDATE transactions SET seen_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')");
    }
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
};

type StoredRow = {
  readonly seq: number;
  readonly status: string;
  readonly state: string;
  readonly detailed: number;
  readonly body: string;
  readonly status_conflict: string | null;
};
const isStored = (value: unknown): value is StoredRow => typeof value === "object" && value !== null && "seq" in value && "body" in value;

/** What becomes of a status that was seen before: paid stays unless reversed, reversed stays (rules.md, Living with what is not shown). */
export const mergeStatus = (before: string, after: string): { readonly status: string; readonly conflict: string | undefined } => {
  if (before.toUpperCase() === after.toUpperCase() || isReversed(after)) return { status: after, conflict: undefined };
  if (isReversed(before)) return { status: before, conflict: after };
  return contradictsPaid(before, after) ? { status: before, conflict: after } : { status: after, conflict: undefined };
};

const withStatus = (transaction: Json, status: string): Json =>
  isObject(transaction) && textOf(transaction["status"]) !== status ? { ...transaction, status } : transaction;

const createMirror = (database: Database, base: string, path: string) => {
  const selectOne = database.prepare("SELECT seq, status, state, detailed, body, status_conflict FROM transactions WHERE base = ? AND id = ?");
  const insert = database.prepare(
    "INSERT INTO transactions (base, id, flow, status, state, detailed, body, phone_back, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
  );
  const update = database.prepare(
    "UPDATE transactions SET flow = ?, status = ?, state = ?, detailed = ?, body = ?, phone_back = ?, status_conflict = ? WHERE seq = ?",
  );
  const insertToken = database.prepare("INSERT OR IGNORE INTO tokens VALUES (?, ?, ?)");
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw brokenMirror(path, error);
    }
  };
  const inTransaction = <T>(work: () => T): T =>
    guarded(() => {
      database.exec("BEGIN IMMEDIATE");
      try {
        const value = work();
        database.exec("COMMIT");
        return value;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    });

  const saveOne = ({ flow, transaction, detailed }: Seen, at: string): "added" | "changed" | "same" => {
    const id = textOf(fieldOf(transaction, "id"));
    const said = textOf(fieldOf(transaction, "status")) ?? "";
    if (id === undefined) return "same";
    const direction = directionOf(flow);
    const stored = selectOne.get(base, id);
    if (!isStored(stored)) {
      const body = stringifyExact(transaction);
      const row = insert.get(base, id, flow, said, classifyStatus(said, direction), detailed ? 1 : 0, body, phoneBackwards(transaction) ?? null, at);
      addTokens(transaction, isObjectWithSeq(row) ? row.seq : 0);
      return "added";
    }
    const { status, conflict } = mergeStatus(stored.status, said);
    const before = parseExact(stored.body);
    // A list shows less than what is already known of a transaction: it only tells of a change, which is then fetched.
    const statusChanged = status !== stored.status;
    const kept = detailed ? transaction : isObject(before) && isObject(transaction) ? { ...before, ...transaction } : transaction;
    const body = stringifyExact(withStatus(kept, status));
    const conflictKept = conflict ?? (statusChanged || detailed ? null : stored.status_conflict);
    const changed = body !== stored.body || (conflictKept ?? null) !== stored.status_conflict;
    const isDetailed = detailed || (stored.detailed === 1 && !changed);
    if (!changed && isDetailed === (stored.detailed === 1)) return "same";
    update.run(flow, status, classifyStatus(status, direction), isDetailed ? 1 : 0, body, phoneBackwards(kept) ?? null, conflictKept ?? null, stored.seq);
    addTokens(kept, stored.seq);
    // The first details of what a list brought are no change of the payment.
    return statusChanged || (changed && stored.detailed === 1) || (conflictKept ?? null) !== stored.status_conflict ? "changed" : "same";
  };
  const addTokens = (transaction: Json, seq: number): void => {
    for (const token of tokensOf(transaction)) insertToken.run(base, token, seq);
  };

  const numberOf = (sql: string, ...values: (string | number)[]): number =>
    guarded(() => {
      const row = database.prepare(sql).get(base, ...values);
      return typeof row === "object" && row !== null && "n" in row ? Number(row.n) : 0;
    });

  return {
    /** Saves what was seen `at` this time (ISO 8601 UTC), all of it or nothing. */
    save: (seen: readonly Seen[], at: string): Saved =>
      inTransaction(() => {
        let added = 0;
        let changed = 0;
        for (const one of seen) {
          const what = saveOne(one, at);
          if (what === "added") added += 1;
          else if (what === "changed") changed += 1;
        }
        return { added, changed };
      }),
    countOf: (flow: MirrorFlow): number => numberOf("SELECT count(*) AS n FROM transactions WHERE base = ? AND flow = ?", flow),
    counts: (): Counts => ({
      total: numberOf("SELECT count(*) AS n FROM transactions WHERE base = ?"),
      open: numberOf("SELECT count(*) AS n FROM transactions WHERE base = ? AND state = 'open'"),
    }),
    isEmpty: (): boolean => guarded(() => database.prepare("SELECT 1 FROM transactions WHERE base = ? LIMIT 1").get(base) === undefined),
    /** How many still want their details, or were open. */
    dueCount: (): number => numberOf("SELECT count(*) AS n FROM transactions WHERE base = ? AND (detailed = 0 OR state = 'open')"),
    /** The next of those, after `seq`. */
    due: (after: number, limit: number): readonly Due[] =>
      guarded(() =>
        database
          .prepare("SELECT seq, id, flow FROM transactions WHERE base = ? AND (detailed = 0 OR state = 'open') AND seq > ? ORDER BY seq LIMIT ?")
          .all(base, after, limit)
          .flatMap((row) => (isDue(row) ? [row] : [])),
      ),
    /** Drops what the service no longer has. */
    forget: (flow: MirrorFlow, keep: ReadonlySet<string>): number =>
      inTransaction(() => {
        const gone = database
          .prepare("SELECT seq, id, flow FROM transactions WHERE base = ? AND flow = ?")
          .all(base, flow)
          .flatMap((row) => (isDue(row) && !keep.has(row.id) ? [row.seq] : []));
        const dropTokens = database.prepare("DELETE FROM tokens WHERE base = ? AND seq = ?");
        const drop = database.prepare("DELETE FROM transactions WHERE seq = ?");
        for (const seq of gone) {
          // Tokens are keyed by text: those of one row are few, but finding them is a scan, and this is rare.
          dropTokens.run(base, seq);
          drop.run(seq);
        }
        return gone.length;
      }),
    /** The status that stands where what the service says now contradicts it: paid is not undone by a later failure. */
    standing: (id: string, said: string): string | undefined =>
      guarded(() => {
        const row = selectOne.get(base, id);
        return isStored(row) && mergeStatus(row.status, said).conflict !== undefined ? row.status : undefined;
      }),
    /** When each of these transactions was first seen here, ISO 8601 UTC: it is not younger than that. Without those never seen. */
    firstSeen: (ids: Iterable<string>): ReadonlyMap<string, string> =>
      guarded(() => {
        const select = database.prepare("SELECT seen_at FROM transactions WHERE base = ? AND id = ?");
        const times = new Map<string, string>();
        for (const id of ids) {
          const row = select.get(base, id);
          if (typeof row === "object" && row !== null && "seen_at" in row && typeof row.seen_at === "string") times.set(id, row.seen_at);
        }
        return times;
      }),
    /** Details of a transaction that was final with this very status; undefined where they have to be fetched. */
    finalDetails: (id: string, status: string): Json | undefined =>
      guarded(() => {
        const row = selectOne.get(base, id);
        if (!isStored(row) || row.detailed !== 1 || row.state === "open" || row.status !== status || row.status_conflict !== null) return undefined;
        return parseExact(row.body);
      }),
    /** The same payment by reference, receipt, provider reference, id or the end of its phone; newest first, at most 500. */
    find: (text: string): readonly Json[] =>
      guarded(() => {
        const token = normalised(text);
        const phone = phoneQuery(text);
        const sql = `SELECT seq, status, state, detailed, body, status_conflict FROM transactions WHERE seq IN (
          SELECT seq FROM tokens WHERE base = ?1 AND token = ?2
          UNION SELECT seq FROM transactions WHERE base = ?1 AND phone_back >= ?3 AND phone_back < ?4 AND phone_back IS NOT NULL
        ) ORDER BY seq DESC LIMIT ${findMax}`;
        // Digits end before ":", so this is every phone that begins with those digits.
        const rows = token === "" ? [] : database.prepare(sql).all(base, token, phone ?? "~", phone === undefined ? "~" : `${phone}:`);
        return rows.flatMap((row) => (isStored(row) ? [shown(row)] : []));
      }),
    syncedAt: (): string | undefined => guarded(() => syncOf(database, base).syncedAt),
    listed: (): Listed => guarded(() => syncOf(database, base).listed),
    setListed: (listed: Listed): void =>
      guarded(() => {
        database
          .prepare("INSERT INTO syncs (base, listed) VALUES (?, ?) ON CONFLICT (base) DO UPDATE SET listed = excluded.listed")
          .run(base, JSON.stringify(listed));
      }),
    setSynced: (at: string): void =>
      guarded(() => {
        database
          .prepare("INSERT INTO syncs (base, synced_at) VALUES (?, ?) ON CONFLICT (base) DO UPDATE SET synced_at = excluded.synced_at, listed = '{}'")
          .run(base, at);
      }),
    dispose: (): void => database.close(),
  };
};
export type Mirror = ReturnType<typeof createMirror>;

const isObjectWithSeq = (row: unknown): row is { readonly seq: number } =>
  typeof row === "object" && row !== null && "seq" in row && typeof row.seq === "number";
const isDue = (row: unknown): row is Due =>
  isObjectWithSeq(row) && "id" in row && typeof row.id === "string" && "flow" in row && (row.flow === "b2c" || row.flow === "standard");

const shown = (row: StoredRow): Json => {
  const body = parseExact(row.body);
  return row.status_conflict === null || !isObject(body) ? body : { ...body, status_conflict: row.status_conflict };
};

const syncOf = (database: Database, base: string): { readonly syncedAt: string | undefined; readonly listed: Listed } => {
  const row = database.prepare("SELECT synced_at, listed FROM syncs WHERE base = ?").get(base);
  if (typeof row !== "object" || row === null) return { syncedAt: undefined, listed: {} };
  const listed: Listed = "listed" in row && typeof row.listed === "string" ? JSON.parse(row.listed) : {};
  return { syncedAt: "synced_at" in row && typeof row.synced_at === "string" ? row.synced_at : undefined, listed };
};
