import { rmSync, statSync } from "node:fs";
import { CliError } from "../kernel/errors.ts";
import type { Write } from "./journal-queue.ts";
import { journalSchema } from "./journal-rows.ts";
import { type Database, isBusy, isDamaged, openDatabase, openForReading, type SqlValue, type Statement } from "./sqlite.ts";

/** The attempt can't be on disk, so it may not be sent (cli.md, Exit codes, 2). */
export const cannotRecord = (path: string, cause: unknown): CliError => {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CliError("usage", `The payment cannot be recorded in ${path} (${why}); nothing was sent`, { cause, hint: hintOf(path, cause) });
};

export const cannotRead = (path: string, cause: unknown): CliError => {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CliError("usage", `The journal ${path} cannot be read (${why}); nothing was sent`, { cause, hint: hintOf(path, cause) });
};

const hintOf = (path: string, cause: unknown): string => {
  if (isBusy(cause)) return "another program holds that file: end it, or wait for it, and try again";
  // Freeing space helps nobody here, and a file that is thrown away takes the guard's memory with it.
  if (isDamaged(cause))
    return `it is damaged or no journal, and was left as it is. To go on without it, move it away: mv "${path}" "${path}.damaged". The duplicate guard then knows none of the payments in it: look at the service before repeating one`;
  return "free some space, or set PAYMENTS_HOME to a folder that can be written";
};

/** True only where it is certain that there is no such file; false where nobody may look. */
const isAbsent = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
};

/** Which file is at the path now; undefined where there is none, or nobody may look. */
const inodeOf = (path: string): bigint | undefined => {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
};

export type Place = {
  /** The file itself is still the one that was opened. */
  holds(): boolean;
  /** And so is its log, into which all goes first. */
  isWhole(): boolean;
  /** Another file at its place would take the log of this one for its own. */
  takeLogAway(): void;
  lookAgain(): void;
};
/** Whether what was at `path` when this was made is still there. Looked up once for all who ask in the same turn of the event loop. */
export const watchPlace = (path: string): Place => {
  const files = [path, `${path}-wal`];
  const first = files.map(inodeOf);
  let seen: readonly boolean[] | undefined;
  const lookAgain = (): void => {
    seen = undefined;
  };
  const look = (): readonly boolean[] => {
    if (seen === undefined) {
      seen = files.map((file, at) => inodeOf(file) === first[at]);
      setImmediate(lookAgain);
    }
    return seen;
  };
  return {
    holds: () => look()[0] === true,
    isWhole: () => !look().includes(false),
    takeLogAway: () => {
      if (first[1] === undefined || inodeOf(`${path}-wal`) !== first[1]) return;
      for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    },
    lookAgain,
  };
};

export type OpenedFile = {
  readonly database: Database;
  /** Why it can't be written; undefined where it can. */
  readonly readOnly: unknown;
};

/** Opens for writing; where that is impossible for reading, so that what is recorded can still be seen. */
export const openFile = async (path: string): Promise<OpenedFile> => {
  try {
    return { database: await openWritable(path), readOnly: undefined };
  } catch (error) {
    if (error instanceof CliError) throw error;
    // Held by another program, or damaged: it can't be read either.
    if (isBusy(error) || isDamaged(error)) throw cannotRead(path, error);
    const absent = isAbsent(path);
    const database = absent ? await openDatabase(":memory:") : await openForReading(path);
    if (database === undefined) throw cannotRead(path, error);
    try {
      // No attempt was ever recorded there: that is an empty list, and paying still says why it can't be recorded.
      if (absent) database.exec(journalSchema);
      database.prepare("SELECT seq FROM attempts LIMIT 1").get();
      return { database, readOnly: error };
    } catch (cause) {
      database.close();
      throw cannotRead(path, cause);
    }
  }
};

const openWritable = async (path: string): Promise<Database> => {
  const database = await openDatabase(path);
  try {
    database.exec(journalSchema);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/**
 * The journal was moved, deleted or replaced while payments were in flight: the attempts, as the lost file has them, go into the
 * one that is at `path` now (made where there is none), with the end of one, so that a rerun is guarded. Rejects where that can't be.
 */
export const recordAnew = async (path: string, rows: Iterable<unknown>, end?: Write): Promise<void> => {
  try {
    const database = await openWritable(path);
    try {
      database.exec("BEGIN IMMEDIATE");
      const insert = insertInto(database);
      for (const row of rows) insert(row);
      end?.(database);
      database.exec("COMMIT");
    } finally {
      database.close();
    }
  } catch (error) {
    throw error instanceof CliError ? error : cannotRecord(path, error);
  }
};

/** What is there already stays as it is. */
const insertInto = (database: Database): ((row: unknown) => void) => {
  let statement: Statement | undefined;
  return (row) => {
    if (!isStoredRow(row)) return;
    const { seq: _, ...values } = row;
    const names = Object.keys(values);
    statement ??= database.prepare(`INSERT OR IGNORE INTO attempts (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`);
    statement.run(...Object.values(values));
  };
};

const isStoredRow = (row: unknown): row is Readonly<Record<string, SqlValue>> => typeof row === "object" && row !== null && "seq" in row;
