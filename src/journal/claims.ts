import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { tryLock } from "../storage/lock.ts";
import type { Database } from "../storage/sqlite.ts";

/** Which process may send an attempt. The attempt names its holder; the holder is alive as long as its lock file is locked. */
export type Claims = {
  /** The name under which this process holds attempts. Its lock is taken with the first. */
  own(): Promise<string>;
  isOwn(holder: string): boolean;
  /** False once the process of that name has ended, however it did. One that was stopped (SIGSTOP) and may go on is alive. */
  isAlive(holder: string): Promise<boolean>;
  /** Others still see that this process is alive. */
  isSeen(): boolean;
  dispose(): void;
};

const looksMax = 4;
const betweenLooksMs = 25;

export const createClaims = (folder: string): Claims => {
  const pathOf = (holder: string): string => join(folder, `${holder}.process`);
  let taking: Promise<string> | undefined;
  let own: { readonly name: string; readonly path: string; readonly lock: Database } | undefined;
  const asking = new Map<string, Promise<boolean>>();
  const take = async (): Promise<string> => {
    // No name is used twice, as a process number is.
    const name = crypto.randomUUID();
    const path = pathOf(name);
    const lock = await tryLock(path);
    if (lock === undefined) throw new Error(`${path} is locked by another process`);
    own = { name, path, lock };
    return name;
  };
  return {
    own: () => {
      taking ??= take();
      return taking;
    },
    isOwn: (holder) => holder === own?.name,
    isAlive: async (holder) => {
      if (holder === own?.name) return true;
      // Rows of a batch ask about one holder at once, and each would find the lock taken by the other.
      const asked = asking.get(holder) ?? isLocked(pathOf(holder)).finally(() => asking.delete(holder));
      asking.set(holder, asked);
      return await asked;
    },
    isSeen: () => own === undefined || lstatSync(own.path, { throwIfNoEntry: false }) !== undefined,
    dispose: () => {
      own?.lock.close();
      if (own !== undefined) discard(own.path);
    },
  };
};

/**
 * Whoever only asks holds the lock for a moment: it counts when it is still held a little later. Whoever finds it free removes its file,
 * which SQLite calls an I/O error if it has just opened it here.
 */
const isLocked = async (path: string): Promise<boolean> => {
  for (let looks = 1; ; looks += 1) {
    try {
      const lock = await tryLock(path);
      if (lock !== undefined) {
        lock.close();
        discard(path);
        return false;
      }
      if (looks === looksMax) return true;
    } catch (error) {
      if (!/disk I\/O error/.test(String(error))) throw error;
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false;
      if (looks === looksMax) throw error;
    }
    await pause(betweenLooksMs);
  }
};

/** Where another process looks at it in this moment (Windows), the empty file stays: it says nothing. */
const discard = (path: string): void => {
  try {
    rmSync(path, { force: true });
  } catch {}
};
