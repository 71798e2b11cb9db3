import { chmodSync, closeSync, lstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { CliError, errorCode } from "../errors.ts";
import { type FileFault, fileFault } from "./file-fault.ts";
import { makeFolder } from "./make-folder.ts";

export type SqlValue = null | number | bigint | string | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;
export const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null;
export type Statement = {
  run(...values: SqlValue[]): { readonly changes: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  iterate(...values: SqlValue[]): Iterable<unknown>;
};
/** What `node:sqlite` and `@photostructure/sqlite` have in common. */
export type Database = { exec(sql: string): void; prepare(sql: string): Statement; close(): void };
export type OpenOptions = {
  readonly readOnly?: boolean;
  /** How long a statement waits for another process, ms (10,000). It blocks this process. */
  readonly busyTimeoutMs?: number;
  /** Write-ahead log, so that readers and a writer do not wait for each other (true). False: a rollback journal. */
  readonly wal?: boolean;
};

type Engine = { readonly DatabaseSync: new (path: string | URL, options?: { readonly readOnly?: boolean }) => Database };
const isEngine = (value: unknown): value is Engine =>
  typeof value === "object" && value !== null && "DatabaseSync" in value && typeof value.DatabaseSync === "function";

/** `node:sqlite` if the runtime has it without a flag (22.13 on). Its ExperimentalWarning is no news for a user. */
const builtinEngine = (): unknown => {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule?.("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
};

const loadEngine = async (): Promise<Engine> => {
  let cause: unknown;
  for (const load of [builtinEngine, () => import("@photostructure/sqlite")]) {
    try {
      const found: unknown = await load();
      if (isEngine(found)) return found;
    } catch (error) {
      cause = error;
    }
  }
  throw new CliError("usage", "No SQLite could be loaded, so nothing can be recorded here; nothing was sent or stored", {
    cause,
    hint: "Run it on Node 22.13 or newer, which has an SQLite of its own",
  });
};

/** SQLite's own files beside a database. */
export const logOf = (path: string): string => `${path}-wal`;
const filesOf = (path: string): readonly string[] => [path, logOf(path), `${path}-shm`];

/**
 * What must never be opened. A link: the log lies beside what it points to, and another day it points elsewhere. A log with
 * something in it whose database is missing or empty: SQLite would delete it. Throws an Error that says which.
 */
export const refuseUnsafe = (path: string): void => {
  const [database, log] = filesOf(path).map((file) => {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true) throw new Error(`${file} is a symbolic link, which is not followed`);
    return stats?.size ?? 0;
  });
  if (database === 0 && log !== undefined && log > 0) throw new Error(`${logOf(path)} has changes in it, but the file that it belongs to is missing or empty`);
};

/**
 * Makes the file with mode 0600 before SQLite does, which gives its -wal and -shm the same mode. The file is never opened
 * where it exists: closing any descriptor of a file drops this process's POSIX locks on it, SQLite's too.
 */
const ensureFile = (path: string): void => {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  for (const file of filesOf(path)) tighten(file);
};
/** Windows has no modes, and refuses to change those of a file that is in use. */
const tighten = (file: string): void => {
  if (process.platform === "win32") return;
  const mode = lstatSync(file, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined && (mode & 0o077) !== 0) chmodSync(file, 0o600);
};

/**
 * Switching to a write-ahead log does not always honour the busy timeout while others open the file too: tried again for as
 * long. Where each try does wait, another program holds the file, and waiting many times over would look like a hang.
 */
const switchToWal = (database: Database, busyTimeoutMs: number): void => {
  const endsAtMs = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (performance.now() >= endsAtMs || !isBusy(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
};
export const isBusy = (error: unknown): boolean => error instanceof Error && /database (?:table )?is locked|SQLITE_BUSY/i.test(error.message);

/**
 * Opens (and makes) a database with mode 0600 in a folder of 0700, `synchronous = FULL`: what was committed is on disk.
 * Throws CliError usage where no SQLite can be loaded; errors of the file system and of SQLite pass through.
 */
export const openDatabase = async (path: string, options: OpenOptions = {}): Promise<Database> => {
  const engine = await loadEngine();
  const readOnly = options.readOnly === true;
  if (path !== ":memory:") refuseUnsafe(path);
  if (path !== ":memory:" && !readOnly) ensureFile(path);
  const database = new engine.DatabaseSync(path, { readOnly });
  try {
    const busyTimeoutMs = Math.trunc(options.busyTimeoutMs ?? 10_000);
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    if (!readOnly && options.wal !== false) switchToWal(database, busyTimeoutMs);
    database.exec("PRAGMA synchronous = FULL");
    return withStatementCache(database);
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Preparing costs more than running: each SQL text is prepared once. All of them are written in this program, so they are few. */
const withStatementCache = (database: Database): Database => {
  const statements = new Map<string, Statement>();
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare: (sql) => {
      const statement = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
  };
};

/** What a database that cannot be used is for its user: each error of SQLite becomes this one. */
export type ToBroken = (cause: unknown) => CliError;

/** The same database, whose every fault is thrown as `broken` says it. */
export const withFaults = (database: Database, broken: ToBroken): Database => {
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw broken(cause);
    }
  };
  return {
    exec: (sql) => guarded(() => database.exec(sql)),
    close: () => database.close(),
    prepare: (sql) => {
      const statement = guarded(() => database.prepare(sql));
      return {
        run: (...values) => guarded(() => statement.run(...values)),
        get: (...values) => guarded(() => statement.get(...values)),
        all: (...values) => guarded(() => statement.all(...values)),
        *iterate(...values) {
          try {
            yield* statement.iterate(...values);
          } catch (cause) {
            throw broken(cause);
          }
        },
      };
    },
  };
};

/** Opens (and makes) a database that has at least these tables. All that fails, now and later, is thrown as `broken` says it. */
export const openWithTables = async (path: string, tables: string, broken: ToBroken): Promise<Database> => {
  let opened: Database | undefined;
  try {
    opened = await openDatabase(path);
    opened.exec(tables);
    return withFaults(opened, broken);
  } catch (cause) {
    opened?.close();
    throw broken(cause);
  }
};

/**
 * Opens a database for reading only; nothing is written to it or its log, also when it is closed. SQLite wants to make a
 * shared-memory file beside a write-ahead log: on a read-only disk the file is read as one that nobody changes, unless a log
 * with something in it lies beside it, without which it would not be all there is. Throws what SQLite or the file system says.
 */
export const openForReading = async (path: string): Promise<Database> => {
  try {
    return readable(await openDatabase(path, { readOnly: true }));
  } catch (error) {
    if ((lstatSync(logOf(path), { throwIfNoEntry: false })?.size ?? 0) > 0) throw error;
    const unchanging = pathToFileURL(path);
    unchanging.searchParams.set("immutable", "1");
    const { DatabaseSync } = await loadEngine();
    try {
      return readable(new DatabaseSync(unchanging, { readOnly: true }));
    } catch {
      throw error;
    }
  }
};

const readable = (database: Database): Database => {
  try {
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** What SQLite says of a database by a PRAGMA of this name. */
export const numberIn = (database: Database, name: "application_id" | "user_version" | "page_count" | "page_size"): number => {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return isRow(row) ? Number(Object.values(row)[0]) : Number.NaN;
};

/** All of the work is committed, or nothing if it throws. It has the write lock from the start, unless `begin` says otherwise. */
export const inTransaction = <T>(database: Database, work: () => T, begin: "BEGIN" | "BEGIN IMMEDIATE" = "BEGIN IMMEDIATE"): T => {
  database.exec(begin);
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // SQLite may have rolled back by itself (a full disk), and then says that there is nothing to roll back.
    }
    throw error;
  }
};

/** Why a database cannot be used, and what to do about it: `ifDamaged` where the file itself is at fault. */
export const databaseFault = (path: string, error: unknown, ifDamaged: string): FileFault => {
  if (isBusy(error)) return { reason: "another program holds it", hint: "End that program, or wait for it, and try again" };
  return isDamaged(error) && error instanceof Error ? { reason: error.message, hint: ifDamaged } : fileFault(path, error);
};

/** CliError usage for a database that cannot be used; one that was made already passes through. `what` begins its sentence. */
export const unusableDatabase = (what: string, path: string, cause: unknown, ifDamaged: string): CliError => {
  if (cause instanceof CliError) return cause;
  const { reason, hint } = databaseFault(path, cause, ifDamaged);
  return new CliError("usage", `${what} ${path} cannot be used: ${reason}.`, { cause, hint });
};

/** The file is there and is no database of ours, or not a whole one. */
export const isDamaged = (error: unknown): boolean =>
  error instanceof Error && /not a database|malformed|disk image|SQLITE_(?:CORRUPT|NOTADB)|no such (?:table|column)|has no column/i.test(error.message);
