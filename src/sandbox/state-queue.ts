import { createCommitQueue } from "../storage/commit-queue.ts";
import { type Database, isBusy, TransactionLost } from "../storage/sqlite.ts";
import { advance } from "./engine/advance.ts";
import { assertInvariants } from "./engine/ledger.ts";
import { type At, type Unit, unitOver } from "./engine/unit.ts";
import { createTables } from "./storage/tables.ts";

/** What one request works with: the state, the moment, and a way to undo a part. */
export type UnitOfWork = {
  readonly unit: Unit;
  readonly at: At;
  /** Runs `work`; if it throws, nothing of it stays, and the error passes through. */
  readonly attempt: <T>(work: () => T) => T;
};

export type StateQueue = {
  /**
   * Resolves after what `work` changed is on disk. All that is asked for at once shares one transaction and one sync. A `read`
   * that seldom changes anything is quicker if it is said to be one.
   */
  run<T>(work: (unitOfWork: UnitOfWork) => T, kind?: "read" | "write"): Promise<T>;
  close(): void;
};

export type StateDependencies = {
  readonly database: Database;
  /** Real time, ms; the sandbox's own is this plus the offset in its state. */
  readonly now: () => number;
  readonly phoneIsWatched: () => boolean;
  readonly onChange: () => void;
};

/** Kinds to which things happen by the time alone. */
const advanced = ["tx", "collection", "disbursement", "storedAnswer"] as const;

type Outcome<T> = { readonly value: T; readonly wrote: boolean } | { readonly error: unknown };

/**
 * Lets requests work on the state, each as if it were alone. Nothing is answered before its change is on disk, and what is due
 * happens first, whoever looks.
 */
export const createStateQueue = ({ database, now, phoneIsWatched, onChange }: StateDependencies): StateQueue => {
  const tables = createTables(database);
  const { attempt } = tables;
  const unit = unitOver(tables);
  /** Work after which the books do not balance leaves nothing. */
  const balanced = <T>(work: () => T): T => {
    const before = tables.core();
    const value = work();
    if (tables.core() !== before) assertInvariants(unit);
    return value;
  };
  let isLoaded = false;
  let closed = false;
  const queue = createCommitQueue(database, () => {
    isLoaded = false;
    tables.save();
  });
  const moment = (): At => ({ nowMs: Math.floor(now()) + (tables.core()?.clockOffsetMs ?? 0), phoneIsWatched: phoneIsWatched() });
  /** At the beginning of each transaction. */
  const load = (): void => {
    isLoaded = false;
    tables.load();
    const at = moment();
    if (advanced.some((kind) => (tables.nextDueMs(kind) ?? Number.POSITIVE_INFINITY) <= at.nowMs)) attempt(() => balanced(() => advance(unit, at)));
    isLoaded = true;
  };
  const outcomeOf = <T>(work: (unitOfWork: UnitOfWork) => T): Outcome<T> => {
    if (!isLoaded) load();
    try {
      return { value: attempt(() => balanced(() => work({ unit, at: moment(), attempt }))), wrote: tables.wrote() };
    } catch (error) {
      if (!(error instanceof TransactionLost) && !isBusy(error)) return { error };
      // SQLite gave up the transaction, or wants it to be begun again: that concerns all who share it.
      isLoaded = false;
      throw error;
    }
  };
  return {
    run: async (work, kind = "write") => {
      if (closed) throw new Error("The sandbox is closed.");
      const outcome = await queue.commit(() => outcomeOf(work), kind === "read" ? "read" : "synced");
      if ("error" in outcome) throw outcome.error;
      if (outcome.wrote) onChange();
      return outcome.value;
    },
    close: () => {
      if (closed) return;
      closed = true;
      queue.flush();
      database.close();
    },
  };
};
