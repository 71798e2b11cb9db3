import { CliError, usageError } from "../errors.ts";
import type { Account, GlobalFlags, WebhookSettings } from "../ports.ts";
import { baseUrlText, parseBaseUrl } from "../service/base-url.ts";
import { refuseKeyInUrl } from "../service/key.ts";
import { quoteForShell } from "../shell.ts";
import type { Keychain } from "./keychain.ts";
import { createProfiles, type Profile, type Profiles } from "./profiles.ts";
import { cleanSecret, keyHintOf, splitSecrets } from "./secrets.ts";

export type AccountSources = {
  readonly flags: Pick<GlobalFlags, "profile" | "baseUrl" | "sandbox">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: { readonly config: string };
  /** Absent: the machine's own, loaded when a key is in it. */
  readonly keychain?: Keychain;
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

const keyReader = (profile: Profile, keychain: Keychain | undefined) => async (): Promise<string> => {
  if (profile.storage === "file" && profile.apiKey !== undefined) return cleanSecret(profile.apiKey, `The key of profile ${quoted(profile.name)}`);
  if (profile.storage !== "keychain" || profile.keychainEntry === undefined) throw noKey(profile);
  const chain = keychain ?? (await import("./keychain.ts")).createKeychain();
  const key = await chain.read(profile.keychainEntry);
  if (key === undefined) {
    throw new CliError("config", `The keychain no longer holds the key of profile ${quoted(profile.name)}.`, {
      hint: "To log in again",
      command: ["login", "--name", profile.name, "--keychain"],
    });
  }
  return cleanSecret(key, `The key of profile ${quoted(profile.name)}`);
};

const signatureOf = (profile: Profile): Pick<Account, "signature" | "hasWithdrawalKey"> => ({
  ...(profile.signature.scheme === undefined && profile.signature.header === undefined ? {} : { signature: profile.signature }),
  hasWithdrawalKey: profile.hasWithdrawalKey,
});

/** The keys of a profile that has moved away from the address they were given for are not sent to the new one. */
const requireKeysHere = (profile: Profile): void => {
  if (profile.keyBaseUrl === undefined || profile.keyBaseUrl === profile.baseUrl) return;
  throw new CliError("config", `The key of profile ${quoted(profile.name)} belongs to ${profile.keyBaseUrl} and is not sent to ${profile.baseUrl}.`, {
    hint: "To give the key for it",
    command: ["login", "--name", profile.name, "--base-url", profile.baseUrl],
  });
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
  requireKeysHere(profile);
  if (wanted !== undefined && wanted.url !== baseUrl) {
    throw new CliError("config", `The key of profile ${quoted(profile.name)} belongs to ${baseUrl} and is not sent to ${wanted.url} (from ${wanted.from}).`, {
      hint:
        sources.flags.profile === undefined
          ? "Give the key for this address too, in PAYMENTS_API_KEY."
          : "Leave --profile out and give the key for this address in PAYMENTS_API_KEY, or create a profile for it with login.",
    });
  }
  return {
    account: {
      profile: profile.name,
      baseUrl,
      mode: profile.mode,
      keySource: "keystore",
      storage: profile.storage,
      keyHint: profile.keyHint,
      ...signatureOf(profile),
    },
    readKey: keyReader(profile, sources.keychain),
    readWithdrawalKey: withdrawalReader(profile),
  };
};

/** The account of PAYMENTS_API_KEY. Without a URL beside it, it goes to the profile's address. */
const fromEnvironment = (envKey: string, wanted: { readonly url: string } | undefined, profile: Profile | undefined): Omit<FoundAccount, "notes"> => {
  const key = cleanSecret(envKey, "PAYMENTS_API_KEY");
  const own = { keySource: "env", storage: "none", keyHint: keyHintOf(key) } as const;
  const readKey = async (): Promise<string> => key;
  const baseUrl = wanted?.url ?? (profile === undefined ? "" : profileUrl(profile));
  refuseKeyInUrl(key, baseUrl);
  if (wanted !== undefined) {
    return {
      account: { profile: "environment", baseUrl: wanted.url, mode: "live", ...own, hasWithdrawalKey: false },
      readKey,
      readWithdrawalKey: withdrawalReader(undefined),
    };
  }
  if (profile === undefined) {
    throw new CliError("config", "PAYMENTS_API_KEY is set, but there is no base URL and no profile, so the address of the service is not known.", {
      hint: "Set PAYMENTS_BASE_URL or give --base-url (or try --sandbox). To log in to a profile",
      command: ["login"],
    });
  }
  return {
    account: { profile: profile.name, baseUrl, mode: profile.mode, ...own, ...signatureOf(profile) },
    readKey,
    readWithdrawalKey: withdrawalReader(profile),
  };
};

const wantedUrl = ({ flags, env }: Pick<AccountSources, "flags" | "env">): { readonly url: string; readonly from: string } | undefined => {
  const flag = given(flags.baseUrl);
  if (flag !== undefined) return { url: normalise(flag), from: "--base-url" };
  const variable = given(env["PAYMENTS_BASE_URL"]);
  return variable === undefined ? undefined : { url: normalise(variable), from: "PAYMENTS_BASE_URL" };
};

const namedProfile = async (name: string, source: string, profiles: Profiles): Promise<Profile> => {
  const profile = await profiles.read(name);
  if (profile === undefined) throw await unknownProfile(name, profiles, { source });
  return profile;
};

const explicitProfile = async (name: string, sources: AccountSources, profiles: Profiles): Promise<FoundAccount> => {
  const { flags, env } = sources;
  const profile = await namedProfile(name, "--profile", profiles);
  const flag = given(flags.baseUrl);
  const beaten = ["PAYMENTS_API_KEY", "PAYMENTS_BASE_URL"].filter((variable) => given(env[variable]) !== undefined);
  const notes =
    beaten.length === 0 ? [] : [`--profile ${quoteForShell(name)} was given, so ${beaten.join(" and ")} ${beaten.length === 1 ? "is" : "are"} not used.`];
  return { ...fromProfile(profile, flag === undefined ? undefined : { url: normalise(flag), from: "--base-url" }, sources), notes };
};

/**
 * Decides whose money it is: flag > environment > profile (rules.md, Where settings come from). No request, no keychain; the
 * settings file is read only where it has a say. Under --sandbox the host has its own account: this only checks the flags.
 * Throws CliError config (3) where no account or key results, usage (2) for unusable values and settings files.
 */
export const findAccount = async (sources: AccountSources): Promise<FoundAccount> => {
  const { flags, env } = sources;
  checkSandboxFlags(flags);
  const profiles = createProfiles({ paths: sources.paths });
  const explicit = given(flags.profile);
  if (explicit !== undefined) return await explicitProfile(explicit, sources, profiles);
  const wanted = wantedUrl(sources);
  const envKey = given(env["PAYMENTS_API_KEY"]);
  if (envKey !== undefined && wanted !== undefined) return { ...fromEnvironment(envKey, wanted, undefined), notes: [] };
  // A malformed key is reported before any file is read: it is the nearer fault.
  if (envKey !== undefined) cleanSecret(envKey, "PAYMENTS_API_KEY");
  const profile = await chosenProfile(env, profiles);
  if (envKey !== undefined) return { ...fromEnvironment(envKey, undefined, profile), notes: [] };
  if (profile !== undefined) return { ...fromProfile(profile, wanted, sources), notes: [] };
  if (wanted === undefined) throw noAccount();
  throw new CliError("config", `${wanted.from} is set, but there is no key for it.`, {
    hint: "Set PAYMENTS_API_KEY too (or try --sandbox). To log in to a profile",
    command: ["login"],
  });
};

/** The profile of PAYMENTS_PROFILE, else the current one. */
const chosenProfile = async (env: AccountSources["env"], profiles: Profiles): Promise<Profile | undefined> => {
  const name = given(env["PAYMENTS_PROFILE"]);
  if (name !== undefined) return await namedProfile(name, "PAYMENTS_PROFILE", profiles);
  const { current, profiles: all } = await profiles.list();
  if (current !== undefined) return all.find((profile) => profile.name === current);
  if (all.length === 0) return undefined;
  throw new CliError("config", "No profile is chosen.", {
    hint: `Choose one: payments-cli profile use ${all
      .map((profile) => quoteForShell(profile.name))
      .slice(0, 20)
      .join(" | ")}    or log in: payments-cli login    or try --sandbox`,
  });
};

/** Assumed: the scheme if nothing is set; it is what the sandbox signs by. */
export const schemeByDefault = "standard-webhooks";

/**
 * How callbacks are signed: flags (given by the webhook commands) > PAYMENTS_WEBHOOK_SECRET > profile. An account made by
 * the environment alone takes nothing from a profile. Where there is no account at all, secrets is empty; no throw for that.
 */
export const resolveWebhookSettings = async (
  sources: AccountSources,
  asked: { readonly scheme?: string | undefined; readonly header?: string | undefined } = {},
): Promise<WebhookSettings> => {
  const { flags, env } = sources;
  const profiles = createProfiles({ paths: sources.paths });
  const explicit = given(flags.profile);
  const fromEnvironmentAlone = given(env["PAYMENTS_API_KEY"]) !== undefined && wantedUrl(sources) !== undefined && given(env["PAYMENTS_PROFILE"]) === undefined;
  const name = explicit ?? given(env["PAYMENTS_PROFILE"]);
  const variable = given(env["PAYMENTS_WEBHOOK_SECRET"]);
  const profile =
    name !== undefined
      ? await namedProfile(name, explicit === undefined ? "PAYMENTS_PROFILE" : "--profile", profiles)
      : fromEnvironmentAlone || (variable !== undefined && !hasSettingsFolder(sources))
        ? undefined
        : await currentProfile(profiles);
  const header = given(asked.header) ?? profile?.signature.header;
  return {
    scheme: given(asked.scheme) ?? profile?.signature.scheme ?? schemeByDefault,
    ...(header === undefined ? {} : { header }),
    secrets: variable === undefined ? (profile?.webhookSecrets ?? []) : splitSecrets(variable),
  };
};

/** Without a folder there are no profiles, and a secret from the environment needs none. */
const hasSettingsFolder = ({ paths }: AccountSources): boolean => {
  try {
    return paths.config !== "";
  } catch {
    return false;
  }
};

const currentProfile = async (profiles: Profiles): Promise<Profile | undefined> => {
  const { current, profiles: all } = await profiles.list();
  return all.find((profile) => profile.name === current);
};
