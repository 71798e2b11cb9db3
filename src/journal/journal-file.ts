import { constants, copyFileSync, linkSync, lstatSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { CliError, errorCode } from "../errors.ts";
import type { FileFault } from "../storage/file-fault.ts";
import { makeFolder } from "../storage/make-folder.ts";
import { type Database, databaseFault, isBusy, isDamaged, logOf, numberIn, openDatabase, openForReading, refuseUnsafe } from "../storage/sqlite.ts";
import { createSchema, schemaVersion, upgradeSchema } from "./journal-schema.ts";

export const journalFileName = "journal.db";
/** Made with the journal and never removed: without a journal beside it, one is missing. */
export const locksFolderName = "locks";

/** "payj": what `file` and `PRAGMA application_id` show. */
const applicationId = 0x7061796a;

/** The file at the journal's place is not to be used, whatever SQLite says of it. `advice` is what to do. */
class NoJournal extends Error {
  override readonly name = "NoJournal";
  readonly advice: string;
  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

/** The attempt can't be on disk, so it may not be sent (rules.md, Exit codes, 2). */
export const cannotRecord = (path: string, cause: unknown): CliError => fault(`The payment cannot be recorded in ${path}`, faultOf(path, cause), cause);
export const cannotRead = (path: string, cause: unknown): CliError => fault(`The journal ${path} cannot be read`, faultOf(path, cause), cause);

const fault = (what: string, { reason, hint }: FileFault, cause: unknown): CliError =>
  new CliError("usage", `${what} (${reason}); nothing was sent`, { cause, hint });

// Whoever begins a new journal instead pays again what the old one knows: no advice may lead there.
const restore =
  "restore it from a backup, with the file that ends in -wal if there is one. It says which payments were made; without it they could be made twice, so nothing is sent from this folder. The service's own list: payments-cli tx list --all --flow all";

const faultOf = (path: string, cause: unknown): FileFault =>
  cause instanceof NoJournal ? { reason: cause.message, hint: cause.advice } : databaseFault(path, cause, restore);

/** Whether any file is at the path, a journal or not. Throws CliError usage if this user may not look there. */
export const hasJournal = (dataFolder: string): boolean => {
  const path = join(dataFolder, journalFileName);
  try {
    return isThere(path);
  } catch (error) {
    throw cannotRead(path, error);
  }
};
const isThere = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // Below a file there is nothing.
    if (errorCode(error) === "ENOTDIR") return false;
    throw error;
  }
};

/** Looks at the place itself, before SQLite does, which would follow links and delete the log of an empty file. Throws NoJournal. */
const checkPlace = (path: string): "absent" | "present" => {
  const folder = dirname(path);
  if (!isAbsolute(folder)) throw new NoJournal("its folder is not an absolute path", "set PAYMENTS_HOME to a folder, from / on");
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new NoJournal(`${folder} is a symbolic link, which is not followed`, "replace the link by the folder that it points to");
  const stats = lstatSync(path, { throwIfNoEntry: false });
  try {
    refuseUnsafe(path);
  } catch (error) {
    throw new NoJournal(error instanceof Error ? error.message : String(error), stats?.isSymbolicLink() ? "put the file itself in its place" : restore);
  }
  if (stats === undefined && isThere(join(folder, locksFolderName))) throw new NoJournal("payments were recorded there, but the file is missing", restore);
  // A journal comes to its place whole: an empty one was cut off.
  if (stats?.size === 0) throw new NoJournal("the file is empty", restore);
  return stats === undefined ? "absent" : "present";
};

/** Throws NoJournal for a database of another program, or of a version of this one that is newer. */
export const checkVersion = (database: Database): void => {
  const version = numberIn(database, "user_version");
  if (numberIn(database, "application_id") !== applicationId || !(version >= 1)) throw new NoJournal("it is not a journal of this program", restore);
  if (version > schemaVersion)
    throw new NoJournal(`a newer version of payments-cli wrote it: its format is ${version}, this program knows ${schemaVersion}`, "update payments-cli");
};

/**
 * SQLite itself compares a file's length with what is recorded only while no other process has it open. A log with something in it:
 * the last process was killed, or one is at work. Only a whole file may take the log in.
 */
