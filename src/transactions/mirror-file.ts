import { join } from "node:path";
import { CliError } from "../errors.ts";
import { type Database, inTransaction, isBusy, isDamaged, openDatabase, openForReading, unusableDatabase } from "../storage/sqlite.ts";
import { mirrorFileName, mirrorSchema } from "./mirror-schema.ts";

/** The open mirror of one merchant (`base`: see `mirrorKey`). Both ways of working with it throw CliError usage for a file that cannot be used. */
export type MirrorFile = {
  readonly database: Database;
  readonly base: string;
  readonly use: <T>(work: () => T) => T;
  /** All of the work is kept, or nothing. */
  readonly inTransaction: <T>(work: () => T) => T;
};

const toMirrorFile = (database: Database, base: string, path: string): MirrorFile => {
  const use = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw brokenMirror(path, error);
    }
  };
  return { database, base, use, inTransaction: (work) => use(() => inTransaction(database, work)) };
};

const brokenMirror = (path: string, cause: unknown): CliError =>
  unusableDatabase("Your local copy", path, cause, "move that file away and run payments-cli tx sync, which fetches the transactions again");

/** The local mirror of one merchant's transactions (`base`: see `mirrorKey`), made if absent. Throws CliError usage if the file cannot be used. */
export const openMirrorFile = async (dataFolder: string, base: string): Promise<MirrorFile> => {
  const path = join(dataFolder, mirrorFileName);
  try {
    return toMirrorFile(await openWritable(path), base, path);
  } catch (error) {
    // On a read-only disk it can still be searched.
    const readable = error instanceof CliError || isBusy(error) || isDamaged(error) ? undefined : await readMirror(path).catch(() => undefined);
    if (readable !== undefined) return toMirrorFile(readable, base, path);
    throw brokenMirror(path, error);
  }
};

/** The mirror as it is on disk, for reading; undefined if absent or unreadable. */
export const openMirrorFileToRead = async (dataFolder: string, base: string): Promise<MirrorFile | undefined> => {
  const path = join(dataFolder, mirrorFileName);
  try {
    const readable = await readMirror(path);
    return readable === undefined ? await openMirrorFile(dataFolder, base) : toMirrorFile(readable, base, path);
  } catch {
    return undefined;
  }
};

/** Undefined for one that was made before all columns were there, or that a full disk left empty. */
const readMirror = async (path: string): Promise<Database | undefined> => {
  const database = await openForReading(path);
  if (hasFirstSeen(database)) return database;
  database.close();
  return undefined;
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
  inTransaction(database, () => {
    // Another process may have added it since.
    if (hasFirstSeen(database)) return;
    database.exec("ALTER TABLE transactions ADD COLUMN seen_at TEXT");
    database.exec("UPDATE transactions SET seen_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')");
  });
};
