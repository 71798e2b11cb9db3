import { statSync } from "node:fs";
import { CliError } from "../kernel/errors.ts";
import type { Write } from "./journal-queue.ts";
import { journalSchema } from "./journal-rows.ts";
import { type Database, isBusy, isDamaged, openDatabase, openForReading, type SqlValue } from "./sqlite.ts";

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

/** Whether the file at `path` is still the one that was there at first. Looked up once for all who ask in the same turn of the event loop. */
export const watchPlace = (path: string): { holds(): boolean; lookAgain(): void } => {
  const first = inodeOf(path);
  let seen: boolean | undefined;
  const lookAgain = (): void => {
    seen = undefined;
  };
  return {
    holds: () => {
      if (seen === undefined) {
        seen = inodeOf(path) === first;
        setImmediate(lookAgain);
      }
      return seen;
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
 * The journal was moved, deleted or replaced while a payment was in flight: the attempt, as the lost file has it, goes into the
 * one that is at `path` now (made where there is none), with its end, so that a rerun is guarded. Rejects where that can't be.
 */
export const recordAnew = async (path: string, row: unknown, end: Write): Promise<void> => {
  try {
    const database = await openWritable(path);
    try {
      database.exec("BEGIN IMMEDIATE");
      if (isStoredRow(row)) {
        const { seq: _, ...values } = row;
        const names = Object.keys(values);
        database.prepare(`INSERT OR IGNORE INTO attempts (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).run(...Object.values(values));
      }
      end(database);
      database.exec("COMMIT");
    } finally {
      database.close();
    }
  } catch (error) {
    throw error instanceof CliError ? error : cannotRecord(path, error);
  }
};

const isStoredRow = (row: unknown): row is Readonly<Record<string, SqlValue>> => typeof row === "object" && row !== null && "seq" in row;