const checkWhole = (database: Database, path: string): void => {
  database.prepare("SELECT seq FROM attempts LIMIT 1").get();
  const bytes = numberIn(database, "page_count") * numberIn(database, "page_size");
  if ((lstatSync(logOf(path), { throwIfNoEntry: false })?.size ?? 0) === 0) {
    // Whatever was committed when the pages were counted is in the file by now.
    if (lstatSync(path).size < bytes) throw new Error("malformed: it was cut off");
    return;
  }
  const row = database.prepare("PRAGMA quick_check(1)").get();
  const [found] = Object.values(typeof row === "object" && row !== null ? row : {});
  if (found !== "ok") throw new Error(`malformed: ${String(found)}`);
};

/** Of two that make one at the same moment the first is kept. Until it is whole it has another name. */
const createFile = async (path: string): Promise<void> => {
  const making = `${path}.${crypto.randomUUID()}`;
  try {
    const database = await openDatabase(making, { wal: false });
    try {
      createSchema(database, `PRAGMA application_id = ${applicationId};`);
    } finally {
      database.close();
    }
    giveName(making, path);
  } finally {
    rmSync(making, { force: true });
  }
};
const giveName = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return;
    // Some file systems have no hard links.
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
};

export type OpenedFile = {
  readonly database: Database;
  /** Why it can't be written; undefined where it can. */
  readonly readOnly: unknown;
};

/**
 * Opens for writing; where that is impossible for reading, so that what is recorded can still be seen. Nothing at its place is
 * changed before it is known to be a journal of ours. Throws CliError usage.
 */
export const openFile = async (path: string, nowMs: number): Promise<OpenedFile> => {
  try {
    if (checkPlace(path) === "absent") {
      const failure = await createFile(path).then(
        () => undefined,
        (error: unknown) => error ?? new Error("unknown"),
      );
      if (failure !== undefined) return await openNothing(failure);
    }
    const reading = await openForReading(path);
    try {
      checkVersion(reading);
      checkWhole(reading, path);
    } catch (error) {
      reading.close();
      throw error;
    }
    return await openBeside(reading, path, nowMs);
  } catch (error) {
    throw error instanceof CliError ? error : cannotRead(path, error);
  }
};

/** No attempt was ever recorded, and none can be: an empty list, and paying says why. */
const openNothing = async (failure: unknown): Promise<OpenedFile> => {
  if (failure instanceof CliError) throw failure;
  const database = await openDatabase(":memory:");
  createSchema(database);
  const why = failure instanceof Error ? failure.message : String(failure);
  return { database, readOnly: new NoJournal(why, "free some space, or set PAYMENTS_HOME to a folder that can be written") };
};

const openBeside = async (reading: Database, path: string, nowMs: number): Promise<OpenedFile> => {
  try {
    const database = await openDatabase(path);
    upgradeSchema(database);
    // From here on its log is there too.
    noteTime(database, nowMs);
    makeFolder(join(dirname(path), locksFolderName));
    reading.close();
    return { database, readOnly: undefined };
  } catch (error) {
    if (!(error instanceof CliError || isBusy(error) || isDamaged(error))) return { database: reading, readOnly: error };
    reading.close();
    throw error;
  }
};

/** A run that sends nothing sees the time too. Within a second of the last write it is left alone, so that reading does not wait for a batch. */
const noteTime = (database: Database, nowMs: number): void => {
  const recently = new Date(nowMs - 1000).toISOString();
  if (database.prepare("SELECT 1 FROM newest WHERE at < ?").get(recently) === undefined) return;
  database.prepare("UPDATE newest SET at = max(at, ?)").run(new Date(nowMs).toISOString());
};

/** Which file is at the path now; undefined if it is missing, or nobody may look. */
const identityOf = (path: string): string | undefined => {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? undefined : `${stats.dev} ${stats.ino}`;
  } catch {
    return undefined;
  }
};

export type Place = {
  /** The file is still the one that was opened. */
  holds(): boolean;
  /** And so is its log, which all is written to first. */
  isWhole(): boolean;
};
export const lostInUse = (): Error => new NoJournal("the file or its log was moved or deleted while it was in use", `put it back, or ${restore}`);

/** Whether what was at `path` when this was made is still there. */
export const watchPlace = (path: string): Place => {
  const [holds, logHolds] = [path, logOf(path)].map((file) => {
    const first = identityOf(file);
    return () => first !== undefined && identityOf(file) === first;
  });
  return { holds: () => holds?.() === true, isWhole: () => holds?.() === true && logHolds?.() === true };
};

/** Without a home there is no journal either. */
export const dataFolderOf = (paths: { readonly data: string }): string | undefined => {
  try {
    return paths.data;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
};
