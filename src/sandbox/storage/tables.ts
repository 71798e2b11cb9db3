import { CliError } from "../../errors.ts";
import { toColumn } from "../../storage/columns.ts";
import { type Database, inTransaction, isRow, type SqlValue } from "../../storage/sqlite.ts";
import { type Core, type DueKind, emptyCore, type KindName, type Kinds, kinds, type WalletName } from "../engine/entities.ts";

/** How the data is laid out. Another layout is another program's. */
const layout = 5;

/** Fields and what they have to be: one value, or one of several. */
export type Where<K extends KindName> = { readonly [Field in keyof Kinds[K]]?: Kinds[K][Field] | readonly Kinds[K][Field][] };
type Page<K extends KindName> = { readonly where?: Where<K>; readonly offset?: number; readonly limit: number };

/**
 * The sandbox's state in one SQLite file, or in memory. All of it is synchronous: one step is never interleaved with another. The commit
 * queue begins and ends the transactions. Throws CliError usage for data that another version stored.
 */
export const createTables = (database: Database) => {
  prepareFile(database);
  let written = false;
  const write = (sql: string, ...values: SqlValue[]): void => {
    written = true;
    database.prepare(sql).run(...values);
  };
  const core: Core = { ...emptyCore };
  let stored: string | undefined;
  /** Does `core` say something else than `stored`? */
  let changed = true;
  return {
    ...createRecords(database, write),
    /** The merchant's state: the same object always, changed by `change` alone. */
    core,
    change: (part: Partial<Core>): void => {
      written = true;
      changed = true;
      Object.assign(core, part);
    },
    /** Reads the merchant's state; called first in each transaction, as another process may have changed it. */
    load: (): void => {
      written = false;
      const row = database.prepare("SELECT state FROM merchant").get();
      const state = isRow(row) ? String(row["state"]) : undefined;
      if (!changed && state === stored) return;
      stored = state;
      changed = false;
      Object.assign(core, stored === undefined ? emptyCore : JSON.parse(stored));
    },
    /** Writes it if it was changed; called last. */
    save: (): void => {
      if (!changed) return;
      const state = JSON.stringify(core);
      if (state !== stored) write("INSERT INTO merchant VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state", state);
    },
    /** Was anything written since this was asked last? */
    wrote: (): boolean => {
      const did = written;
      written = false;
      return did;
    },
  };
};
export type StoredTables = ReturnType<typeof createTables>;
/** The tables inside a transaction. */
export type Tables = Omit<StoredTables, "load" | "save" | "wrote">;

type Write = (sql: string, ...values: SqlValue[]) => void;

