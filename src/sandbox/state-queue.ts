import { createCommitQueue } from "../storage/commit-queue.ts";
import type { Database } from "../storage/sqlite.ts";
import { assertInvariants } from "./engine/ledger.ts";
import { advance } from "./engine/payments.ts";
import { Refusal } from "./engine/refusal.ts";
import type { Unit } from "./engine/unit.ts";
import { createTables } from "./storage/tables.ts";

export type StateDependencies = {
  readonly database: Database;
  /** Real time, ms; the sandbox's own is this plus the offset in its state. */
  readonly now: () => number;
  readonly phoneIsWatched: () => boolean;
  readonly onChange: () => void;
};

type Outcome<T> = { readonly value: T; readonly wrote: boolean } | { readonly error: Refusal };

/**
 * Lets requests work on the state, each as if it were alone. Nothing is answered before its change is on disk, and what is due
 * happens first, whoever looks.
 */
export const createStateQueue = ({ database, now, phoneIsWatched, onChange }: StateDependencies) => {
  const tables = createTables(database);
  let isLoaded = false;
  let closed = false;
  const queue = createCommitQueue(database, () => {
    isLoaded = false;
    tables.save();
  });
  const unit = { ...tables, nowMs: 0, phoneIsWatched: false };
  /** Steps never overlap, so all of them share one unit. */
  const unitNow = (): Unit => Object.assign(unit, { nowMs: Math.floor(now()) + tables.core.clockOffsetMs, phoneIsWatched: phoneIsWatched() });
  /** At the beginning of each transaction. */
  const load = (): void => {
    tables.load();
    const unit = unitNow();
    if (tables.isDue(unit.nowMs)) {
      advance(unit);
      assertInvariants(unit);
    }
    isLoaded = true;
  };
  /** What is refused is so before it writes. Any other error leaves nothing of the transaction: books that do not balance are not kept. */
  const outcomeOf = <T>(work: (unit: Unit) => T): Outcome<T> => {
    try {
      if (!isLoaded) load();
      const unit = unitNow();
      const value = work(unit);
      const wrote = tables.wrote();
      if (wrote) assertInvariants(unit);
      return { value, wrote };
    } catch (error) {
      if (error instanceof Refusal) return { error };
      isLoaded = false;
      throw error;
    }
  };
  return {
    /**
     * Resolves after what `work` changed is on disk. All that is asked for at once shares one transaction and one sync. A `read`
     * that seldom changes anything is quicker if it is said to be one.
     */
    run: async <T>(work: (unit: Unit) => T, kind: "read" | "write" = "write"): Promise<T> => {
      if (closed) throw new Error("The sandbox is closed.");
      const outcome = await queue.commit(() => outcomeOf(work), kind === "read" ? "read" : "synced");
      if ("error" in outcome) throw outcome.error;
      if (outcome.wrote) onChange();
      return outcome.value;
    },
    close: (): void => {
      if (closed) return;
      closed = true;
      queue.flush();
      database.close();
    },
  };
};
export type StateQueue = ReturnType<typeof createStateQueue>;
