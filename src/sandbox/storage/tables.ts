import { CliError } from "../../errors.ts";
import { type Database, inSavepoint, inTransaction, isRow, type Row, type SqlValue, type Statement } from "../../storage/sqlite.ts";
import { type Columns, type Core, type CoreDraft, type KindName, kinds } from "../engine/entities.ts";
import type { Tables } from "../engine/tables.ts";

/** How the data is laid out. Another layout is another program's. */
const layout = 3;

/** The tables inside a transaction, which the commit queue begins and ends. */
export type StoredTables = Tables & {
  /** Reads the merchant's state; called first in each transaction, as another process may have changed it. */
  load(): void;
  /** Writes it if it was changed; called last. */
  save(): void;
  /** Runs `work`; if it throws, nothing of it stays, and the error passes through. Throws TransactionLost if nothing at all stays. */
  attempt<T>(work: () => T): T;
  /** Was anything written since this was asked last? */
  wrote(): boolean;
};

/** The sandbox's state in one SQLite file, or in memory. Throws CliError usage for data that another version stored. */
export const createTables = (database: Database): StoredTables => {
  prepareFile(database);
  const statement = remember((sql: string) => database.prepare(sql));
  let written = false;
  const write = (sql: string, ...values: SqlValue[]): void => {
    written = true;
    statement(sql).run(...values);
  };
  /** The merchant's one row: read when a transaction begins, changed in memory, written at its end. */
  let core: CoreDraft | undefined;
  let stored: string | undefined;
  return {
    ...createRecords(statement, write),
    load: () => {
      const row = statement("SELECT state FROM merchant").get();
      stored = isRow(row) ? String(row["state"]) : undefined;
      core = stored === undefined ? undefined : parsed<Core>(stored);
    },
    save: () => {
      const state = core === undefined ? undefined : JSON.stringify(core);
      if (state !== undefined && state !== stored) write("INSERT INTO merchant VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state", state);
    },
    core: () => core,
    setCore: (next) => {
      written = true;
      core = copyOf(next);
    },
    draftCore: () => {
      written = true;
      if (core === undefined) throw new Error("There is no core to change.");
      return core;
    },
    attempt: (work) => {
      const before = core;
      // What was the core before this step stays as it is.
      core = core === undefined ? undefined : copyOf(core);
      try {
        return inSavepoint(database, work);
      } catch (error) {
        core = before;
        throw error;
      }
    },
    wrote: () => {
      const did = written;
      written = false;
      return did;
    },
    clear: () => {
      for (const table of ["merchant", ...Object.values(kinds).map((kind) => kind.table)]) write(`DELETE FROM ${table}`);
      core = undefined;
      stored = undefined;
    },
  };
};

const copyOf = (core: Core): CoreDraft => ({ ...core, wallets: { ...core.wallets } });

type Statements = (sql: string) => Statement;
type Write = (sql: string, ...values: SqlValue[]) => void;

/** `make`, but once for each key. */
const remember = <Key, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
};

type Records = Pick<Tables, "get" | "put" | "remove" | "page" | "count" | "due" | "nextDueMs" | "removeStoredAnswers" | "trimRequests">;
const createRecords = (statement: Statements, write: Write): Records => {
  const sqlOf = remember((kind: KindName) => createSql(kinds[kind]));
  return {
    get: (kind, id) => {
      const { fields, get } = sqlOf(kind);
      const row = statement(get).get(id);
      return isRow(row) ? toRecord(fields, row) : undefined;
    },
    put: (kind, record) => {
      const { fields, put } = sqlOf(kind);
      write(put, ...fields.map(({ name, isJson }) => toSql(Reflect.get(record, name), isJson)));
    },
    remove: (kind, id) => write(sqlOf(kind).remove, id),
    page: (kind, { group, offset = 0, limit }) => {
      const { fields, page, pageOfGroup } = sqlOf(kind);
      return recordsOf(fields, group === undefined ? statement(page).all(limit, offset) : statement(pageOfGroup).all(group, limit, offset));
    },
    count: (kind, group) => {
      const { count, countOfGroup } = sqlOf(kind);
      return numberIn(group === undefined ? statement(count).get() : statement(countOfGroup).get(group)) ?? 0;
    },
    due: (kind, atMs, limit) => {
      const { fields, due } = sqlOf(kind);
      return recordsOf(fields, statement(due).all(atMs, limit));
    },
    nextDueMs: (kind) => numberIn(statement(sqlOf(kind).nextDue).get()),
    removeStoredAnswers: (atMs) => write("DELETE FROM stored_answers WHERE due_ms <= ?", atMs),
    trimRequests: (keep) => write("DELETE FROM requests WHERE seq <= (SELECT max(seq) FROM requests) - ?", keep),
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
    hint: "delete sandbox.db in its folder to begin anew, or name another folder with --data",
  });

