import type { Entry } from "../command.ts";
import { nearest } from "../nearest.ts";
import wordsMeant from "./words-meant.json" with { type: "json" };

/** The commands whose words begin with these, the command of these words among them. */
export const entriesBelow = (path: readonly string[], registry: readonly Entry[]): readonly Entry[] =>
  registry.filter(({ spec }) => path.every((word, at) => spec.path[at] === word));

export const entryAt = (path: readonly string[], registry: readonly Entry[]): Entry | undefined =>
  entriesBelow(path, registry).find(({ spec }) => spec.path.length === path.length);

/** The words that may stand behind these. */
export const wordsBelow = (path: readonly string[], registry: readonly Entry[]): readonly string[] => [
  ...new Set(entriesBelow(path, registry).flatMap(({ spec }) => spec.path[path.length] ?? [])),
];

/** Words that people type first, and the commands that do what they mean. */
const meant: Readonly<Record<string, readonly string[]>> = wordsMeant;

/** The commands that an unknown word behind these may stand for, the likeliest first: by meaning, as a verb without its noun, or misspelt. */
export const commandsMeant = (word: string, registry: readonly Entry[], path: readonly string[] = []): readonly string[] => {
  const typed = word.toLowerCase();
  const noun = path.map((name) => `${name} `).join("");
  const meaningOf = (text: string): readonly string[] | undefined =>
    [`${noun}${text}`, text].flatMap((key) => (Object.hasOwn(meant, key) ? [meant[key]] : []))[0];
  const known = meaningOf(typed);
  if (known !== undefined) return known;
  const verbs = path.length > 0 ? [] : registry.map(({ spec }) => spec.path).filter((words) => words.length > 1 && words.at(-1) === typed);
  if (verbs.length > 0) return verbs.map((words) => words.join(" "));
  const names = wordsBelow(path, registry);
  const near = nearest(typed, [...new Set([...names, ...Object.keys(meant).map((key) => (key.startsWith(noun) ? key.slice(noun.length) : key))])]);
  return near === undefined ? [] : names.includes(near) ? [`${noun}${near}`] : (meaningOf(near) ?? []);
};
