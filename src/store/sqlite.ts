import { chmodSync, closeSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { CliError } from "../kernel/errors.ts";
import { makeFolder } from "./make-folder.ts";

export type SqlValue = null | number | bigint | string | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;
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
  /** Of a file that is made, bytes (SQLite's own choice). */
  readonly pageBytes?: number;
};

type Engine = { readonly DatabaseSync: new (path: string | URL, options?: { readonly readOnly?: boolean }) => Database };
const isEngine = (value: unknown): value is Engine =>
  typeof value === "object" && value !== null && "DatabaseSync" in value && typeof value.DatabaseSync === "function";

/** `node:sqlite` where the runtime has it without a flag (22.13 on). Its ExperimentalWarning is no news for a user. */
const builtinEngine = (): Engine | undefined => {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    const found: unknown = process.getBuiltinModule?.("node:sqlite");
    return isEngine(found) ? found : undefined;
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
};

const loadEngine = async (): Promise<Engine> => {
  const builtin = builtinEngine();
  if (builtin !== undefined) return builtin;
  try {
    const found: unknown = await import("@photostructure/sqlite");
    if (isEngine(found)) return found;
  } catch (cause) {
    throw withoutEngine(cause);
  }
  throw withoutEngine();
};
const withoutEngine = (cause?: unknown): CliError =>
  new CliError("usage", "No SQLite could be loaded, so payments cannot be recorded; nothing was sent", {
    cause,
    hint: "run on Node 22.13 or newer, or reinstall with optional dependencies (npm install --include=optional)",
  });

/**
 * Makes the file with mode 0600 before SQLite does, which gives its -wal and -shm the same mode. The file is never opened
 * where it exists: closing any descriptor of a file drops this process's POSIX locks on it, SQLite's too.
 */
const ensureFile = (path: string): void => {
  makeFolder(dirname(path));
  dropOrphans(path);
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) tighten(file);
};
/**
 * A log and its index whose database was deleted belong to nothing any more, and a new database would take them for its own. They
 * are looked for before it: what a process beside this one makes at the moment always has its database by then.
 */
const dropOrphans = (path: string): void => {
  const orphans = [`${path}-wal`, `${path}-shm`].filter((file) => statSync(file, { throwIfNoEntry: false }) !== undefined);
  if (orphans.length === 0 || statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  for (const file of orphans) rmSync(file, { force: true });
};
const tighten = (file: string): void => {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
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
  if (path !== ":memory:" && !readOnly) ensureFile(path);
  const database = new engine.DatabaseSync(path, { readOnly });
  try {
    const busyTimeoutMs = Math.trunc(options.busyTimeoutMs ?? 10_000);
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    if (options.pageBytes !== undefined) database.exec(`PRAGMA page_size = ${Math.trunc(options.pageBytes)}`);
    if (!readOnly && options.wal !== false) switchToWal(database, busyTimeoutMs);
    database.exec("PRAGMA synchronous = FULL");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/**
 * Opens what can't be written, a read-only disk or folder, for reading; undefined where that can't be done either. SQLite wants
 * to make a shared-memory file beside a write-ahead log; where it may not, the file is read as one that nobody changes,
 * unless a log with something in it lies beside it: then it would not be all there is.
 */
export const openForReading = async (path: string): Promise<Database | undefined> => {
  const readable = (database: Database): Database => {
    try {
      database.prepare("SELECT count(*) FROM sqlite_schema").get();
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  try {
    return readable(await openDatabase(path, { readOnly: true }));
  } catch {
    try {
      if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
      const unchanging = pathToFileURL(path);
      unchanging.searchParams.set("immutable", "1");
      const { DatabaseSync } = await loadEngine();
      return readable(new DatabaseSync(unchanging, { readOnly: true }));
    } catch {
      return undefined;
    }
  }
};

/** The file is there and is no database of ours, or not a whole one. */
export const isDamaged = (error: unknown): boolean =>
  error instanceof Error && /not a database|malformed|disk image|SQLITE_(?:CORRUPT|NOTADB)|no such (?:table|column)|has no column/i.test(error.message);
