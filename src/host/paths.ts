import { posix, win32 } from "node:path";
import { usageError } from "../errors.ts";
import { unwrap } from "../unwrap.ts";

export type Paths = { readonly config: string; readonly data: string; readonly cache: string };
type FolderSources = { readonly env: Readonly<Record<string, string | undefined>>; readonly platform: string };

type Kind = keyof Paths;
/** Where one kind of file goes: the variable whose folder it is below if it is set, else the folder below the user's own; then ours in it. */
type Place = readonly [variable: string | undefined, belowUser: string, own: string];

const places: Readonly<Record<"win32" | "darwin" | "other", Readonly<Record<Kind, Place>>>> = {
  win32: {
    config: ["APPDATA", "AppData/Roaming", "payments-cli/Config"],
    data: ["LOCALAPPDATA", "AppData/Local", "payments-cli/Data"],
    cache: ["LOCALAPPDATA", "AppData/Local", "payments-cli/Cache"],
  },
  darwin: {
    config: [undefined, "Library/Preferences", "payments-cli"],
    data: [undefined, "Library/Application Support", "payments-cli"],
    cache: [undefined, "Library/Caches", "payments-cli"],
  },
  other: {
    config: ["XDG_CONFIG_HOME", ".config", "payments-cli"],
    data: ["XDG_DATA_HOME", ".local/share", "payments-cli"],
    cache: ["XDG_CACHE_HOME", ".cache", "payments-cli"],
  },
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

const folderOf = (kind: Kind, { env, platform }: FolderSources): string => {
  const path = platform === "win32" ? win32 : posix;
  const chosen = cleaned(env, "PAYMENTS_HOME");
  if (chosen !== "") return path.join(chosenHome(chosen, path), kind);
  const [variable, belowUser, own] = places[platform === "win32" || platform === "darwin" ? platform : "other"][kind];
  const set = variable === undefined ? "" : cleaned(env, variable);
  if (path.isAbsolute(set)) return path.join(set, own);
  const userVariable = platform === "win32" ? "USERPROFILE" : "HOME";
  const user = cleaned(env, userVariable);
  if (path.isAbsolute(user)) return path.join(user, belowUser, own);
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
