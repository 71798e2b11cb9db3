import { CliError } from "../errors.ts";
import { type Database, inTransaction, isBusy } from "./sqlite.ts";

export type Write<T> = (database: Database) => T;
/**
 * How safe a work has to be when it is done. `committed` survives the death of this process and reaches the disk with the next
 * that is `synced`. A `read` seldom writes; where another program writes at the same moment, it is begun again.
 */
type Durability = "read" | "committed" | "synced";
/** Does the work. What it returns is called once the transaction is committed, and resolves the caller's promise. */
type Waiting = { readonly work: Write<() => void>; readonly durability: Durability; readonly failed: (error: unknown) => void };
/** A group of this size does not wait for more. */
const enough = 256;

/**
 * Group commit: all that waits when the event loop comes round shares one transaction, ended by `last`, and one sync. While each
 * turn of the loop brings more, one more turn is waited for, as a sync costs the same for one as for many. Then `check` throws where
 * nothing of it may count after all.
 */
export const createCommitQueue = (database: Database, last: Write<void>, check: () => void = () => undefined) => {
  let waiting: Waiting[] = [];
  let synchronous: "FULL" | "NORMAL" | undefined;
  const commitGroup = (begin: "BEGIN" | "BEGIN IMMEDIATE", group: readonly Waiting[]): void => {
    const wanted = group.every(({ durability }) => durability === "committed") ? "NORMAL" : "FULL";
    if (wanted !== synchronous) database.exec(`PRAGMA synchronous = ${wanted}`);
    synchronous = wanted;
    const ends = inTransaction(database, () => worked(database, group, last), begin);
    check();
    for (const end of ends) end();
  };
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    try {
      if (!group.every(({ durability }) => durability === "read")) commitGroup("BEGIN IMMEDIATE", group);
      else readGroup(group);
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  };
  const readGroup = (group: readonly Waiting[]): void => {
    try {
      commitGroup("BEGIN", group);
    } catch (error) {
      if (!isBusy(error)) throw error;
      commitGroup("BEGIN IMMEDIATE", group);
    }
  };
  const gather = (seen: number): void => {
    if (waiting.length > seen && waiting.length < enough) setImmediate(gather, waiting.length);
    else flush();
  };
  return {
    /** Resolves once the work is committed and as safe as asked. A CliError thrown by `work` before it writes fails it alone. */
    commit: <T>(work: Write<T>, durability: Durability): Promise<T> =>
      new Promise((done, failed) => {
        const settled: Write<() => void> = (db) => {
          const value = work(db);
          return () => done(value);
        };
        if (waiting.push({ work: settled, durability, failed }) === 1) setImmediate(gather, 1);
      }),
    /** Commits what waits at once. */
    flush,
  };
};

/** Does the works, and gives what tells their callers. */
const worked = (database: Database, group: readonly Waiting[], last: Write<void>): readonly (() => void)[] => {
  const ends = group.map(({ work, failed }) => {
    try {
      return work(database);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return () => failed(error);
    }
  });
  last(database);
  return ends;
};
