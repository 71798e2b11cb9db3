import { homedir } from "node:os";
import { join, resolve } from "node:path";

export type Paths = { readonly config: string; readonly data: string; readonly cache: string };

/** `PAYMENTS_HOME` puts all in one folder; else the platform's own (XDG on Linux). */
export const pathsOf = (env: Readonly<Record<string, string | undefined>>): Paths => {
  const home = env["PAYMENTS_HOME"];
  if (home !== undefined && home !== "") {
    const root = resolve(home);
    return { config: join(root, "config"), data: join(root, "data"), cache: join(root, "cache") };
  }
  const user = homedir();
  const name = "payments-cli";
  if (process.platform === "win32") {
    const roaming = env["APPDATA"] ?? join(user, "AppData", "Roaming");
    const local = env["LOCALAPPDATA"] ?? join(user, "AppData", "Local");
    return { config: join(roaming, name, "Config"), data: join(local, name, "Data"), cache: join(local, name, "Cache") };
  }
  if (process.platform === "darwin") {
    const library = join(user, "Library");
    return { config: join(library, "Preferences", name), data: join(library, "Application Support", name), cache: join(library, "Caches", name) };
  }
  const xdg = (variable: string, fallback: string): string => {
    const value = env[variable];
    return join(value?.startsWith("/") === true ? value : join(user, fallback), name);
  };
  return { config: xdg("XDG_CONFIG_HOME", ".config"), data: xdg("XDG_DATA_HOME", ".local/share"), cache: xdg("XDG_CACHE_HOME", ".cache") };
};
