import type { Transport } from "../service/transport.ts";
import { findRunning } from "./join.ts";
import { createSandbox } from "./sandbox.ts";
import { startTicking } from "./ticking.ts";
import { createSandboxTransport } from "./transport.ts";

export type OpenedSandbox = {
  readonly transport: Transport;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  close(): Promise<void>;
};

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
export const openSandboxConnection = async (options: ConnectionOptions): Promise<OpenedSandbox> => {
  const running = await findRunning(options.dataFolder);
  if (running !== undefined) {
    const transport = await options.joinOver();
    const { baseUrl, apiKey, webhookSecret } = running;
    return { transport, baseUrl, apiKey, webhookSecret, close: () => transport.close() };
  }
  const sandbox = await createSandbox({ data: options.dataFolder, clock: options.clock, baseUrl: embeddedBaseUrl });
  const stop = startTicking(sandbox, { now: () => options.clock?.now() ?? Date.now() });
  return {
    transport: createSandboxTransport(sandbox),
    baseUrl: embeddedBaseUrl,
    apiKey: sandbox.apiKey,
    webhookSecret: sandbox.webhookSecret,
    close: async () => {
      await stop();
      await sandbox.close();
    },
  };
};
