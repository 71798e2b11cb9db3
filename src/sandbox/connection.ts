import type { Transport } from "../service/transport.ts";
import { findRunning } from "./running.ts";
import { createSandbox } from "./sandbox.ts";
import { startTicking } from "./ticking.ts";
import { createSandboxTransport } from "./transport.ts";

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
  const stop = startTicking(sandbox, clock);
  const { apiKey, webhookSecret } = sandbox;
  const close = async (): Promise<void> => {
    await stop();
    await sandbox.close();
  };
  return { transport: createSandboxTransport(sandbox), baseUrl: embeddedBaseUrl, apiKey, webhookSecret, close };
};
