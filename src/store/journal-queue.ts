import { CliError } from "../kernel/errors.ts";
import { type Database, isBusy } from "./sqlite.ts";

export type Write = (database: Database) => void;
type Waiting = { readonly work: Write; readonly synced: boolean; readonly done: () => void; readonly failed: (error: unknown) => void };
export type CommitQueue = {
  /**
   * Resolves once the work is committed, and `synced` to disk where that is asked for: a commit that is not survives the death
   * of this process, and reaches the disk with the next synced one. A CliError thrown by `work` before it writes fails it alone.
   */
  commit(work: Write, synced: boolean): Promise<void>;
  /** Commits what waits at once, for the last time. */
  flush(): void;
};

export type CommitQueueOptions = {
  /** Ends each transaction. */
  readonly last?: Write;
  /** Commits that need no sync follow each other at this distance at the least, ms (0): a batch's answers come one by one. */
  readonly apartMs?: number;
  /**
   * Where another program holds the file, tries again for so long, ms (0: the connection itself waits). A thread that waits so
   * can be ended meanwhile, which one that waits within SQLite can not.
   */
  readonly busyMs?: number;
};
/** Between two tries of a held file, ms. */
const againMs = 20;

/** Group commit: all that waits when the event loop comes round, or `apartMs` after the last, shares one transaction and one sync. */
export const createCommitQueue = (database: Database, { last = () => undefined, apartMs = 0, busyMs = 0 }: CommitQueueOptions = {}): CommitQueue => {
  let waiting: Waiting[] = [];
  let scheduled: "no" | "soon" | "later" | "held" = "no";
  let flushedAtMs = Number.NEGATIVE_INFINITY;
  let heldSinceMs: number | undefined;
  const commitAll = (group: readonly Waiting[], mayWait: boolean): "done" | "held" => {
    const end = commitGroup(database, group, last, { alone: group.length === 1, mayWait });
    // One that breaks takes the transaction with it: the others are then tried alone, so that each gets its own verdict.
    if (end === "broken") for (const one of group) commitGroup(database, [one], last, { alone: true, mayWait: false });
    return end === "held" ? "held" : "done";
  };
  const flush = (final = false): void => {
    scheduled = "no";
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    const mayWait = !final && busyMs > 0 && performance.now() - (heldSinceMs ?? performance.now()) < busyMs;
    if (commitAll(group, mayWait) === "held") {
      heldSinceMs ??= performance.now();
      waiting = [...group, ...waiting];
      scheduled = "held";
      setTimeout(() => flush(), againMs);
      return;
    }
    heldSinceMs = undefined;
    flushedAtMs = performance.now();
  };
  const schedule = (synced: boolean): void => {
    if (scheduled === "soon" || scheduled === "held") return;
    if (synced || performance.now() - flushedAtMs >= apartMs) {
      scheduled = "soon";
      setImmediate(() => flush());
    } else if (scheduled === "no") {
      scheduled = "later";
      setTimeout(() => flush(), apartMs);
    }
  };
  return {
    commit: (work, synced) =>
      new Promise((done, failed) => {
        waiting.push({ work, synced, done, failed });
        schedule(synced);
      }),
    flush: () => flush(true),
  };
};

/** Broken: the group failed as a whole, and nobody was told yet. Held: by another program, nobody was told, and it may be waited for. */
const commitGroup = (
  database: Database,
  group: readonly Waiting[],
  last: Write,
  { alone, mayWait }: { readonly alone: boolean; readonly mayWait: boolean },
): "done" | "broken" | "held" => {
  const settled: (() => void)[] = [];
  try {
    database.exec(group.some(({ synced }) => synced) ? "PRAGMA synchronous = FULL; BEGIN IMMEDIATE" : "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE");
    for (const { work, done, failed } of group) {
      try {
        work(database);
        settled.push(done);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        settled.push(() => failed(error));
      }
    }
    last(database);
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    if (isBusy(error) && mayWait) return "held";
    // Another program holds the file: each of the others would wait as long again, and this process with it.
    if (!alone && !isBusy(error)) return "broken";
    for (const { failed } of group) failed(error);
    return "done";
  }
  for (const tell of settled) tell();
  return "done";
};

/** SQLite may have rolled back by itself (a full disk), and then says that there is nothing to roll back. */
const rollBack = (database: Database): void => {
  try {
    database.exec("ROLLBACK");
  } catch {}
};
