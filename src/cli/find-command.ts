import type { Entry } from "../command.ts";
import { nearest } from "../nearest.ts";
import wordsMeant from "./words-meant.json" with { type: "json" };

/** The commands whose words begin with these, the command of these words among them. */
export const entriesBelow = (path: readonly string[], registry: readonly Entry[]): readonly Entry[] =>
  registry.filter(({ spec }) => path.every((word, at) => spec.path[at] === word));

export const entryAt = (path: readonly string[], registry: readonly Entry[]): Entry | undefined =>
  entriesBelow(path, registry).find(({ spec }) => spec.path.length === path.length);

/** Words that people type first, and the commands that do what they mean. */
const meant: Readonly<Record<string, readonly string[]>> = wordsMeant;

/** The commands that an unknown word at the beginning may stand for, the likeliest first: by meaning, as a verb without its noun, or misspelt. */
export const commandsMeant = (word: string, registry: readonly Entry[]): readonly string[] => {
  const typed = word.toLowerCase();
  if (Object.hasOwn(meant, typed)) return meant[typed] ?? [];
  const verbs = registry.map(({ spec }) => spec.path).filter((path) => path.length > 1 && path.at(-1) === typed);
  if (verbs.length > 0) return verbs.map((path) => path.join(" "));
  const near = nearest(typed, [...new Set([...registry.map(({ spec }) => spec.path[0]), ...Object.keys(meant)])]);
  return near === undefined ? [] : (meant[near] ?? [near]);
};
