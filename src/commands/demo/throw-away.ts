import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError } from "../../errors.ts";
import type { Account, Context, GlobalFlags } from "../../ports.ts";

export type ThrowAway = {
  /** A context on a sandbox of its own: nothing of the person's settings, journal or keys is read or written. */
  readonly context: Context;
  readonly end: () => Promise<void>;
};

/** Opens a sandbox in a temporary home. Throws CliError usage where the folder or its database cannot be had. */
export const openThrowAway = async (outer: Context): Promise<ThrowAway> => {
  const home = await mkdtemp(join(tmpdir(), "payments-cli-demo-")).catch((error: unknown) => {
    throw new CliError("usage", `A temporary folder cannot be made in ${tmpdir()}.`, { hint: "set TMPDIR to a folder that can be written", cause: error });
  });
  try {
    return await openIn(home, outer);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
};

/** No sandbox runs on a folder that was just made. */
const nothingToJoin = async (): Promise<never> => {
  throw new CliError("bug", "A sandbox runs on the demo's own folder.");
};

const openIn = async (home: string, outer: Context): Promise<ThrowAway> => {
  const [{ openSandboxConnection }, { createClient }, { openJournal }] = await Promise.all([
    import("../../sandbox/connection.ts"),
    import("../../service/client.ts"),
    import("../../journal/journal.ts"),
  ]);
  const paths = { config: join(home, "config"), data: join(home, "data"), cache: join(home, "cache") };
  const connection = await openSandboxConnection({ dataFolder: join(paths.data, "sandbox"), clock: { now: () => outer.clock.now() }, joinOver: nothingToJoin });
  const journal = await openJournal({ dataFolder: paths.data, clock: outer.clock });
  const client = createClient({
    baseUrl: connection.baseUrl,
    apiKey: connection.apiKey,
    transport: connection.transport,
    timeoutMs: outer.flags.timeoutMs,
    retries: outer.flags.retries,
    clock: outer.clock,
    random: outer.random,
    trusted: true,
    signal: outer.signal,
  });
  const account: Account = {
    profile: "sandbox",
    baseUrl: connection.baseUrl,
    mode: "sandbox",
    keySource: "keystore",
    storage: "none",
    keyHint: `****${connection.apiKey.slice(-4)}`,
    hasWithdrawalKey: false,
  };
  const context: Context = {
    ...outer,
    flags: scripted(outer.flags),
    env: {},
    paths,
    terminal: { ...outer.terminal, interactive: false },
    note: () => undefined,
    account: async () => account,
    client: async () => client,
    clientFor: async () => client,
    journal: async () => journal,
    openUrl: async () => undefined,
  };
  const end = async (): Promise<void> => {
    journal.dispose();
    await connection.close();
    await rm(home, { recursive: true, force: true });
  };
  return { context, end };
};

/** The tour answers for itself: it moves play money alone. */
const scripted = ({ profile: _profile, baseUrl: _baseUrl, fields: _fields, ...flags }: GlobalFlags): GlobalFlags => ({
  ...flags,
  output: "json",
  sandbox: true,
  yes: true,
  noInput: true,
  quiet: false,
  debug: false,
});
