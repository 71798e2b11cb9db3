import { CliError } from "../../errors.ts";
import { type Database, inTransaction, type SqlValue, type Statement } from "../../storage/sqlite.ts";
import type { Core, CoreDraft, KindName } from "../engine/entities.ts";
import type { Tables } from "../engine/tables.ts";
import { columnOf, schema, type Table, tablesByKind } from "./schema.ts";

/** How the data is laid out. Another layout is another program's. */
const layout = 3;

/** SQLite gave up the whole transaction (a full disk): none of it stands, whatever it was part of. */
export class TransactionLost extends Error {
  override readonly name = "TransactionLost";
}

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
  const records = createRecords(statement, write);
  const state = createCore(statement, write);
  return {
    ...records,
    load: state.load,
    save: state.save,
    core: state.core,
    setCore: (next) => {
      written = true;
      state.setCore(next);
    },
    draftCore: () => {
      written = true;
      return state.draftCore();
    },
    attempt: (work) => {
      const before = state.core();
      state.endStep();
      statement("SAVEPOINT step").run();
      try {
        const value = work();
        statement("RELEASE step").run();
        return value;
      } catch (error) {
        state.setCore(before);
        undo(statement);
        throw error;
      } finally {
        state.endStep();
      }
    },
    wrote: () => {
      const did = written;
      written = false;
      return did;
    },
    clear: () => {
      for (const { name } of Object.values(tablesByKind)) write(`DELETE FROM ${name}`);
      write("DELETE FROM merchant");
      state.clear();
    },
  };
};

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

/** The merchant's one row: read when a transaction begins, changed in memory, written at its end. */
const createCore = (statement: Statements, write: Write) => {
  let stored: Core | undefined;
  let core: Core | undefined;
  /** The core of this step, once it was changed. */
  let draft: CoreDraft | undefined;
  return {
    load: (): void => {
      const row = statement("SELECT state FROM merchant").get();
      stored = isRow(row) ? parsed<Core>(row["state"]) : undefined;
      core = stored;
      draft = undefined;
    },
    save: (): void => {
      if (core !== stored && core !== undefined)
        write("INSERT INTO merchant VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state", JSON.stringify(core));
    },
    core: (): Core | undefined => core,
    setCore: (next: Core | undefined): void => {
      core = next;
    },
    draftCore: (): CoreDraft => {
      if (core === undefined) throw new Error("There is no core to change.");
      if (draft === undefined) {
        draft = { ...core, wallets: { ...core.wallets } };
        core = draft;
      }
      return draft;
    },
    endStep: (): void => {
      draft = undefined;
    },
    clear: (): void => {
      stored = undefined;
      core = undefined;
      draft = undefined;
    },
  };
};

type Records = Pick<Tables, "get" | "put" | "remove" | "page" | "count" | "due" | "nextDueMs" | "removeStoredAnswers" | "trimRequests">;
const createRecords = (statement: Statements, write: Write): Records => {
  const sqlOf = remember((kind: KindName) => createSql(tablesByKind[kind]));
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
    database.exec(`${schema} PRAGMA user_version = ${layout};`);
  });
};

const otherLayout = (): CliError =>
  new CliError("usage", "The sandbox's data was kept by another version of this program, and cannot be read.", {
    hint: "delete sandbox.db in its folder to begin anew, or name another folder with --data",
  });

const undo = (statement: (sql: string) => Statement): void => {
  try {
    statement("ROLLBACK TO step").run();
    statement("RELEASE step").run();
  } catch (cause) {
    throw new TransactionLost("SQLite gave up the transaction.", { cause });
  }
};

type Field = { readonly name: string; readonly column: string; readonly isJson: boolean };
/** One kind's statements. Newest first is by the order of arrival, which a record that is replaced keeps. */
type Sql = { readonly fields: readonly Field[] } & Readonly<
  Record<"get" | "put" | "remove" | "page" | "pageOfGroup" | "count" | "countOfGroup" | "due" | "nextDue", string>
>;

const createSql = ({ name, columns }: Table<object>): Sql => {
  const definitions: readonly (readonly [string, string])[] = Object.entries(columns);
  const fields = definitions.map(([field, definition]) => ({ name: field, column: columnOf(definition), isJson: definition.includes(" JSON ") }));
  const list = fields.map(({ column }) => column).join(", ");
  const group = fields.find((field) => field.name === "group")?.column;
  return {
    fields,
    get: `SELECT ${list} FROM ${name} WHERE id = ?`,
    put: `INSERT INTO ${name} (${list}) VALUES (${fields.map(() => "?").join(", ")})
      ON CONFLICT (id) DO UPDATE SET ${fields.map(({ column }) => `${column} = excluded.${column}`).join(", ")}`,
    remove: `DELETE FROM ${name} WHERE id = ?`,
    page: `SELECT ${list} FROM ${name} ORDER BY seq DESC LIMIT ? OFFSET ?`,
    pageOfGroup: `SELECT ${list} FROM ${name} WHERE ${group} = ? ORDER BY seq DESC LIMIT ? OFFSET ?`,
    count: `SELECT count(*) AS n FROM ${name}`,
    countOfGroup: `SELECT count(*) AS n FROM ${name} WHERE ${group} = ?`,
    due: `SELECT ${list} FROM ${name} WHERE due_ms <= ? ORDER BY due_ms, seq LIMIT ?`,
    nextDue: `SELECT min(due_ms) AS n FROM ${name} WHERE due_ms IS NOT NULL`,
  };
};

type Row = Readonly<Record<string, unknown>>;
const isRow = (row: unknown): row is Row => typeof row === "object" && row !== null;
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
