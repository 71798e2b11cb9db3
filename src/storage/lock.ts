import { setTimeout as pause } from "node:timers/promises";
import { CliError, usageError } from "../errors.ts";
import { unusableFile } from "./safe-file.ts";
import { type Database, isBusy, openDatabase } from "./sqlite.ts";

const waitMs = 60_000;
const pollMs = 20;

/**
 * The lock at `path` by SQLite's own file locks; undefined while another holder has it. The system lets go of it when its process
 * ends, by SIGKILL too: no clock, process number or leftover file has to be judged. The file stays, empty. Closing releases it.
 */
export const tryLock = async (path: string): Promise<Database | undefined> => {
  let lock: Database | undefined;
  try {
    lock = await openDatabase(path, { busyTimeoutMs: 0, wal: false });
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
};

/** Runs `work` while holding the lock at `path`. Throws CliError usage if it cannot be had within a minute. */
export const withLock = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const endsAtMs = performance.now() + waitMs;
  const take = async (): Promise<Database> => {
    for (;;) {
      const lock = await tryLock(path);
      if (lock !== undefined) return lock;
      if (performance.now() > endsAtMs) throw usageError(`Another process holds ${path}; nothing was written.`, "End that process and try again.");
      await pause(pollMs);
    }
  };
  const lock = await take().catch((error: unknown) => {
    throw error instanceof CliError ? error : unusableFile(path, "written", error);
  });
  try {
    return await work();
  } finally {
    lock.close();
  }
};
