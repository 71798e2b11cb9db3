import { type CliError, usageError } from "../errors.ts";
import { fieldOf, type Json, type JsonObject, present } from "../json/exact-json.ts";
import type { Mode } from "../ports.ts";
import { readSettings, updateSettings } from "./settings-file.ts";
import { parseWithdrawalKey, type WithdrawalKeyRecord } from "./withdrawal-key.ts";

/** One merchant account as kept on this machine. Secrets are in it: it is never printed as it is. */
export type Profile = {
  readonly name: string;
  /** As `baseUrlText` writes it; empty where none is set yet. */
  readonly baseUrl: string;
  readonly mode: Mode;
  /** Where the API key is; `none` before a login and after a logout. */
  readonly storage: "file" | "keychain" | "none";
  /** The address the keys were given for, where the profile has moved away from it since: they are not sent to the new one. */
  readonly keyBaseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Only with storage `keychain`: the entry's name there. */
  readonly keychainEntry?: string | undefined;
  readonly keyHint: string;
  readonly signature: { readonly scheme?: string | undefined; readonly header?: string | undefined };
  readonly webhookSecrets: readonly string[];
  /** The team's journal, without a password; absent where it is the file on this machine. */
  readonly journalUrl?: string | undefined;
  readonly journalPassword?: string | undefined;
  /** A second key for withdrawals is kept. True also where its record is damaged: that must never read as "none needed". */
  readonly hasWithdrawalKey: boolean;
  readonly withdrawalKey?: WithdrawalKeyRecord | undefined;
};

const text = (value: Json | undefined, name: string): string | undefined => {
  const field = fieldOf(value, name);
  return typeof field === "string" && field !== "" ? field : undefined;
};

/** A profile as its settings say; without any, a new one. */
export const fromStored = (name: string, stored: JsonObject): Profile => {
  const apiKey = text(stored, "apiKey");
  const keychainEntry = apiKey === undefined ? text(stored, "keychainEntry") : undefined;
  const signature = fieldOf(stored, "signature");
  const secrets = fieldOf(stored, "webhookSecrets");
  const sealed = fieldOf(stored, "withdrawalKey") ?? null;
  return {
    name,
    baseUrl: text(stored, "baseUrl") ?? "",
    mode: text(stored, "mode") === "sandbox" ? "sandbox" : "live",
    storage: apiKey !== undefined ? "file" : keychainEntry !== undefined ? "keychain" : "none",
    keyBaseUrl: text(stored, "keyBaseUrl"),
    apiKey,
    keychainEntry,
    keyHint: text(stored, "keyHint") ?? "",
    signature: { scheme: text(signature, "scheme"), header: text(signature, "header") },
    webhookSecrets: Array.isArray(secrets) ? secrets.filter((secret): secret is string => typeof secret === "string") : [],
    journalUrl: text(stored, "journalUrl"),
    journalPassword: text(stored, "journalPassword"),
    hasWithdrawalKey: sealed !== null,
    withdrawalKey: parseWithdrawalKey(sealed),
  };
};

const toStored = (profile: Profile, before: JsonObject = {}): JsonObject => {
  const { scheme, header } = profile.signature;
  const fields: Readonly<Record<string, Json | undefined>> = {
    baseUrl: profile.baseUrl,
    mode: profile.mode,
    keyBaseUrl: profile.keyBaseUrl,
    apiKey: profile.storage === "file" ? profile.apiKey : undefined,
    keychainEntry: profile.storage === "keychain" ? profile.keychainEntry : undefined,
    keyHint: profile.storage === "none" ? undefined : profile.keyHint,
    signature: scheme === undefined && header === undefined ? undefined : present({ scheme, header }),
    webhookSecrets: profile.webhookSecrets.length === 0 ? undefined : profile.webhookSecrets,
    journalUrl: profile.journalUrl,
    journalPassword: profile.journalUrl === undefined ? undefined : profile.journalPassword,
    withdrawalKey: profile.withdrawalKey !== undefined ? { ...profile.withdrawalKey } : profile.hasWithdrawalKey ? before["withdrawalKey"] : undefined,
  };
  // What a later version keeps in a profile is carried along.
  return present({ ...before, ...fields });
};

