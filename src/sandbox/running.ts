import { once } from "node:events";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { CliError, errorCode, usageError } from "../errors.ts";
import { fileFault } from "../storage/file-fault.ts";
import { tryLock } from "../storage/lock.ts";
import { makeFolder } from "../storage/make-folder.ts";
import type { Database } from "../storage/sqlite.ts";

/** What a running `sandbox` leaves in its folder for others to find it. */
export type Running = { readonly pid: number; readonly baseUrl: string; readonly apiKey: string; readonly webhookSecret: string };

export const runningFile = (dataFolder: string): string => join(dataFolder, "running.json");

const isRunning = (value: unknown): value is Running => {
  const found: Partial<Record<string, unknown>> = typeof value === "object" && value !== null ? { ...value } : {};
  const areTexts = [found["baseUrl"], found["apiKey"], found["webhookSecret"]].every((text) => typeof text === "string");
  return areTexts && typeof found["pid"] === "number";
};
const read = async (path: string): Promise<Running | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isRunning(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
};

/** A port of this machine that nobody listens on refuses at once: only a machine that is out of breath takes long. */
const answerMs = 3_000;
const answers = async (url: string): Promise<boolean> => {
  if (!URL.canParse(url)) return false;
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(answerMs) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/** The sandbox that runs on this folder: its process is alive and its port answers. */
export const findRunning = async (dataFolder: string): Promise<Running | undefined> => {
  const found = await read(runningFile(dataFolder));
  return found !== undefined && isAlive(found.pid) && (await answers(found.baseUrl)) ? found : undefined;
};

export type Claim = { announce(running: Running): Promise<void>; release(): Promise<void> };

/** Takes the folder for one `sandbox`, until it is released or its process ends. Throws CliError usage where another one runs on it. */
export const claimFolder = async (dataFolder: string): Promise<Claim> => {
  const path = runningFile(dataFolder);
  const lock = await lockFolder(dataFolder);
  if (lock === undefined) {
    const running = await findRunning(dataFolder);
    if (running === undefined) throw usageError(`Another sandbox is starting on ${dataFolder}.`, "Try again in a moment");
    throw usageError(
      `A sandbox runs on ${dataFolder} already, at ${running.baseUrl} (process ${running.pid}).`,
      "Use that one, or choose other data with --data DIR or --ephemeral",
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
