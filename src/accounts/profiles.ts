import { fieldOf, type Json, type JsonObject, present } from "../json/exact-json.ts";
import type { Mode } from "../ports.ts";
import { readSettings, updateSettings } from "./settings-file.ts";
import { parseWithdrawalKey, toJson, type WithdrawalKeyRecord } from "./withdrawal-key.ts";

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
  /** Only with storage `file`. */
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

export type ProfileList = { readonly current: string | undefined; readonly profiles: readonly Profile[] };

/** Profiles in `<config>/config.json`. All methods throw CliError usage (2) naming the file where it can't be read or written. */
export type Profiles = {
  list(): Promise<ProfileList>;
  read(name: string): Promise<Profile | undefined>;
  /** Adds or replaces the one that `make` returns for what is stored under the name at that moment; with `use` it becomes current. */
  write(name: string, make: (stored: Profile | undefined) => Profile, options?: { readonly use?: boolean }): Promise<Profile>;
  /**
   * What was removed; undefined if there is no profile of the name. `check` sees what is stored at that moment and may throw to
   * keep it. Without the one that was current, there is no current one.
   */
  remove(name: string, check?: (stored: Profile) => void): Promise<Profile | undefined>;
  /** Makes it current; false if no profile has this name. */
  use(name: string): Promise<boolean>;
};

const text = (value: Json | undefined, name: string): string | undefined => {
  const field = fieldOf(value, name);
  return typeof field === "string" && field !== "" ? field : undefined;
};

const fromStored = (name: string, stored: JsonObject): Profile => {
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
    withdrawalKey: profile.withdrawalKey !== undefined ? toJson(profile.withdrawalKey) : profile.hasWithdrawalKey ? before["withdrawalKey"] : undefined,
  };
  // What a later version keeps in a profile is carried along.
  return present({ ...before, ...fields });
};

/** The same profile without any secret; base URL, mode and how callbacks are signed stay. */
export const withoutSecrets = (profile: Profile): Profile => {
  const { apiKey: _key, keychainEntry: _entry, withdrawalKey: _second, keyBaseUrl: _address, ...rest } = profile;
  return { ...rest, storage: "none", keyHint: "", webhookSecrets: [], hasWithdrawalKey: false };
};

/** The profiles kept under `paths.config`. Nothing is read, and no folder is needed, before a method is called. */
export const createProfiles = ({ paths }: { readonly paths: { readonly config: string } }): Profiles => ({
  list: async () => {
    const { current, profiles } = await readSettings(paths.config);
    return {
      current: current !== undefined && profiles.has(current) ? current : undefined,
      profiles: [...profiles].map(([name, stored]) => fromStored(name, stored)),
    };
  },
  read: async (name) => {
    const stored = (await readSettings(paths.config)).profiles.get(name);
    return stored === undefined ? undefined : fromStored(name, stored);
  },
  write: async (name, make, { use = false } = {}) =>
    await updateSettings(paths.config, (settings) => {
      const before = settings.profiles.get(name);
      const profile = make(before === undefined ? undefined : fromStored(name, before));
      const profiles = new Map(settings.profiles).set(name, toStored(profile, before));
      return { settings: { ...settings, current: use ? name : settings.current, profiles }, result: profile };
    }),
  remove: async (name, check) =>
    await updateSettings<Profile | undefined>(paths.config, (settings) => {
      const stored = settings.profiles.get(name);
      if (stored === undefined) return { result: undefined };
      const removed = fromStored(name, stored);
      check?.(removed);
      const profiles = new Map(settings.profiles);
      profiles.delete(name);
      return { settings: { ...settings, current: settings.current === name ? undefined : settings.current, profiles }, result: removed };
    }),
  use: async (name) =>
    await updateSettings(paths.config, (settings) =>
      settings.profiles.has(name) ? { settings: { ...settings, current: name }, result: true } : { result: false },
    ),
});
