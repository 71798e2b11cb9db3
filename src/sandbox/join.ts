import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { errorCode } from "../error-code.ts";

/** What a running `sandbox` leaves in its folder for others to find it. */
export type Running = { readonly pid: number; readonly port: number; readonly baseUrl: string; readonly apiKey: string; readonly webhookSecret: string };

export const runningFile = (dataFolder: string): string => join(dataFolder, "running.json");

const isRunning = (value: unknown): value is Running => {
  const found: Partial<Record<string, unknown>> = typeof value === "object" && value !== null ? { ...value } : {};
  const areTexts = [found["baseUrl"], found["apiKey"], found["webhookSecret"]].every((text) => typeof text === "string");
  return areTexts && typeof found["pid"] === "number" && typeof found["port"] === "number";
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
