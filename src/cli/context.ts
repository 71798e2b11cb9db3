import type { AccountSources, FoundAccount } from "../accounts/account.ts";
import { CliError } from "../errors.ts";
import type { Journal } from "../journal/port.ts";
import { lazily } from "../lazily.ts";
import { sanitize } from "../output/sanitize.ts";
import { wrapText } from "../output/wrap.ts";
import type { Account, Client, Context, GlobalFlags, Progress, Terminal } from "../ports.ts";
import type { Host, SandboxConnection } from "./host.ts";
import { createQuestions, type Questions } from "./questions.ts";

const stdinBytesMax = 64 * 1024 * 1024;

/** Colour on stdout and stderr (rules.md, Global flags). */
export const colourOf = (host: Host, noColor: boolean): Terminal["colour"] => {
  const forced = (host.env["FORCE_COLOR"] ?? "") !== "" && host.env["FORCE_COLOR"] !== "0";
  const refused = noColor || (host.env["NO_COLOR"] ?? "") !== "" || host.env["FORCE_COLOR"] === "0";
  const on = (isTerminal: boolean): boolean => !refused && (forced || (isTerminal && host.env["TERM"] !== "dumb"));
  return { stdout: on(host.stdoutIsTerminal), stderr: on(host.stderrIsTerminal) };
};

/** What the streams and variables allow: asking, colour, drawing (rules.md, Streams and Global flags). */
const terminalOf = (host: Host, flags: GlobalFlags): Terminal => {
  const dumb = host.env["TERM"] === "dumb";
  // What is drawn over and over is progress to a reader who asked for none, and tears --debug's lines apart.
  const onScreen = host.stdoutIsTerminal && !dumb && !flags.quiet && !flags.noInput && !flags.debug && flags.output === "table" && flags.fields === undefined;
  return {
    interactive: host.stdinIsTerminal && host.stderrIsTerminal && !flags.noInput,
    stdoutIsTerminal: host.stdoutIsTerminal,
    stderrIsTerminal: host.stderrIsTerminal,
    width: () => host.width(),
    colour: colourOf(host, flags.noColor),
    draws: host.stderrIsTerminal && !dumb && !flags.quiet && !flags.noInput,
    ...(onScreen && host.screen !== undefined ? { screen: host.screen } : {}),
  };
};

/** What is said on stderr while a command runs. */
const createNotes = (host: Host, flags: GlobalFlags, terminal: Terminal) => {
  const lines: Progress[] = [];
  // A line that is redrawn stands where the cursor is: what is said next would be written behind it.
  const endLines = (): void => {
    for (const line of lines) line.end();
  };
  return {
    note: (text: string): void => {
      if (flags.output === "json" || flags.quiet) return;
      endLines();
      host.err(`${wrapText(sanitize(text), { width: terminal.stderrIsTerminal ? host.width() : 0 })}\n`);
    },
    debug: (line: string): void => {
      endLines();
      host.err(`debug: ${sanitize(line)}\n`);
    },
    progress: (): Progress => {
      const line = host.progress(terminal);
      lines.push(line);
      return line;
    },
  };
};

/** What is to be closed when the command has ended, the newest first. */
type Ends = (() => Promise<void>)[];
type Needs = { readonly sandbox: () => Promise<SandboxConnection>; readonly debug: (line: string) => void; readonly ends: Ends };
const createClients =
  (host: Host, flags: GlobalFlags, { sandbox, debug, ends }: Needs) =>
  async (baseUrl: string, apiKey: string, bulk: boolean): Promise<Client> => {
    const [{ createClient }, { refuseUnverifiedTls, parseBaseUrl }] = await Promise.all([import("../service/client.ts"), import("../service/base-url.ts")]);
    if (!flags.sandbox) refuseUnverifiedTls(parseBaseUrl(baseUrl), host.env);
    const transport = flags.sandbox ? (await sandbox()).transport : await host.transport({ bulk });
    const { timeoutMs, retries } = flags;
    const { clock, random, signal } = host;
    const optional = { ...(flags.debug ? { debug } : {}), ...(flags.sandbox ? { trusted: true as const } : {}) };
    const userAgent = `payments-cli/${host.version}`;
    const client = createClient({ baseUrl, apiKey, transport, timeoutMs, retries, clock, random, signal, userAgent, ...optional });
    if (!flags.sandbox) ends.push(() => client.close());
    return client;
  };