const createRecords = (database: Database, write: Write) => {
  const select = <K extends KindName>(kind: K, rest: string, ...values: readonly SqlValue[]): readonly Kinds[K][] => {
    const rows = database.prepare(`${statements[kind].select} ${rest}`).all(...values);
    return rows.filter(isRow).map((row) => kinds[kind].columns.fromRow(row) as Kinds[K]);
  };
  /** One value is sought by its index. Several are not: they would have to be put in order then. */
  const toWhere = (where: object = {}): { readonly sql: string; readonly values: readonly SqlValue[] } => {
    const wanted = Object.entries(where).map(([member, value]) => ({ column: toColumn(member), value }));
    const sql = wanted.map(({ column, value }) => (Array.isArray(value) ? `+${column} IN (${value.map(() => "?").join(", ")})` : `${column} = ?`));
    return { sql: sql.length === 0 ? "" : `WHERE ${sql.join(" AND ")}`, values: wanted.flatMap(({ value }) => value) };
  };
  return {
    get: <K extends KindName>(kind: K, id: string): Kinds[K] | undefined => {
      const row = database.prepare(statements[kind].get).get(id);
      return isRow(row) ? (kinds[kind].columns.fromRow(row) as Kinds[K]) : undefined;
    },
    /** Inserts, or replaces the one with the same id, which keeps its place. */
    put: <K extends KindName>(kind: K, record: Kinds[K]): void => write(statements[kind].put, ...Object.values(kinds[kind].columns.toRow(record))),
    remove: (kind: "hold", id: string): void => write(`DELETE FROM ${kinds[kind].table} WHERE id = ?`, id),
    /** Newest first. */
    page: <K extends KindName>(kind: K, { where, offset = 0, limit }: Page<K>): readonly Kinds[K][] => {
      const { sql, values } = toWhere(where);
      return select(kind, `${sql} ORDER BY seq DESC LIMIT ? OFFSET ?`, ...values, limit, offset);
    },
    count: <K extends KindName>(kind: K, where?: Where<K>): number => {
      const { sql, values } = toWhere(where);
      return numberIn(database.prepare(`SELECT count(*) AS n FROM ${kinds[kind].table} ${sql}`).get(...values)) ?? 0;
    },
    /** The balance after the newest entry of a wallet's ledger; undefined for an empty ledger. Reads that one column, as every posting needs it. */
    lastBalance: (wallet: WalletName): number | undefined =>
      numberIn(database.prepare("SELECT balance_after AS n FROM ledger_entries WHERE wallet = ? ORDER BY seq DESC LIMIT 1").get(wallet)),
    /** What is due by `atMs`, earliest first. */
    due: <K extends DueKind>(kind: K, atMs: number, limit: number): readonly Kinds[K][] =>
      select(kind, "WHERE due_ms <= ? ORDER BY due_ms, seq LIMIT ?", atMs, limit),
    /** Whether a payment is due by `atMs`, or a stored answer has expired. */
    isDue: (atMs: number): boolean => database.prepare(isDueSql).get(atMs, atMs) !== undefined,
    /** Removes the answers that may go by `atMs`. */
    removeStoredAnswers: (atMs: number): void => write("DELETE FROM stored_answers WHERE due_ms <= ?", atMs),
    /** Keeps the newest `keep` alone. */
    trimRequests: (keep: number): void => write("DELETE FROM requests WHERE seq <= (SELECT max(seq) FROM requests) - ?", keep),
    clear: (): void => {
      for (const { table } of Object.values(kinds)) write(`DELETE FROM ${table}`);
    },
  };
};

const prepareFile = (database: Database): void => {
  const isPrepared = (): boolean => numberIn(database.prepare("SELECT user_version AS n FROM pragma_user_version").get()) === layout;
  if (isPrepared()) return;
  inTransaction(database, () => {
    // Another process may have been quicker.
    if (isPrepared()) return;
    if (database.prepare("SELECT 1 FROM sqlite_schema").get() !== undefined) throw otherLayout();
    // `merchant` has one row: balances, settings and counters, as JSON.
    database.exec(`CREATE TABLE merchant (id INTEGER PRIMARY KEY CHECK (id = 1), state JSON TEXT NOT NULL);
      ${Object.values(kinds).map(createTableSql).join("\n")}
      PRAGMA user_version = ${layout};`);
  });
};

const otherLayout = (): CliError =>
  new CliError("usage", "The sandbox's data was kept by another version of this program, and cannot be read.", {
    hint: "Delete sandbox.db in its folder to begin anew, or name another folder with --data",
  });

const isDueSql = "SELECT 1 FROM transactions WHERE due_ms <= ? UNION ALL SELECT 1 FROM stored_answers WHERE due_ms <= ? LIMIT 1";
const statementsOf = ({ table, columns: { names } }: (typeof kinds)[KindName]) => {
  const select = `SELECT ${names.join(", ")} FROM ${table}`;
  return {
    select,
    get: `${select} WHERE id = ?`,
    put: `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
      ON CONFLICT (id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(", ")}`,
  };
};
const statements = Object.fromEntries(Object.entries(kinds).map(([kind, one]) => [kind, statementsOf(one)])) as Record<
  KindName,
  ReturnType<typeof statementsOf>
>;

/** `seq` is the order of arrival, which a record that is replaced keeps. */
const createTableSql = ({ table, listedBy, columns }: (typeof kinds)[KindName]): string =>
  `CREATE TABLE ${table} (seq INTEGER PRIMARY KEY, ${columns.sql}, UNIQUE (id));
    ${listedBy === undefined ? "" : `CREATE INDEX ${table}_by_${listedBy} ON ${table} (${listedBy});`}
    ${columns.names.includes("due_ms") ? `CREATE INDEX ${table}_due ON ${table} (due_ms) WHERE due_ms IS NOT NULL;` : ""}`;

const numberIn = (row: unknown): number | undefined => (isRow(row) && typeof row["n"] === "number" ? row["n"] : undefined);
