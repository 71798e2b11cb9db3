import { checkProfileName, createProfiles, type Profile, type Profiles } from "../../accounts/profiles.ts";
import { askSecret, cleanSecret, keyHintOf, keyProblem, problemOf } from "../../accounts/secrets.ts";
import { flagWords, type Input, type Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { present } from "../../json/exact-json.ts";
import type { Context, Mode } from "../../ports.ts";
import { baseUrlText, parseBaseUrl } from "../../service/base-url.ts";
import { routes } from "../../service/contract/routes.ts";
import { changedMeanwhile, confirmDrop } from "../profile/drop-secrets.ts";
import { profileOutcome } from "../profile/profile.ts";
import type { loginSpec } from "./spec.ts";

/** Nobody's key is longer; more is not a key but a file piped in by mistake. */
const keyBytesMax = 64 * 1024;

type LoginFlags = Input<typeof loginSpec>["flags"];
type Asked = {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly mode: Mode;
  /** The person agreed that the stored withdrawal key goes. */
  readonly drops: boolean;
  /** A key that replaces one in the keychain goes there too. */
  readonly keychain: boolean;
};

const askName = async (flags: LoginFlags, context: Pick<Context, "env" | "flags" | "terminal" | "prompt">): Promise<string> => {
  const given = flags.name ?? context.flags.profile ?? (context.env["PAYMENTS_PROFILE"] || undefined);
  if (given !== undefined) return checkProfileName(given);
  if (!context.terminal.interactive || flags.withKey) return "default";
  const check = (text: string): string | undefined => problemOf(() => checkProfileName(text));
  return checkProfileName(await context.prompt.text({ message: "Profile name", initial: "default", check, words: (name) => flagWords("name", name) }));
};

const askBaseUrl = async (context: Pick<Context, "env" | "flags" | "terminal" | "prompt">, stored: Profile | undefined): Promise<string> => {
  const given = context.flags.baseUrl ?? (context.env["PAYMENTS_BASE_URL"] || undefined);
  if (given !== undefined) return baseUrlText(parseBaseUrl(given));
  const before = stored?.baseUrl || undefined;
  if (!context.terminal.interactive) {
    if (before !== undefined) return before;
    throw usageError("--base-url is missing. It is the address of the service.", "payments-cli login --base-url URL --with-key < key.txt");
  }
  const check = (text: string): string | undefined => problemOf(() => parseBaseUrl(text));
  const question = { message: "Base URL of the service", ...present({ initial: before }), check };
  return baseUrlText(parseBaseUrl(await context.prompt.text({ ...question, words: (url) => flagWords("base-url", url) })));
};

const ask = async (flags: LoginFlags, context: Pick<Context, "flags" | "terminal" | "prompt" | "env">, profiles: Profiles): Promise<Omit<Asked, "key">> => {
  if (context.flags.sandbox) throw new CliError("usage", "The sandbox needs no login.", { hint: "Just use it", command: ["wallet", "--sandbox"] });
  if (!context.terminal.interactive && !flags.withKey)
    throw usageError("Without a terminal, login needs --with-key and the API key on standard input.", "payments-cli login --base-url URL --with-key < key.txt");
  const name = await askName(flags, context);
  const stored = await profiles.read(name);
  const baseUrl = await askBaseUrl(context, stored);
  const drops = stored !== undefined && dropsWithdrawalKey(stored, baseUrl);
  if (drops) {
    const hint = "Choose another name with --name, or remove the profile first";
    await confirmDrop(stored, { hint, command: ["profile", "remove", name, "--yes"] }, context);
  }
  return { name, baseUrl, mode: flags.mode, drops, keychain: flags.keychain || stored?.storage === "keychain" };
};

/** The same with a key that the service accepts. */
type Typing = Pick<Context, "terminal" | "readStdin" | "prompt">;
const askKey = async (profile: Omit<Asked, "key">, context: Typing, check: (asked: Asked) => Promise<void>): Promise<Asked> => {
  const use = async (typed: string | Uint8Array, name?: string): Promise<Asked> => {
    const asked = { ...profile, key: cleanSecret(typed, name) };
    await check(asked);
    return asked;
  };
  if (!context.terminal.interactive) return await use(await context.readStdin(keyBytesMax), "The key on standard input");
  // On a terminal a key typed to --with-key is asked for too: so it is not shown on the screen.
  const refused = `The service does not accept that key (401), and nothing was stored. Is it the key for ${profile.baseUrl}?`;
  return await askSecret({ message: "API key", check: keyProblem, use, isRefusal: ({ status }) => status === 401, refused }, context.prompt);
};

/** The address that all else in a profile was given for; it may have moved away from there since. */
const addressOf = (stored: Profile): string => stored.keyBaseUrl ?? stored.baseUrl;

/** A withdrawal key is for one address: a login at another one leaves no use for it. */
const dropsWithdrawalKey = (stored: Profile, baseUrl: string): boolean =>
  stored.hasWithdrawalKey && (stored.withdrawalKey?.baseUrl ?? addressOf(stored)) !== baseUrl;

/** Reads the providers with the key. 2xx and 402 are a key that works, 403 one without that scope; all else stores nothing. */
const checkKey = async ({ baseUrl, key }: Asked, context: Pick<Context, "clientFor" | "progress" | "signal" | "note">): Promise<void> => {
  const client = await context.clientFor(baseUrl, key);
  const line = context.progress();
  line.update(`Asking ${baseUrl} about the key`);
  try {
    await client.call(routes.providers, { signal: context.signal });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.status === 402) return;
    if (error.status === 403) {
      context.note("The key works, but it has no permission to read the providers (403), so some commands will be refused. The profile was stored.");
      return;
    }
    // The command of its hint would look at another account: this one is not stored.
    const rest = error.command === undefined ? error.hint : error.hint?.replace(/\s*[^.?!]*$/, "");
    const remedy = error.status === 401 ? "Check that the key belongs to this base URL and was not revoked." : rest;
    throw error.with({ hint: ["Nothing was stored.", remedy].join(" ").trim() });
  } finally {
    line.end();
    await client.close();
  }
};

