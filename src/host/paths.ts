import { posix, win32 } from "node:path";
import { usageError } from "../errors.ts";
import { unwrap } from "../unwrap.ts";

export type Paths = { readonly config: string; readonly data: string; readonly cache: string };
type FolderSources = { readonly env: Readonly<Record<string, string | undefined>>; readonly platform: string };

const name = "payments-cli";
/** Where one kind of file goes: below the variable's folder if it is set, else below the user's own. */
type Place = { readonly variable?: string; readonly belowUser: readonly string[]; readonly own: readonly string[] };

const windows: Readonly<Record<keyof Paths, Place>> = {
  config: { variable: "APPDATA", belowUser: ["AppData", "Roaming"], own: [name, "Config"] },
  data: { variable: "LOCALAPPDATA", belowUser: ["AppData", "Local"], own: [name, "Data"] },
  cache: { variable: "LOCALAPPDATA", belowUser: ["AppData", "Local"], own: [name, "Cache"] },
};
const mac: Readonly<Record<keyof Paths, Place>> = {
  config: { belowUser: ["Library", "Preferences"], own: [name] },
  data: { belowUser: ["Library", "Application Support"], own: [name] },
  cache: { belowUser: ["Library", "Caches"], own: [name] },
};
const others: Readonly<Record<keyof Paths, Place>> = {
  config: { variable: "XDG_CONFIG_HOME", belowUser: [".config"], own: [name] },
  data: { variable: "XDG_DATA_HOME", belowUser: [".local", "share"], own: [name] },
  cache: { variable: "XDG_CACHE_HOME", belowUser: [".cache"], own: [name] },
};

const cleaned = (env: FolderSources["env"], variable: string): string => unwrap(env[variable] ?? "");

const hint = "Set PAYMENTS_HOME to a folder that this user can write, as an absolute path.";

/** A relative PAYMENTS_HOME is the user's choice; one that the shell should have expanded is not. */
const chosenHome = (value: string, { resolve, isAbsolute }: typeof posix): string => {
  if (/^~(?:[/\\]|$)/.test(value)) throw usageError(`PAYMENTS_HOME is ${value}, in which the shell did not replace the ~.`, hint);
  if (isAbsolute(value)) return resolve(value);
  try {
    return resolve(value);
  } catch {
    throw usageError(`PAYMENTS_HOME is ${value}, a path from the current folder, and the current folder no longer exists.`, hint);
  }
};

const folderOf = (kind: keyof Paths, { env, platform }: FolderSources): string => {
  const path = platform === "win32" ? win32 : posix;
  const chosen = cleaned(env, "PAYMENTS_HOME");
  if (chosen !== "") return path.join(chosenHome(chosen, path), kind);
  const { variable, belowUser, own } = (platform === "win32" ? windows : platform === "darwin" ? mac : others)[kind];
  const set = variable === undefined ? "" : cleaned(env, variable);
  if (path.isAbsolute(set)) return path.join(set, ...own);
  const userVariable = platform === "win32" ? "USERPROFILE" : "HOME";
  const user = cleaned(env, userVariable);
  if (path.isAbsolute(user)) return path.join(user, ...belowUser, ...own);
  const why = user === "" ? `neither ${userVariable} nor PAYMENTS_HOME is set` : `${userVariable} is ${user}, which is not an absolute path`;
  throw usageError(`There is no folder for settings, payments and cache: ${why}.`, hint);
};

/**
 * Where settings, data and cache are kept: `PAYMENTS_HOME` puts all in one folder (rules.md, Where settings come from), otherwise
 * the platform's own places. A folder is worked out when it is asked for, and then throws CliError usage if it cannot be determined:
 * commands that need no folder work without a home. The current folder is never used instead, because a key must not land there.
 */
export const pathsOf = (env: FolderSources["env"], platform: string = process.platform): Paths => ({
  get config() {
    return folderOf("config", { env, platform });
  },
  get data() {
    return folderOf("data", { env, platform });
  },
  get cache() {
    return folderOf("cache", { env, platform });
  },
});
