import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { errorCode } from "../error-code.ts";

/** What a running `sandbox` leaves in its folder for others to find it. */
export type Running = { readonly pid: number; readonly port: number; readonly baseUrl: string; readonly apiKey: string; readonly webhookSecret: string };

export const runningFile = (dataFolder: string): string => join(dataFolder, "running.json");

const parse = (text: string): Running | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    const { pid, port, baseUrl, apiKey, webhookSecret }: Partial<Record<string, unknown>> = { ...value };
    if (typeof pid !== "number" || typeof port !== "number") return undefined;
    if (typeof baseUrl !== "string" || typeof apiKey !== "string" || typeof webhookSecret !== "string") return undefined;
    return { pid, port, baseUrl, apiKey, webhookSecret };
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
const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) });
    const end = (found: boolean): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(answerMs, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });

/** The sandbox that runs on this folder: its process is alive and its port answers. */
export const findRunning = async (dataFolder: string): Promise<Running | undefined> => {
  const text = await readFile(runningFile(dataFolder), "utf8").catch(() => undefined);
  const found = text === undefined ? undefined : parse(text);
  if (found === undefined || !isAlive(found.pid)) return undefined;
  return (await answers(found.baseUrl)) ? found : undefined;
};
