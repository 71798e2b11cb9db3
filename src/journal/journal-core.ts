import { join } from "node:path";
import { CliError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { createCommitQueue, type Write } from "../storage/commit-queue.ts";
import type { Database } from "../storage/sqlite.ts";
import { type Claims, createClaims } from "./claims.ts";
import { cannotRead, cannotRecord, journalFileName, locksFolderName, lostInUse, openFile, watchPlace } from "./journal-file.ts";

type Durability = "synced" | "committed";
export type JournalOptions = { readonly dataFolder: string; readonly clock: Pick<Clock, "now"> };

/** The open file and the ways to work with it, below what the journal says and keeps. All of it throws CliError usage. */
export type JournalCore = {
  readonly path: string;
  readonly locksFolder: string;
  readonly database: Database;
  readonly claims: Claims;
  nowIso(): string;
  /** Runs what has to be recorded; a file that cannot be written is an error that says so. */
  recorded<T>(work: () => Promise<T>): Promise<T>;
  write<T>(work: Write<T>, durability?: Durability): Promise<T>;
  read<T>(work: () => T): T;
  lost(): CliError | undefined;
  dispose(): void;
};

/** Throws CliError usage where the file can be neither written nor read. */
export const openCore = async ({ dataFolder, clock }: JournalOptions): Promise<JournalCore> => {
  const path = join(dataFolder, journalFileName);
  const locksFolder = join(dataFolder, locksFolderName);
  const { database, readOnly } = await openFile(path, clock.now());
  const nowIso = (): string => new Date(clock.now()).toISOString();
  const place = watchPlace(path);
  const claims = createClaims(locksFolder);
  const lost = (): CliError | undefined => {
    if (readOnly !== undefined || (place.isWhole() && claims.isSeen())) return undefined;
    // What only a deleted log has would go with this process.
    if (place.holds()) database.exec("PRAGMA wal_checkpoint");
    return cannotRecord(path, lostInUse());
  };
  // What is written to a file that was moved or deleted is written nowhere: the next process would pay again.
  const throwIfLost = (): void => {
    const fault = lost();
    if (fault !== undefined) throw fault;
  };
  const noteTime: Write<void> = (db) => {
    db.prepare("INSERT INTO newest VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET at = max(at, excluded.at)").run(nowIso());
  };
  const queue = createCommitQueue(database, noteTime, throwIfLost);
  const recorded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (readOnly !== undefined) throw cannotRecord(path, readOnly);
    try {
      return await work();
    } catch (error) {
      throw error instanceof CliError ? error : cannotRecord(path, error);
    }
  };
  return {
    path,
    locksFolder,
    database,
    claims,
    nowIso,
    recorded,
    write: (work, durability = "committed") => recorded(() => queue.commit(work, durability)),
    read: (work) => {
      try {
        return work();
      } catch (cause) {
        throw cannotRead(path, cause);
      }
    },
    lost,
    dispose: () => {
      queue.flush();
      database.close();
      claims.dispose();
    },
  };
};