/** The same profile without any secret; base URL, mode and how callbacks are signed stay. */
export const withoutSecrets = (profile: Profile): Profile => {
  const { apiKey: _key, keychainEntry: _entry, withdrawalKey: _second, keyBaseUrl: _address, ...rest } = profile;
  return { ...rest, storage: "none", keyHint: "", webhookSecrets: [], hasWithdrawalKey: false };
};

/**
 * The profiles in `<config>/config.json`. Nothing is read, and no folder is needed, before a method is called. All methods throw CliError
 * usage (2) naming the file where it can't be read or written.
 */
export const createProfiles = ({ paths }: { readonly paths: { readonly config: string } }) => ({
  list: async (): Promise<{ readonly current: string | undefined; readonly profiles: readonly Profile[] }> => {
    const { current, profiles } = await readSettings(paths.config);
    return {
      current: current !== undefined && profiles.has(current) ? current : undefined,
      profiles: [...profiles].map(([name, stored]) => fromStored(name, stored)),
    };
  },
  read: async (name: string): Promise<Profile | undefined> => {
    const stored = (await readSettings(paths.config)).profiles.get(name);
    return stored === undefined ? undefined : fromStored(name, stored);
  },
  /** Adds or replaces the one that `make` returns for what is stored under the name at that moment; with `use` it becomes current. */
  write: async (name: string, make: (stored: Profile | undefined) => Profile, { use = false } = {}): Promise<Profile> =>
    await updateSettings(paths.config, (settings) => {
      const before = settings.profiles.get(name);
      const profile = make(before === undefined ? undefined : fromStored(name, before));
      const profiles = new Map(settings.profiles).set(name, toStored(profile, before));
      return { settings: { ...settings, current: use ? name : settings.current, profiles }, result: profile };
    }),
  /**
   * What was removed; undefined if there is no profile of the name. `check` sees what is stored at that moment and may throw to
   * keep it. Without the one that was current, there is no current one.
   */
  remove: async (name: string, check?: (stored: Profile) => void): Promise<Profile | undefined> =>
    await updateSettings<Profile | undefined>(paths.config, (settings) => {
      const stored = settings.profiles.get(name);
      if (stored === undefined) return { result: undefined };
      const removed = fromStored(name, stored);
      check?.(removed);
      const profiles = new Map(settings.profiles);
      profiles.delete(name);
      return { settings: { ...settings, current: settings.current === name ? undefined : settings.current, profiles }, result: removed };
    }),
  /** Makes it current; false if no profile has this name. */
  use: async (name: string): Promise<boolean> =>
    await updateSettings(paths.config, (settings) =>
      settings.profiles.has(name) ? { settings: { ...settings, current: name }, result: true } : { result: false },
    ),
});
export type Profiles = ReturnType<typeof createProfiles>;

/** Longest profile name, in characters as a person counts code points. */
const nameLengthMax = 100;

/** A name is shown everywhere. What was pasted into the wrong question is not. */
const looksLikeKey = /^[sp]k_|:\/\/|^(?=.*\d)(?=.*[a-z])[\w-]{32,}$/i;

const refuse = (why: string): CliError =>
  usageError(`A profile's name ${why}.`, "Names like default, shop or test-2 are fine; so are dots, spaces inside and emoji.");

/**
 * A profile's name as it may be stored. Any text is kept as it is (`a.b`, `__proto__`, emoji), but for what could not be
 * typed, seen or distinguished again: then CliError usage says which.
 */
export const checkProfileName = (name: string): string => {
  if (name === "") throw refuse("cannot be empty");
  if (looksLikeKey.test(name))
    throw usageError("This looks like an API key or an address, and not like a profile's name.", "Choose a short name, such as shop.");
  const length = [...name].length;
  if (length > nameLengthMax) throw refuse(`can have ${nameLengthMax} characters; this one has ${length}`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) throw refuse("cannot hold control characters or line ends");
  if (/[\u200E\u200F\u202A-\u202E\u2066-\u2069\u061C]/u.test(name)) throw refuse("cannot hold characters that turn the direction of text");
  if (/\p{Cs}/u.test(name)) throw refuse("holds half of a character");
  if (name.trim() !== name) throw refuse("cannot begin or end with a space");
  if (name.startsWith("-")) throw refuse("cannot begin with a dash: it would be taken for a flag");
  return name;
};
