import type { KindName } from "./engine/entities.ts";
import { advance } from "./engine/step.ts";
import type { Storage, Tables } from "./engine/tables.ts";
import { type At, type Unit, unitOver } from "./engine/unit.ts";

/** One piece of work on the state, and how to undo a part of it. */
export type Desk = {
  readonly unit: Unit;
  readonly at: At;
  /** Runs `work`; where it throws, nothing of it stays, and the error passes through. */
  readonly attempt: <T>(work: () => T) => T;
};
type Job = {
  readonly mode: "read" | "write";
  readonly work: (desk: Desk) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};
type Ended = { readonly job: Job; readonly value?: unknown; readonly error?: unknown };

/** A read that found it has to change something. */
class NeedsWrite extends Error {
  override readonly name = "NeedsWrite";
}

/** It was done, and the disk would not keep it. */
export class NotSynced extends Error {
  override readonly name = "NotSynced";
}

/** So many share a commit at most: while it is synced, the next are worked on. */
const batchMax = 64;
const dated = ["tx", "collection", "disbursement"] as const satisfies readonly KindName[];

export type CommitQueue = {
  /** Resolves after what `work` changed is on disk; many works share one sync (group commit). */
  run<T>(mode: "read" | "write", work: (desk: Desk) => T): Promise<T>;
  close(): Promise<void>;
};

/**
 * Lets all requests that are there at once share one transaction: nothing is answered before its change is synced, and a
 * hundred of them cost one sync. What is due happens first, whoever looks (sandbox.md, Running).
 */
export const createCommitQueue = (dependencies: {
  readonly storage: Storage;
  /** Real time, ms; the sandbox's own is this plus the offset in its state. */
  readonly now: () => number;
  readonly phoneIsWatched: () => boolean;
  readonly onChange: () => void;
}): CommitQueue => {
  const { storage } = dependencies;
  let jobs: Job[] = [];
  let scheduled = false;
  let mode: "read" | "write" = "read";
  let closed = false;
  const guard = (): void => {
    if (mode === "read") throw new NeedsWrite();
  };
  const tables: Tables = {
    core: () => storage.core(),
    setCore: (core) => {
      guard();
      storage.setCore(core);
    },
    draftCore: () => {
      guard();
      return storage.draftCore();
    },
    get: (kind, id) => storage.get(kind, id),
    put: (kind, record) => {
      guard();
      storage.put(kind, record);
    },
    remove: (kind, id) => {
      guard();
      storage.remove(kind, id);
    },
    page: (kind, query) => storage.page(kind, query),
    count: (kind, group) => storage.count(kind, group),
    due: (kind, atMs, limit) => storage.due(kind, atMs, limit),
    nextDueMs: (kind) => storage.nextDueMs(kind),
    forgetKept: (atMs) => {
      guard();
      storage.forgetKept(atMs);
    },
    trim: (kind, keep) => {
      guard();
      storage.trim(kind, keep);
    },
    clear: () => {
      guard();
      storage.clear();
    },
  };
  const unit = unitOver(tables);
  const attempt = <T>(work: () => T): T => {
    if (mode === "read") return work();
    storage.mark();
    try {
      return work();
    } catch (error) {
      storage.undo();
      throw error;
    }
  };
  const moment = (): At => ({ nowMs: Math.floor(dependencies.now()) + (storage.core()?.clockOffsetMs ?? 0), phoneIsWatched: dependencies.phoneIsWatched() });
  const advanceDue = (): void => {
    if (storage.core() === undefined) return;
    const at = moment();
    const due = dated.some((kind) => (storage.nextDueMs(kind) ?? Number.POSITIVE_INFINITY) <= at.nowMs);
    if (!due) return;
    guard();
    attempt(() => advance(unit, at));
  };

  const runAll = (batch: readonly Job[]): readonly Ended[] => {
    storage.begin(mode);
    unit.compared.clear();
    try {
      advanceDue();
      const ended = batch.map((job): Ended => {
        try {
          return { job, value: attempt(() => job.work({ unit, at: moment(), attempt })) };
        } catch (error) {
          if (error instanceof NeedsWrite) throw error;
          return { job, error };
        }
      });
      storage.commit();
      return ended;
    } catch (error) {
      storage.rollback();
      throw error;
    }
  };

  /** While each turn of the loop brings more, one more turn is waited for: the more share one sync, the less each costs. */
  const gather = (seen: number): void => {
    if (jobs.length > seen && jobs.length < batchMax) setImmediate(gather, jobs.length);
    else flush();
  };
  const schedule = (): void => {
    if (scheduled || jobs.length === 0) return;
    scheduled = true;
    setImmediate(gather, 0);
  };
  const answer = (ended: readonly Ended[], wrote: boolean): void => {
    for (const { job, value, error } of ended) {
      if (error === undefined) job.resolve(value);
      else job.reject(error);
    }
    if (wrote) dependencies.onChange();
  };
  const flush = (): void => {
    scheduled = false;
    const batch = jobs.length <= batchMax ? jobs : jobs.slice(0, batchMax);
    jobs = jobs.slice(batch.length);
    if (batch.length === 0) return;
    schedule();
    try {
      mode = batch.some((job) => job.mode === "write") ? "write" : "read";
      let ended: readonly Ended[];
      try {
        ended = runAll(batch);
      } catch (error) {
        if (!(error instanceof NeedsWrite)) throw error;
        mode = "write";
        ended = runAll(batch);
      }
      const wrote = mode === "write";
      // What a read saw may be as new as that.
      const synced = storage.synced();
      if (synced === undefined) answer(ended, wrote);
      else
        synced.then(
          () => answer(ended, wrote),
          (cause: unknown) => {
            for (const { job } of ended) job.reject(new NotSynced("What was done may be lost: the disk refused it.", { cause }));
          },
        );
    } catch (error) {
      for (const job of batch) job.reject(error);
    }
  };

  return {
    run: <T>(wanted: "read" | "write", work: (desk: Desk) => T) =>
      new Promise<T>((resolve, reject) => {
        if (closed) {
          reject(new Error("The sandbox is closed."));
          return;
        }
        jobs.push({ mode: wanted, work, resolve: (value) => resolve(value as T), reject });
        schedule();
      }),
    close: async () => {
      if (closed) return;
      closed = true;
      while (jobs.length > 0) flush();
      await storage.synced()?.catch(() => undefined);
      storage.close();
    },
  };
};
