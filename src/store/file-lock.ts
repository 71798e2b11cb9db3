import { readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { kill, pid, platform } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { usageError } from "../kernel/errors.ts";
import { nodeCrypto } from "../kernel/node-crypto.ts";
import { codeOf, writeNewFile } from "./safe-file.ts";

/** A lock is held for milliseconds: one that stays the same for this long belongs to nobody any more. */
const staleAfterMs = 5000;
const giveUpAfterMs = 20_000;
const pollMs = 15;

type Holder = { readonly token: string; readonly pid: number; readonly host: string };

const parseHolder = (text: string): Holder | undefined => {
  const [token, pidText, host] = text.split(" ");
  return token !== undefined && pidText !== undefined && host !== undefined ? { token, pid: Number(pidText), host } : undefined;
};

const read = async (path: string): Promise<string | undefined> => await readFile(path, "utf8").catch(() => undefined);

const isDead = (holder: Holder | undefined): boolean => {
  // Another machine's process (a shared home) can't be asked: only time tells.
  if (holder === undefined || holder.host !== hostname() || !Number.isInteger(holder.pid) || holder.pid <= 0) return false;
  try {
    kill(holder.pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
};

const tryCreate = async (path: string, content: string): Promise<boolean> => {
  try {
    await writeNewFile(path, content);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    // Windows answers so while another process is deleting it.
    if (codeOf(error) === "EPERM" && platform === "win32") return false;
    throw error;
  }
};

/**
 * Removes a lock whose holder is gone. Guarded by a second file, so that of two who saw the same dead lock the slower one
 * can't remove the new lock of the quicker one: under the guard it is read again.
 */
const removeStale = async (path: string, seen: string, token: string): Promise<void> => {
  const guard = `${path}.takeover`;
  if (!(await tryCreate(guard, token))) return;
  try {
    if ((await read(path)) === seen) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
};

export type Lock = { isHeld(): Promise<boolean>; release(): Promise<void> };

/**
 * Takes the lock file at `path` (its folder must exist), waiting up to 20 s. A dead process's lock is taken over at once,
 * another machine's or an unreadable one after 5 s without a change. Throws CliError usage when time runs out.
 */
export const takeLock = async (path: string): Promise<Lock> => {
  const token = nodeCrypto().randomUUID();
  const content = `${token} ${pid} ${hostname().replaceAll(" ", "_")}`;
  const startedMs = performance.now();
  let watched: string | undefined;
  let watchedSinceMs = startedMs;
  while (!(await tryCreate(path, content))) {
    const nowMs = performance.now();
    const seen = await read(path);
    if (seen !== watched) {
      watched = seen;
      watchedSinceMs = nowMs;
    }
    const unchangedMs = nowMs - watchedSinceMs;
    if (seen !== undefined && (isDead(parseHolder(seen)) || unchangedMs > staleAfterMs)) await removeStale(path, seen, token);
    // A crash between the two lines of removeStale would leave its guard: it too is nobody's after a while.
    if (unchangedMs > 2 * staleAfterMs) await rm(`${path}.takeover`, { force: true });
    if (nowMs - startedMs > giveUpAfterMs)
      throw usageError(`${path} is held by another process; nothing was written.`, "Try again in a moment, or delete that file.");
    await pause(pollMs);
  }
  const isHeld = async (): Promise<boolean> => (await read(path)) === content;
  return {
    isHeld,
    release: async () => {
      if (await isHeld()) await rm(path, { force: true });
    },
  };
};
