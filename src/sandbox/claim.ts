import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CliError, usageError } from "../errors.ts";
import { fileFault } from "../storage/file-fault.ts";
import { withLock } from "../storage/lock.ts";
import { makeFolder } from "../storage/make-folder.ts";
import { findRunning, isAlive, type Running, runningFile } from "./join.ts";

/** Assumed: starting takes less; a file of a start that died is nobody's after that. */
const startingMs = 10_000;

const pidIn = (text: string): number | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "pid" in value && typeof value.pid === "number" ? value.pid : undefined;
  } catch {
    return undefined;
  }
};
const writeFile = async (path: string, flag: "wx" | "w", text: string): Promise<void> => {
  const file = await open(path, flag, 0o600);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
};

/** Is a `sandbox` starting on it that has no port yet? */
const isStarting = async (path: string): Promise<boolean> => {
  const [text, found] = await Promise.all([readFile(path, "utf8").catch(() => ""), stat(path).catch(() => undefined)]);
  const pid = pidIn(text);
  const young = found !== undefined && Date.now() - found.mtimeMs < startingMs;
  return young && (pid === undefined || (pid !== process.pid && isAlive(pid) && !text.includes('"port"')));
};

/** Held while a claim is made. */
export const lockFile = (dataFolder: string): string => join(dataFolder, "running.lock");

export type Claim = { announce(running: Running): Promise<void>; release(): Promise<void> };

/** Takes the folder for one `sandbox`. Throws CliError usage where another one runs on it; a dead one's claim is taken over. */
export const claimFolder = async (dataFolder: string): Promise<Claim> => {
  const path = runningFile(dataFolder);
  const unusable = (cause: unknown): CliError => {
    const { reason, hint } = fileFault(path, cause);
    return new CliError("usage", `The folder ${dataFolder} cannot be written: ${reason}.`, { hint: `${hint}, or use --data DIR or --ephemeral`, cause });
  };
  try {
    makeFolder(dataFolder);
    // One after the other: of two that see the same dead claim, the slower would remove the quicker one's new one.
    await withLock(lockFile(dataFolder), () => takeClaim(path, dataFolder));
  } catch (error) {
    throw error instanceof CliError ? error : unusable(error);
  }
  return {
    announce: async (running) => {
      const fresh = `${path}.${process.pid}`;
      await writeFile(fresh, "w", JSON.stringify(running));
      await rename(fresh, path);
    },
    release: async () => {
      const text = await readFile(path, "utf8").catch(() => "");
      if (pidIn(text) === process.pid) await rm(path, { force: true });
    },
  };
};

const takeClaim = async (path: string, dataFolder: string): Promise<void> => {
  const running = await findRunning(dataFolder);
  if (running !== undefined)
    throw usageError(
      `A sandbox runs on ${dataFolder} already, at ${running.baseUrl} (process ${running.pid}).`,
      "use that one, or choose other data with --data DIR or --ephemeral",
    );
  if (await isStarting(path)) throw usageError(`Another sandbox is starting on ${dataFolder}.`, "try again in a moment");
  await rm(path, { force: true });
  await writeFile(path, "wx", JSON.stringify({ pid: process.pid }));
};
