import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError, usageError } from "../errors.ts";
import { fileFault } from "../storage/file-fault.ts";
import { tryLock } from "../storage/lock.ts";
import { makeFolder } from "../storage/make-folder.ts";
import type { Database } from "../storage/sqlite.ts";
import { findRunning, type Running, runningFile } from "./join.ts";

export type Claim = { announce(running: Running): Promise<void>; release(): Promise<void> };

/** Takes the folder for one `sandbox`, until it is released or its process ends. Throws CliError usage where another one runs on it. */
export const claimFolder = async (dataFolder: string): Promise<Claim> => {
  const path = runningFile(dataFolder);
  const lock = await lockFolder(dataFolder);
  if (lock === undefined) {
    const running = await findRunning(dataFolder);
    if (running === undefined) throw usageError(`Another sandbox is starting on ${dataFolder}.`, "try again in a moment");
    throw usageError(
      `A sandbox runs on ${dataFolder} already, at ${running.baseUrl} (process ${running.pid}).`,
      "use that one, or choose other data with --data DIR or --ephemeral",
    );
  }
  return {
    announce: async (found) => {
      const fresh = `${path}.${process.pid}`;
      await writeFile(fresh, JSON.stringify(found), { mode: 0o600 });
      await rename(fresh, path);
    },
    release: async () => {
      await rm(path, { force: true });
      lock.close();
    },
  };
};

/** Undefined while another process holds it. */
const lockFolder = async (dataFolder: string): Promise<Database | undefined> => {
  try {
    makeFolder(dataFolder);
    return await tryLock(join(dataFolder, "running.lock"));
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const { reason, hint } = fileFault(runningFile(dataFolder), cause);
    throw new CliError("usage", `The folder ${dataFolder} cannot be written: ${reason}.`, { hint: `${hint}, or use --data DIR or --ephemeral`, cause });
  }
};
