import { readSettings } from "../accounts/settings-file.ts";
import type { Argument, Flag, Flags } from "../command.ts";
import { entriesBelow, entryAt, wordsBelow } from "./find-command.ts";
import { globalFlags } from "./global-flags.ts";
import { helpTopics } from "./help-topics.ts";
import { registry } from "./registry.ts";

export type Suggestion = { readonly value: string; readonly summary: string };
/** Where the values that were stored are: nothing is asked for by a TAB. */
export type Paths = { readonly config: string; readonly cache: string };
type Suggestions = readonly Suggestion[] | "file";

/** The words before the cursor, read. `waiting` is the flag whose value comes next, `count` the arguments so far. */
type Place = { readonly path: readonly string[]; readonly flags: Flags; readonly waiting: Flag | undefined; readonly ended: boolean; readonly count: number };

const takesValue = ({ type }: Flag): boolean => type === "string" || type === "strings";

/** The flag that a word begins, as commander reads it; undefined for another word. `inline`: its value is in the same word. */
const readFlag = (word: string, flags: Flags): { readonly flag: Flag; readonly inline: boolean } | undefined => {
  const [, long, value] = /^--([^=]+)(=)?/.exec(word) ?? [];
  if (long !== undefined) return Object.hasOwn(flags, long) && flags[long] !== undefined ? { flag: flags[long], inline: value !== undefined } : undefined;
  const flag = Object.values(flags).find(({ short }) => short !== undefined && word.startsWith(`-${short}`));
  return flag === undefined || (word.length > 2 && !takesValue(flag)) ? undefined : { flag, inline: word.length > 2 };
};

const readPlace = (words: readonly string[]): Place => {
  let path: readonly string[] = [];
  let waiting: Flag | undefined;
  let ended = false;
  let count = 0;
  const flags = (): Flags => ({ ...globalFlags, ...entryAt(path, registry)?.spec.flags });
  for (const word of words) {
    const longer = [...path, word];
    if (waiting !== undefined) waiting = undefined;
    else if (ended) count += 1;
    else if (word === "--") ended = true;
    else if (word.startsWith("-") && word !== "-") {
      const found = readFlag(word, flags());
      if (found !== undefined && !found.inline && takesValue(found.flag)) waiting = found.flag;
    } else if (count === 0 && entriesBelow(longer, registry).length > 0) path = longer;
    else count += 1;
  }
  return { path, flags: flags(), waiting, ended, count };
};

const commandsUnder = (path: readonly string[]): readonly Suggestion[] =>
  wordsBelow(path, registry).map((value) => ({ value, summary: entryAt([...path, value], registry)?.spec.summary ?? `Commands of ${value}` }));

const plain = (values: readonly string[]): readonly Suggestion[] => values.map((value) => ({ value, summary: "" }));

const storedValues = async (kind: Exclude<Flag["completes"], "file" | undefined>, paths: Paths): Promise<readonly string[]> => {
  if (kind === "profile") return [...(await readSettings(paths.config)).profiles.keys()];
  const { readProvidersCache } = await import("../payments/rails.ts");
  const rails = await readProvidersCache(paths);
  if (kind === "rail") return rails.map(({ code }) => code);
  if (kind === "country") return rails.map(({ country }) => country);
  return rails.flatMap(({ currencies, channels }) => (kind === "currency" ? currencies : channels));
};

/** `name` says what the value is. */
const valuesOf = async ({ choices, completes }: Pick<Argument, "choices" | "completes">, name: string | undefined, paths: Paths): Promise<Suggestions> => {
  if (choices !== undefined) return plain(choices);
  if (completes === "file" || name === "FILE") return "file";
  return completes === undefined ? [] : plain((await storedValues(completes, paths)).filter((value) => value !== ""));
};

/** What could stand at the cursor after `words`, where `current` was begun, whatever it begins with; `file` for the name of a file. */
export const suggest = async (words: readonly string[], current: string, paths: Paths): Promise<Suggestions> => {
  const [first, ...others] = words;
  if (first === "help") return [...commandsUnder(others), ...(others.length === 0 ? plain(Object.keys(helpTopics)) : [])];
  const { path, flags, waiting, ended, count } = readPlace(words);
  // A word that looks like a flag is not taken as a value: such a value needs an equals sign, as in --flag=-value.
  const separate = (found: Suggestions) => (found === "file" ? found : found.filter(({ value }) => !value.startsWith("-")));
  if (waiting !== undefined) return separate(await valuesOf(waiting, waiting.placeholder, paths));
  const [name] = /^--[^=]+=/.exec(ended ? "" : current) ?? [];
  if (name !== undefined) {
    const flag = readFlag(name, flags)?.flag;
    const found = flag === undefined || flag.type === "boolean" ? [] : await valuesOf(flag, flag.placeholder, paths);
    return found === "file" ? found : found.map(({ value, summary }) => ({ value: `${name}${value}`, summary }));
  }
  if (current.startsWith("-") && !ended) {
    return Object.entries(flags).flatMap(([long, { short, summary }]) =>
      [`--${long}`, ...(short === undefined ? [] : [`-${short}`])].map((value) => ({ value, summary })),
    );
  }
  const known: readonly Argument[] = entryAt(path, registry)?.spec.arguments ?? [];
  const last = known.at(-1);
  const argument = known[count] ?? (last?.variadic === true ? last : undefined);
  const values = argument === undefined ? [] : await valuesOf(argument, argument.name, paths);
  if (values === "file") return values;
  const help = path.length === 0 && count === 0 ? [{ value: "help", summary: "Help for a command or a topic" }] : [];
  return separate([...(count > 0 ? [] : commandsUnder(path)), ...help, ...values]);
};