export type ContextWithEnd = Pick<Questions, "again"> & { readonly context: Context; readonly end: () => Promise<void> };

/** Everything a command may touch, made on first use: a command that needs no journal opens none. */
export const createContext = (host: Host, flags: GlobalFlags): ContextWithEnd => {
  const terminal = terminalOf(host, flags);
  const ends: Ends = [];
  const { note, debug, progress } = createNotes(host, flags, terminal);
  const sandbox = lazily(async (): Promise<SandboxConnection> => {
    const connection = await host.sandbox(host.paths.data);
    ends.push(() => connection.close());
    return connection;
  });
  const { env, version, paths, clock, random, signal, hurry, openUrl, post, listen } = host;
  const shared = { env, version, paths, clock, random, signal, hurry, openUrl, post, listen };
  const sources = { flags, env, paths };
  const found = lazily(async (): Promise<FoundAccount> => {
    const { checkSandboxFlags, findAccount } = await import("../accounts/account.ts");
    if (flags.sandbox) {
      checkSandboxFlags(flags);
      return sandboxAccount(await sandbox());
    }
    const account = await findAccount(sources);
    for (const line of account.notes) note(line);
    return account;
  });
  const clientOver = createClients(host, flags, { sandbox, debug, ends });
  const clients = new Map<boolean, Promise<Client>>();
  const prompter = lazily(() => host.prompter(terminal));
  const { prompt, again } = createQuestions(prompter, terminal);

  const context: Context = {
    ...shared,
    ...{ flags, terminal, prompt, note, progress },
    readStdin: (maxBytes = stdinBytesMax) => host.readStdin(maxBytes),
    account: async (): Promise<Account> => (await found()).account,
    client: async ({ bulk = false, key, passphrase = "" } = {}) => {
      const { account, readKey, readWithdrawalKey } = await found();
      if (key === "withdrawal") return await clientOver(account.baseUrl, await readWithdrawalKey(passphrase), bulk);
      const made = clients.get(bulk) ?? readKey().then((secret) => clientOver(account.baseUrl, secret, bulk));
      clients.set(bulk, made);
      return await made;
    },
    clientFor: (baseUrl, apiKey) => clientOver(baseUrl, apiKey, false),
    webhookSettings: async () => {
      if (flags.sandbox) return { scheme: "standard-webhooks", secrets: [(await sandbox()).webhookSecret] };
      const { resolveWebhookSettings } = await import("../accounts/account.ts");
      return await resolveWebhookSettings(sources);
    },
    ...createJournals(host, sources, ends),
  };
  const end = async (): Promise<void> => {
    for (const close of ends.reverse()) await close();
  };
  return { context, end, again };
};

const sandboxAccount = ({ baseUrl, apiKey }: SandboxConnection): FoundAccount => ({
  account: {
    ...{ profile: "sandbox", mode: "sandbox", keySource: "keystore", storage: "none" },
    ...{ baseUrl, keyHint: `****${apiKey.slice(-4)}`, hasWithdrawalKey: false },
  },
  notes: [],
  readKey: async () => apiKey,
  readWithdrawalKey: () => Promise.reject(new CliError("config", "The sandbox has no withdrawal key.")),
});

const createJournals = (host: Host, sources: AccountSources, ends: Ends): Pick<Context, "journal" | "existingJournal"> => {
  const readPlace = async () => (await import("../accounts/journal-place.ts")).readJournalPlace(sources);
  const journal = lazily(async (): Promise<Journal> => {
    const shared = await readPlace();
    const opened =
      shared === undefined
        ? await (await import("../journal/journal.ts")).openJournal({ dataFolder: host.paths.data, clock: host.clock })
        : await (await import("../journal/postgres/postgres-journal.ts")).openSharedJournal({ ...shared, env: host.env });
    ends.push(async () => opened.dispose());
    return opened;
  });
  return {
    journal,
    existingJournal: async () => {
      if ((await readPlace()) !== undefined) return await journal();
      const { dataFolderOf, hasJournal } = await import("../journal/journal-file.ts");
      const dataFolder = dataFolderOf(host.paths);
      return dataFolder !== undefined && hasJournal(dataFolder) ? await journal() : undefined;
    },
  };
};
