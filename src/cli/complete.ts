import { readSettings } from "../accounts/settings-file.ts";
import { isPrintable } from "../output/sanitize.ts";

export type CompleteSources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: { readonly config: string; readonly cache: string };
};

const profileNames = async (configFolder: string): Promise<readonly string[]> => [...(await readSettings(configFolder)).profiles.keys()];

const valuesOf = async (kind: string | undefined, { paths }: CompleteSources): Promise<readonly string[]> => {
  if (kind === "profile") return await profileNames(paths.config);
  const { readProvidersCache } = await import("../payments/providers-cache.ts");
  const rails = await readProvidersCache(paths);
  if (kind === "rail") return rails.map(({ rail }) => rail);
  if (kind === "country") return rails.map(({ country }) => country);
  if (kind === "currency") return rails.flatMap(({ currencies }) => currencies);
  if (kind === "channel") return rails.flatMap(({ channels }) => channels);
  return [];
};

/**
 * Answers a completion script: the values of one kind, one a line, from files alone (never a request on TAB, issue 6).
 * What could not stand on a line of a shell is left out. Nothing is said where nothing is known: TAB has no place for errors.
 */
export const complete = async (words: readonly string[], sources: CompleteSources): Promise<string> => {
  try {
    const values = await valuesOf(words[0], sources);
    const usable = [...new Set(values)].filter((value) => value !== "" && isPrintable(value));
    return usable.map((value) => `${value}\n`).join("");
  } catch {
    return "";
  }
};
