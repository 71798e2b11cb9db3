import { homedir } from "node:os";
import { posix, win32 } from "node:path";

export type Paths = { readonly config: string; readonly data: string; readonly cache: string };
export type FolderSources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The user's own folder; asked only where it is needed. */
  readonly user: () => string;
};

const name = "payments-cli";

/**
 * Where settings, data and cache are kept: `PAYMENTS_HOME` puts all in one folder (cli.md, Where settings come from); else the
 * platform's own places. A variable that is empty or no absolute path is as good as not there: a key must not land in whatever
 * folder the person happens to stand in.
 */
export const foldersOf = ({ env, platform, user }: FolderSources): Paths => {
  const { isAbsolute, join, resolve } = platform === "win32" ? win32 : posix;
  const home = env["PAYMENTS_HOME"] ?? "";
  if (home !== "") {
    const root = resolve(home);
    return { config: join(root, "config"), data: join(root, "data"), cache: join(root, "cache") };
  }
  const placeOf = (variable: string, ...fallback: readonly string[]): string => {
    const value = env[variable] ?? "";
    return isAbsolute(value) ? value : join(user(), ...fallback);
  };
  if (platform === "win32") {
    const roaming = placeOf("APPDATA", "AppData", "Roaming");
    const local = placeOf("LOCALAPPDATA", "AppData", "Local");
    return { config: join(roaming, name, "Config"), data: join(local, name, "Data"), cache: join(local, name, "Cache") };
  }
  if (platform === "darwin") {
    const library = join(user(), "Library");
    return { config: join(library, "Preferences", name), data: join(library, "Application Support", name), cache: join(library, "Caches", name) };
  }
  return {
    config: join(placeOf("XDG_CONFIG_HOME", ".config"), name),
    data: join(placeOf("XDG_DATA_HOME", ".local", "share"), name),
    cache: join(placeOf("XDG_CACHE_HOME", ".cache"), name),
  };
};

/** The folders on this machine. */
export const pathsOf = (env: FolderSources["env"]): Paths => foldersOf({ env, platform: process.platform, user: homedir });
