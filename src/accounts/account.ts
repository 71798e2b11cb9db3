import { CliError, usageError } from "../errors.ts";
import { present } from "../json/exact-json.ts";
import type { Account, GlobalFlags, WebhookSettings } from "../ports.ts";
import { baseUrlText, parseBaseUrl } from "../service/base-url.ts";
import { refuseKeyInUrl } from "../service/key.ts";
import { quoteForShell } from "../shell.ts";
import type { keychain } from "./keychain.ts";
import { createProfiles, type Profile, type Profiles } from "./profiles.ts";
import { cleanSecret, keyHintOf, splitSecrets } from "./secrets.ts";
import { hasSettings } from "./settings-file.ts";

export type AccountSources = {
  readonly flags: Pick<GlobalFlags, "profile" | "baseUrl" | "sandbox">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: { readonly config: string };
  /** Absent: the machine's own, loaded when a key is in it. */
  readonly keychain?: Pick<typeof keychain, "read">;
};

/** Whose money it is, without having read a keychain yet. */
export type FoundAccount = {
  readonly account: Account;
  /** Lines for the person, on stderr. */
  readonly notes: readonly string[];
  /** The API key. Throws CliError config (3) where the keychain does not give it. */
  readonly readKey: () => Promise<string>;
  /** The second key. Throws CliError auth (3) for a wrong passphrase, config if the profile has no such key. */
  readonly readWithdrawalKey: (passphrase: string) => Promise<string>;
};

/** Keys belong to a base URL; two of them are the same exactly when these texts are. */
const normalise = (text: string): string => baseUrlText(parseBaseUrl(text));
const quoted = (name: string): string => JSON.stringify(name);
const given = (text: string | undefined): string | undefined => (text === undefined || text.trim() === "" ? undefined : text);

/** `--sandbox` is an account of its own: with --profile or --base-url it is a usage error (rules.md). */
export const checkSandboxFlags = (flags: AccountSources["flags"]): void => {
  if (!flags.sandbox) return;
  const other = flags.profile !== undefined ? "--profile" : flags.baseUrl !== undefined ? "--base-url" : undefined;
  if (other !== undefined) throw usageError(`--sandbox cannot be combined with ${other}: the sandbox has its own key and address.`, "Leave one of them out.");
};

const noAccount = (): CliError =>
  new CliError("config", "You are not logged in: there is no profile, and no API key in the environment.", {
    hint: "To try it without an account, add --sandbox. To log in",
    command: ["login"],
  });

/** Exit 3 with the names of all profiles. `source` is the flag or variable that has the name; `removing` one, nobody wants to create it. */
export const unknownProfile = async (
  name: string,
  profiles: Profiles,
  { source, removing = false }: { readonly source?: string; readonly removing?: boolean } = {},
): Promise<CliError> => {
  const names = (await profiles.list()).profiles.map((profile) => quoted(profile.name));
  const message = `There is no profile ${quoted(name)}${source === undefined ? "" : ` (from ${source})`}.`;
  if (names.length > 0) return new CliError("config", message, { hint: `Your profiles: ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}` });
  const hint = "There are no profiles on this machine.";
  return new CliError("config", message, removing ? { hint } : { hint: `${hint} To create this one`, command: ["login", "--name", name] });
};

const noKey = (profile: Profile): CliError =>
  new CliError("config", `Profile ${quoted(profile.name)} has no key.`, { hint: "To give it one", command: ["login", "--name", profile.name] });

const profileUrl = (profile: Profile): string => {
  if (profile.baseUrl === "") {
    throw new CliError("config", `Profile ${quoted(profile.name)} has no base URL.`, {
      hint: `Set it: payments-cli profile set ${quoteForShell(profile.name)} --base-url URL`,
    });
  }
  return normalise(profile.baseUrl);
};

const withdrawalReader =
  (profile: Profile | undefined) =>
  async (passphrase: string): Promise<string> => {
    if (profile === undefined || !profile.hasWithdrawalKey) throw new CliError("config", "There is no withdrawal key in this profile.");
    const { name, withdrawalKey } = profile;
    const remedy = { hint: "To store it again", command: ["profile", "set", name, "--with-withdrawal-key"] };
    if (withdrawalKey === undefined) {
      throw new CliError("config", `The withdrawal key of profile ${quoted(name)} is damaged, or was stored by another version of payments-cli.`, remedy);
    }
    const baseUrl = profileUrl(profile);
    if (withdrawalKey.baseUrl !== baseUrl) {
      throw new CliError("config", `The withdrawal key of profile ${quoted(name)} belongs to ${withdrawalKey.baseUrl} and is not sent to ${baseUrl}.`, remedy);
    }
    const { openKey } = await import("./withdrawal-key.ts");
    return await openKey(withdrawalKey, passphrase, name);
  };

