import type { Entry, Flag, Flags } from "../command.ts";
import { entriesBelow, entryAt, wordsBelow } from "./find-command.ts";
import { globalFlags } from "./global-flags.ts";

export type Suggestion = { readonly value: string; readonly summary: string };
type Stored = Exclude<Flag["completes"], "file" | undefined>;
export type Sources = {
  readonly registry: readonly Entry[];
  /** What `help` explains beside commands. */
  readonly topics: readonly string[];
  /** Values of one kind from files of this machine. */
  readonly stored: (kind: Stored) => Promise<readonly string[]>;
};

/** A flag or an argument. `name` says what its value is. */
type Valued = { readonly name: string | undefined; readonly choices?: readonly string[] | undefined; readonly completes?: Flag["completes"] | undefined };
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

const readPlace = (registry: readonly Entry[], words: readonly string[]): Place => {
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

const commandsUnder = (path: readonly string[], registry: readonly Entry[]): readonly Suggestion[] =>
  wordsBelow(path, registry).map((value) => ({ value, summary: entryAt([...path, value], registry)?.spec.summary ?? `Commands of ${value}` }));

const plain = (values: readonly string[]): readonly Suggestion[] => values.map((value) => ({ value, summary: "" }));

const valuesOf = async ({ name, choices, completes }: Valued, { stored }: Sources): Promise<readonly Suggestion[] | "file"> => {
  if (choices !== undefined) return plain(choices);
  if (completes === "file" || name === "FILE") return "file";
  return completes === undefined ? [] : plain((await stored(completes)).filter((value) => value !== ""));
};

/** What could stand at the cursor after `words`, where `current` was begun, whatever it begins with; `file` for the name of a file. */
export const suggest = async (words: readonly string[], current: string, sources: Sources): Promise<readonly Suggestion[] | "file"> => {
  const { registry, topics } = sources;
  const [first, ...others] = words;
  if (first === "help") {
    const commands = commandsUnder(others, registry);
    return others.length === 0 ? [...commands, ...plain(topics)] : commands;
  }
  const { path, flags, waiting, ended, count } = readPlace(registry, words);
  // A word that looks like a flag is not taken as a value: such a value needs an equals sign, as in --flag=-value.
  const separate = (found: readonly Suggestion[] | "file") => (found === "file" ? found : found.filter(({ value }) => !value.startsWith("-")));
  if (waiting !== undefined) return separate(await valuesOf({ ...waiting, name: waiting.placeholder }, sources));
  const [name] = /^--[^=]+=/.exec(ended ? "" : current) ?? [];
  if (name !== undefined) {
    const flag = readFlag(name, flags)?.flag;
    const found = flag === undefined || flag.type === "boolean" ? [] : await valuesOf({ ...flag, name: flag.placeholder }, sources);
    return found === "file" ? found : found.map(({ value, summary }) => ({ value: `${name}${value}`, summary }));
  }
  if (current.startsWith("-") && !ended) {
    return Object.entries(flags).flatMap(([long, { short, summary }]) =>
      [`--${long}`, ...(short === undefined ? [] : [`-${short}`])].map((value) => ({ value, summary })),
    );
  }
  const known = entryAt(path, registry)?.spec.arguments ?? [];
  const last = known.at(-1);
  const argument = known[count] ?? (last?.variadic === true ? last : undefined);
  const values = argument === undefined ? [] : await valuesOf(argument, sources);
  if (values === "file") return values;
  const commands = count > 0 ? [] : commandsUnder(path, registry);
  const help = path.length === 0 && count === 0 ? [{ value: "help", summary: "Help for a command or a topic" }] : [];
  return separate([...commands, ...help, ...values]);
};
