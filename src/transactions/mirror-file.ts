import { join } from "node:path";
import { CliError } from "../errors.ts";
import { type Database, inTransaction, isBusy, isDamaged, openDatabase, openForReading, unusableDatabase, withFaults } from "../storage/sqlite.ts";
import { mirrorFileName } from "./mirror-schema.ts";
import { readAssets } from "./sql.ts";

const brokenMirror = (path: string, cause: unknown): CliError =>
  unusableDatabase("Your local copy", path, cause, "move that file away and run payments-cli tx sync, which fetches the transactions again");

/** The database of the mirror, made if absent. Whatever fails, now or later, is CliError usage. */
export const openMirrorFile = async (dataFolder: string): Promise<Database> => {
  const path = join(dataFolder, mirrorFileName);
  const broken = (cause: unknown): CliError => brokenMirror(path, cause);
  try {
    return withFaults(await openWritable(path), broken);
  } catch (error) {
    // On a read-only disk it can still be searched.
    const readable = error instanceof CliError || isBusy(error) || isDamaged(error) ? undefined : await readMirror(path).catch(() => undefined);
    if (readable === undefined) throw broken(error);
    return withFaults(readable, broken);
  }
};

/** The mirror as it is on disk, for reading; undefined if absent or unreadable. */
export const openMirrorFileToRead = async (dataFolder: string): Promise<Database | undefined> => {
  const path = join(dataFolder, mirrorFileName);
  try {
    const readable = await readMirror(path);
    return readable === undefined ? await openMirrorFile(dataFolder) : withFaults(readable, (cause) => brokenMirror(path, cause));
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
    database.exec(String(readAssets()["mirror.sql"]));
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
