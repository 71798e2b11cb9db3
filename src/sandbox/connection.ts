import { setTimeout as pause } from "node:timers/promises";
import { type Transport, type TransportAnswer, TransportError, type TransportRequest } from "../service/transport.ts";
import { sleep } from "../timer.ts";
import { isDrop, type SandboxAnswer, type SandboxRequest } from "./request.ts";
import { findRunning } from "./running.ts";
import { createSandbox } from "./sandbox.ts";
import { startTicking } from "./ticking.ts";

export type ConnectionOptions = {
  readonly dataFolder: string;
  readonly clock?: { now(): number };
  /** What carries requests to a sandbox that runs already, on this machine: it must use no proxy. */
  readonly joinOver: () => Promise<Transport>;
};

/** Where an embedded sandbox is said to be: a name that is always this machine. Nothing listens there. */
export const embeddedBaseUrl = "http://sandbox.localhost";

/**
 * The service on `dataFolder` (the sandbox's own folder), joined where a `sandbox` runs on it, else opened inside this process. Several processes may do so
 * at once. Throws CliError usage where no SQLite can be loaded or the folder cannot be written.
 */
export const openSandboxConnection = async ({ dataFolder, clock = { now: () => Date.now() }, joinOver }: ConnectionOptions) => {
  const running = await findRunning(dataFolder);
  if (running !== undefined) {
    const transport = await joinOver();
    const { baseUrl, apiKey, webhookSecret } = running;
    return { transport, baseUrl, apiKey, webhookSecret, close: () => transport.close() };
  }
  const sandbox = await createSandbox({ data: dataFolder, clock, baseUrl: embeddedBaseUrl });
  const stop = startTicking(sandbox);
  const { apiKey, webhookSecret } = sandbox;
  const close = async (): Promise<void> => {
    await stop();
    await sandbox.close();
  };
  return { transport: createSandboxTransport(sandbox), baseUrl: embeddedBaseUrl, apiKey, webhookSecret, close };
};

const lower = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const acted = async (answer: SandboxAnswer): Promise<TransportAnswer> => {
  if (isDrop(answer)) {
    if (answer.drop === "hang") return await new Promise<never>(() => undefined);
    if (answer.drop === "truncate") throw new TransportError("truncated", true, "The answer ended in the middle.");
    throw new TransportError("reset", true, "The connection was cut before an answer came.");
  }
  if (answer.delayMs !== undefined) await pause(answer.delayMs, undefined, { ref: false });
  return { status: answer.status, headers: lower(answer.headers), body: new TextEncoder().encode(answer.body) };
};

/** The service without a port: the same answers, and the same ways to get none. Closing it leaves the sandbox open. */
export const createSandboxTransport = (sandbox: { handle(request: SandboxRequest): Promise<SandboxAnswer> }): Transport => ({
  send: async (request: TransportRequest, { timeoutMs, signal, beforeWriting }) => {
    if (signal?.aborted === true) throw new TransportError("aborted", false, "The request was interrupted.");
    beforeWriting?.();
    // When the time is over or the caller gives up, the request is with the service.
    const answered = new AbortController();
    const over = sleep(timeoutMs, AbortSignal.any([answered.signal, ...(signal === undefined ? [] : [signal])])).then(
      () => Promise.reject(new TransportError("timeout", true, `No complete answer arrived within ${Math.round(timeoutMs / 100) / 10} s.`)),
      () => Promise.reject(new TransportError("aborted", true, "The request was interrupted.")),
    );
    try {
      const asked = { method: request.method, path: `${request.url.pathname}${request.url.search}`, headers: lower(request.headers), body: request.body ?? "" };
      return await Promise.race([sandbox.handle(asked).then(acted), over]);
    } finally {
      over.catch(() => undefined);
      answered.abort();
    }
  },
  close: async () => undefined,
});