const profileOf = (asked: Asked, entry: string | undefined, stored: Profile | undefined): Profile => {
  // What belongs to another address does not come along.
  const kept = stored !== undefined && addressOf(stored) === asked.baseUrl ? stored : undefined;
  const drops = stored !== undefined && dropsWithdrawalKey(stored, asked.baseUrl);
  if (drops && !asked.drops) throw changedMeanwhile(stored);
  return {
    name: asked.name,
    baseUrl: asked.baseUrl,
    mode: asked.mode,
    ...(entry === undefined ? { storage: "file", apiKey: asked.key } : { storage: "keychain", keychainEntry: entry }),
    keyHint: keyHintOf(asked.key),
    signature: kept?.signature ?? {},
    webhookSecrets: kept?.webhookSecrets ?? [],
    // The team's journal is of no address: without it the guard would end at this machine.
    journalUrl: stored?.journalUrl,
    journalPassword: stored?.journalPassword,
    hasWithdrawalKey: stored?.hasWithdrawalKey === true && !drops,
    ...(stored?.withdrawalKey === undefined || drops ? {} : { withdrawalKey: stored.withdrawalKey }),
  };
};

type Stored = { readonly profile: Profile; readonly before: Profile | undefined };
const store = async (asked: Asked, profiles: Profiles, { random }: Pick<Context, "random">): Promise<Stored> => {
  // An entry of its own for each login: homes and profiles never overwrite each other's.
  const entry = asked.keychain ? `${asked.name} ${random.uuid()}` : undefined;
  if (entry !== undefined) await (await import("../../accounts/keychain.ts")).keychain.write(entry, asked.key);
  let before: Profile | undefined;
  const make = (stored: Profile | undefined): Profile => {
    before = stored;
    return profileOf(asked, entry, stored);
  };
  try {
    return { profile: await profiles.write(asked.name, make, { use: true }), before };
  } catch (error) {
    if (entry === undefined || (await removed(entry)) || !(error instanceof CliError)) throw error;
    const { leftover } = await import("../../accounts/keychain.ts");
    throw error.with({ hint: [error.hint, leftover(entry)].join(" ").trim() });
  }
};

const removed = async (entry: string): Promise<boolean> => {
  const { keychain } = await import("../../accounts/keychain.ts");
  try {
    await keychain.remove(entry);
    return true;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
};

export const run: Run<typeof loginSpec> = async ({ flags }, context) => {
  const profiles = createProfiles(context);
  const asked = await askKey(await ask(flags, context, profiles), context, (one) => checkKey(one, context));
  const { profile, before } = await store(asked, profiles, context);
  const entry = before?.keychainEntry;
  if (entry !== undefined && !(await removed(entry))) {
    context.note(`The key of the earlier login could not be removed from the keychain: its entry "${entry}" of payments-cli is still there.`);
  }
  if (before !== undefined && before.baseUrl !== "" && before.baseUrl !== profile.baseUrl) {
    context.note(`This profile belonged to ${before.baseUrl} before. Its other settings for that address were removed.`);
  }
  if ((context.env["PAYMENTS_API_KEY"] ?? "") !== "") context.note("PAYMENTS_API_KEY is set, so commands use that key and not this profile's.");
  return profileOutcome(profile, true, "Logged in. Commands now use this profile.");
};