const keyReader = (profile: Profile, own: AccountSources["keychain"]) => async (): Promise<string> => {
  if (profile.storage === "file" && profile.apiKey !== undefined) return cleanSecret(profile.apiKey, `The key of profile ${quoted(profile.name)}`);
  if (profile.storage !== "keychain" || profile.keychainEntry === undefined) throw noKey(profile);
  const chain = own ?? (await import("./keychain.ts")).keychain;
  const key = await chain.read(profile.keychainEntry);
  if (key === undefined) {
    throw new CliError("config", `The keychain no longer holds the key of profile ${quoted(profile.name)}.`, {
      hint: "To log in again",
      command: ["login", "--name", profile.name, "--keychain"],
    });
  }
  return cleanSecret(key, `The key of profile ${quoted(profile.name)}`);
};

/** The account of a profile's own key. `wantedUrl` is what flag or environment asks for, already normalised. */
const fromProfile = (
  profile: Profile,
  wanted: { readonly url: string; readonly from: string } | undefined,
  sources: AccountSources,
): Omit<FoundAccount, "notes"> => {
  if (profile.storage === "none") throw noKey(profile);
  const baseUrl = profileUrl(profile);
  if (profile.apiKey !== undefined) {
    refuseKeyInUrl(profile.apiKey, baseUrl);
    refuseKeyInUrl(profile.apiKey, wanted?.url ?? "");
  }
  // A profile that has moved away from the address its keys were given for does not send them to the new one.
  if (profile.keyBaseUrl !== undefined && profile.keyBaseUrl !== profile.baseUrl)
    throw new CliError("config", `The key of profile ${quoted(profile.name)} belongs to ${profile.keyBaseUrl} and is not sent to ${profile.baseUrl}.`, {
      hint: "To give the key for it",
      command: ["login", "--name", profile.name, "--base-url", profile.baseUrl],
    });
  if (wanted !== undefined && wanted.url !== baseUrl) {
    throw new CliError("config", `The key of profile ${quoted(profile.name)} belongs to ${baseUrl} and is not sent to ${wanted.url} (from ${wanted.from}).`, {
      hint:
        sources.flags.profile === undefined
          ? "Give the key for this address too, in PAYMENTS_API_KEY."
          : "Leave --profile out and give the key for this address in PAYMENTS_API_KEY, or create a profile for it with login.",
    });
  }
  const { name, mode, storage, keyHint, hasWithdrawalKey } = profile;
  return {
    account: { profile: name, baseUrl, mode, keySource: "keystore", storage, keyHint, hasWithdrawalKey },
    readKey: keyReader(profile, sources.keychain),
    readWithdrawalKey: withdrawalReader(profile),
  };
};

/** The account of PAYMENTS_API_KEY. Without a URL beside it, it goes to the profile's address. */
const fromEnvironment = (envKey: string, wanted: { readonly url: string } | undefined, profile: Profile | undefined): Omit<FoundAccount, "notes"> => {
  const key = cleanSecret(envKey, "PAYMENTS_API_KEY");
  const baseUrl = wanted?.url ?? (profile === undefined ? undefined : profileUrl(profile));
  if (baseUrl === undefined) {
    throw new CliError("config", "PAYMENTS_API_KEY is set, but there is no base URL and no profile, so the address of the service is not known.", {
      hint: "Set PAYMENTS_BASE_URL or give --base-url (or try --sandbox). To log in to a profile",
      command: ["login"],
    });
  }
  refuseKeyInUrl(key, baseUrl);
  const { name, mode, hasWithdrawalKey } = profile ?? { name: "environment", mode: "live", hasWithdrawalKey: false };
  return {
    account: { profile: name, baseUrl, mode, keySource: "env", storage: "none", keyHint: keyHintOf(key), hasWithdrawalKey },
    readKey: async () => key,
    readWithdrawalKey: withdrawalReader(profile),
  };
};

/**
 * What flags and environment ask for: a flag goes first. With --profile, the key and the URL of the environment are not used. The URL is
 * as it was given: one that cannot be used is no fault of a command that needs no account.
 */
export const choiceOf = ({ flags, env }: Pick<AccountSources, "flags" | "env">) => {
  const explicit = given(flags.profile);
  const flag = given(flags.baseUrl);
  const address = flag ?? (explicit === undefined ? given(env["PAYMENTS_BASE_URL"]) : undefined);
  return {
    explicit,
    address: address === undefined ? undefined : { text: address, from: flag === undefined ? "PAYMENTS_BASE_URL" : "--base-url" },
    envKey: explicit === undefined ? given(env["PAYMENTS_API_KEY"]) : undefined,
    name: explicit ?? given(env["PAYMENTS_PROFILE"]),
    source: explicit === undefined ? "PAYMENTS_PROFILE" : "--profile",
  };
};

