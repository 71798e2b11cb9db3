import { close, fdatasync, openSync } from "node:fs";

/** Brings a write-ahead log to disk beside the event loop, so that the next commit is made while the last one is synced. */
export type WalSync = {
  /** Something was written to the log. */
  written(): void;
  /** Resolves once all that was written by now is on disk; undefined where it is. Rejects where the disk refused it, and from then on: what it lost once, later syncs do not bring. */
  synced(): Promise<void> | undefined;
  close(): void;
};

type Sync = (descriptor: number, done: (error: Error | null) => void) => void;
type Waiting = { readonly upTo: number; readonly resolve: () => void; readonly reject: (error: unknown) => void };

/**
 * `path` is the log of a database that this process has open: its `-wal` is nowhere locked, so that closing a descriptor of it drops no
 * lock. Throws where it cannot be opened.
 */
export const createWalSync = (path: string, sync: Sync = fdatasync): WalSync => {
  const descriptor = openSync(path, "r+");
  let written = 0;
  let safe = 0;
  let waiting: Waiting[] = [];
  let running = false;
  let refused: unknown;
  let closed = false;
  const run = (): void => {
    running = true;
    const upTo = written;
    sync(descriptor, (error) => {
      running = false;
      const done = waiting.filter((one) => one.upTo <= upTo);
      waiting = waiting.filter((one) => one.upTo > upTo);
      if (error !== null) refused ??= error;
      if (refused === undefined) safe = Math.max(safe, upTo);
      for (const one of done) {
        if (refused === undefined) one.resolve();
        else one.reject(refused);
      }
      if (waiting.length > 0) run();
      else if (closed) close(descriptor);
    });
  };
  return {
    written: () => {
      written += 1;
    },
    synced: () =>
      safe >= written
        ? undefined
        : new Promise((resolve, reject) => {
            waiting.push({ upTo: written, resolve, reject });
            if (!running) run();
          }),
    close: () => {
      closed = true;
      if (!running) close(descriptor);
    },
  };
};
