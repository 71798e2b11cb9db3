import { CliError } from "../errors.ts";
import type { Database } from "./sqlite.ts";

export type Write<T> = (database: Database) => T;
/** Does the work; what it returns tells its caller, once the transaction is committed. */
type Waiting = { readonly work: Write<() => void>; readonly synced: boolean; readonly failed: (error: unknown) => void };
export type CommitQueue = {
  /**
   * Resolves once the work is committed, and `synced` to disk where that is asked for: a commit that is not survives the death
   * of this process, and reaches the disk with the next synced one. A CliError thrown by `work` before it writes fails it alone.
   */
  commit<T>(work: Write<T>, synced: boolean): Promise<T>;
  /** Commits what waits at once. */
  flush(): void;
};

/** Group commit: all that waits when the event loop comes round shares one transaction, ended by `last`, and one sync. */
export const createCommitQueue = (database: Database, last: Write<void>): CommitQueue => {
  let waiting: Waiting[] = [];
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    try {
      commitGroup(database, group, last);
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  };
  return {
    commit: (work, synced) =>
      new Promise((done, failed) => {
        const worked: Write<() => void> = (db) => {
          const value = work(db);
          return () => done(value);
        };
        if (waiting.push({ work: worked, synced, failed }) === 1) setImmediate(flush);
      }),
    flush,
  };
};

const commitGroup = (database: Database, group: readonly Waiting[], last: Write<void>): void => {
  const ends: (() => void)[] = [];
  database.exec(`PRAGMA synchronous = ${group.some(({ synced }) => synced) ? "FULL" : "NORMAL"}; BEGIN IMMEDIATE`);
  try {
    for (const { work, failed } of group) {
      try {
        ends.push(work(database));
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        ends.push(() => failed(error));
      }
    }
    last(database);
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
  for (const end of ends) end();
};

/** SQLite may have rolled back by itself (a full disk), and then says that there is nothing to roll back. */
const rollBack = (database: Database): void => {
  try {
    database.exec("ROLLBACK");
  } catch {}
};