type Kind = { readonly table: string; readonly group?: string; readonly columns: Columns };
type Field = { readonly name: string; readonly column: string; readonly sql: string; readonly isJson: boolean };
const fieldsOf = ({ group, columns }: Kind): readonly Field[] =>
  Object.entries(columns).map(([name, { sql }]) => {
    const column = name === "group" && group !== undefined ? group : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { name, column, sql, isJson: sql.startsWith("JSON ") };
  });

/** `seq` is the order of arrival. */
const createTableSql = (kind: Kind): string => {
  const { table, group, columns } = kind;
  return `CREATE TABLE ${table} (seq INTEGER PRIMARY KEY, ${fieldsOf(kind)
    .map(({ column, sql }) => `${column} ${sql}`)
    .join(", ")});
    ${group === undefined ? "" : `CREATE INDEX ${table}_by_${group} ON ${table} (${group});`}
    ${columns["dueMs"] === undefined ? "" : `CREATE INDEX ${table}_due ON ${table} (due_ms) WHERE due_ms IS NOT NULL;`}`;
};

/** One kind's statements. Newest first is by the order of arrival, which a record that is replaced keeps. */
const createSql = (kind: Kind) => {
  const { table, group } = kind;
  const fields = fieldsOf(kind);
  const list = fields.map(({ column }) => column).join(", ");
  return {
    fields,
    get: `SELECT ${list} FROM ${table} WHERE id = ?`,
    put: `INSERT INTO ${table} (${list}) VALUES (${fields.map(() => "?").join(", ")})
      ON CONFLICT (id) DO UPDATE SET ${fields.map(({ column }) => `${column} = excluded.${column}`).join(", ")}`,
    remove: `DELETE FROM ${table} WHERE id = ?`,
    page: `SELECT ${list} FROM ${table} ORDER BY seq DESC LIMIT ? OFFSET ?`,
    pageOfGroup: `SELECT ${list} FROM ${table} WHERE ${group} = ? ORDER BY seq DESC LIMIT ? OFFSET ?`,
    count: `SELECT count(*) AS n FROM ${table}`,
    countOfGroup: `SELECT count(*) AS n FROM ${table} WHERE ${group} = ?`,
    due: `SELECT ${list} FROM ${table} WHERE due_ms <= ? ORDER BY due_ms, seq LIMIT ?`,
    nextDue: `SELECT min(due_ms) AS n FROM ${table} WHERE due_ms IS NOT NULL`,
  };
};

const numberIn = (row: unknown): number | undefined => (isRow(row) && typeof row["n"] === "number" ? row["n"] : undefined);
/** What this program wrote, read back. */
const parsed = <Value>(text: unknown): Value => JSON.parse(String(text));

const toSql = (value: unknown, isJson: boolean): SqlValue => {
  if (value === undefined) return null;
  if (isJson) return JSON.stringify(value);
  if (typeof value === "string" || typeof value === "number") return value;
  throw new Error(`A ${typeof value} has no column.`);
};
/** Fields that are absent have no value in their column. */
const toRecord = <Kind>(fields: readonly Field[], row: Row): Kind => {
  const record: Record<string, unknown> = {};
  for (const { name, column, isJson } of fields) {
    const value = row[column];
    if (value !== null && value !== undefined) record[name] = isJson ? parsed(value) : value;
  }
  return record as Kind;
};
const recordsOf = <Kind>(fields: readonly Field[], rows: readonly unknown[]): readonly Kind[] => rows.filter(isRow).map((row) => toRecord<Kind>(fields, row));