const namedProfile = async (name: string, source: string, profiles: Profiles): Promise<Profile> => {
  const profile = await profiles.read(name);
  if (profile === undefined) throw await unknownProfile(name, profiles, { source });
  return profile;
};

/** What --profile leaves unused is said. */
const notesOn = (explicit: string | undefined, env: AccountSources["env"]): readonly string[] => {
  const beaten = ["PAYMENTS_API_KEY", "PAYMENTS_BASE_URL"].filter((variable) => given(env[variable]) !== undefined);
  if (explicit === undefined || beaten.length === 0) return [];
  return [`--profile ${quoteForShell(explicit)} was given, so ${beaten.join(" and ")} ${beaten.length === 1 ? "is" : "are"} not used.`];
};

/**
 * Decides whose money it is: flag > environment > profile (rules.md, Where settings come from). No request, no keychain; the
 * settings file is read only where it has a say. Under --sandbox the host has its own account: this only checks the flags.
 * Throws CliError config (3) where no account or key results, usage (2) for unusable values and settings files.
 */
export const findAccount = async (sources: AccountSources): Promise<FoundAccount> => {
  checkSandboxFlags(sources.flags);
  const profiles = createProfiles({ paths: sources.paths });
  const { explicit, address, envKey, name, source } = choiceOf(sources);
  const wanted = address === undefined ? undefined : { url: normalise(address.text), from: address.from };
  if (envKey !== undefined && wanted !== undefined) return { ...fromEnvironment(envKey, wanted, undefined), notes: [] };
  // A malformed key is reported before any file is read: it is the nearer fault.
  if (envKey !== undefined) cleanSecret(envKey, "PAYMENTS_API_KEY");
  const profile = name === undefined ? await currentOrNone(profiles) : await namedProfile(name, source, profiles);
  if (envKey !== undefined) return { ...fromEnvironment(envKey, undefined, profile), notes: [] };
  if (profile !== undefined) return { ...fromProfile(profile, wanted, sources), notes: notesOn(explicit, sources.env) };
  if (wanted === undefined) throw noAccount();
  throw new CliError("config", `${wanted.from} is set, but there is no key for it.`, {
    hint: "Set PAYMENTS_API_KEY too (or try --sandbox). To log in to a profile",
    command: ["login"],
  });
};

/** The current profile; undefined if there are no profiles. Throws CliError config if none of them is current. */
const currentOrNone = async (profiles: Profiles): Promise<Profile | undefined> => {
  const { current, profiles: all } = await profiles.list();
  if (current !== undefined || all.length === 0) return all.find((profile) => profile.name === current);
  const [first, ...others] = all.map(({ name }) => name);
  const more = others.length === 0 ? "" : `Your profiles: ${[first, ...others].slice(0, 20).join(", ")}${others.length >= 20 ? ", …" : ""}. `;
  throw new CliError("config", "No profile is chosen.", {
    hint: `To try it without an account, add --sandbox. ${more}To choose ${first}`,
    command: ["profile", "use", first ?? ""],
  });
};

/** Assumed: the scheme if nothing is set; it is what the sandbox signs by. */
export const schemeByDefault = "standard-webhooks";

/**
 * How callbacks are signed, before any flag: PAYMENTS_WEBHOOK_SECRET > profile. An account made by
 * the environment alone takes nothing from a profile. Where there is no account at all, secrets is empty; no throw for that.
 */
export const resolveWebhookSettings = async (sources: AccountSources): Promise<WebhookSettings> => {
  const profiles = createProfiles({ paths: sources.paths });
  const { address, envKey, name, source } = choiceOf(sources);
  const variable = given(sources.env["PAYMENTS_WEBHOOK_SECRET"]);
  const readsNone = (envKey !== undefined && address !== undefined) || (variable !== undefined && !hasSettings(sources));
  const profile = name !== undefined ? await namedProfile(name, source, profiles) : readsNone ? undefined : await currentProfile(profiles);
  const { scheme = schemeByDefault, header } = profile?.signature ?? {};
  const secrets = variable === undefined ? (profile?.webhookSecrets ?? []) : splitSecrets(variable);
  return { scheme, secrets, ...present({ header }) };
};

const currentProfile = async (profiles: Profiles): Promise<Profile | undefined> => {
  const { current, profiles: all } = await profiles.list();
  return all.find((profile) => profile.name === current);
};
