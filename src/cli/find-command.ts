import type { CommandSpec, Entry, Flag } from "../command.ts";
import { type CliError, usageError } from "../errors.ts";
import { globalFlags } from "./global-flags.ts";
import { nearest } from "./nearest.ts";
import { pastedFault } from "./shell-traps.ts";

export type Found =
  | { readonly kind: "command"; readonly entry: Entry; readonly rest: readonly string[] }
  /** A noun without its verb, or nothing at all. */
  | { readonly kind: "group"; readonly path: readonly string[]; readonly rest: readonly string[] };

type Flags = Readonly<Record<string, Flag>>;
/** A word that is a flag. `inline` is the value in the same word: `--name=value`, `-nvalue`. */
export type FlagWord = { readonly name: string; readonly flag: Flag; readonly inline?: string };

export const takesValue = ({ type }: Flag): boolean => type === "string" || type === "strings";

/** The flag that a word names; undefined for an argument and for an unknown flag. */
export const readFlag = (word: string, flags: Flags): FlagWord | undefined => {
  const [, long, , inline] = /^--([^=]+)(=([\s\S]*))?$/.exec(word) ?? [];
  if (long !== undefined) {
    const flag = Object.hasOwn(flags, long) ? flags[long] : undefined;
    return flag === undefined ? undefined : { name: long, flag, ...(inline === undefined ? {} : { inline }) };
  }
  const [name, flag] = Object.entries(flags).find(([, { short }]) => short !== undefined && word.startsWith(`-${short}`)) ?? [];
  if (name === undefined || flag === undefined) return undefined;
  if (word.length === 2) return { name, flag };
  return takesValue(flag) ? { name, flag, inline: word.slice(2) } : undefined;
};

export const isPrefix = (path: readonly string[], of: readonly string[]): boolean => path.every((name, index) => of[index] === name);

/** Flags that may stand here: the global ones, and those of the commands that the words so far may become. */
export const flagsUnder = (entries: readonly Entry[]): Flags => Object.assign({}, ...entries.map(({ spec }) => spec.flags), globalFlags);

/**
 * Which command these words name. Global flags may stand anywhere; the words of the path are taken out, all else is kept.
 * A flag's value is never taken for a command. Throws CliError usage for an unknown command or flag.
 */
export const findCommand = (registry: readonly Entry[], argv: readonly string[]): Found => {
  let path: string[] = [];
  const rest: string[] = [];
  let index = 0;
  for (; index < argv.length; index++) {
    const token = argv[index] ?? "";
    const entry = registry.find(({ spec }) => spec.path.length === path.length && isPrefix(path, spec.path));
    const deeper = registry.filter(({ spec }) => spec.path.length > path.length && isPrefix(path, spec.path));
    if (token === "--" || deeper.length === 0) break;
    if (token.startsWith("-") && token !== "-") {
      const flags = flagsUnder(entry === undefined ? deeper : [...deeper, entry]);
      const found = readFlag(token, flags);
      if (found === undefined) throw pastedFault([token]) ?? unknownFlag(token, path, flags);
      rest.push(token);
      const next = argv[index + 1];
      if (takesValue(found.flag) && found.inline === undefined && next !== undefined) {
        rest.push(next);
        index++;
      }
      continue;
    }
    const longer = [...path, token];
    if (!registry.some(({ spec }) => isPrefix(longer, spec.path))) {
      if (entry !== undefined) break;
      throw unknownCommand(registry, path, argv.slice(index));
    }
    path = longer;
  }
  rest.push(...argv.slice(index));
  const entry = registry.find(({ spec }) => spec.path.length === path.length && isPrefix(path, spec.path));
  return entry === undefined ? { kind: "group", path, rest } : { kind: "command", entry, rest };
};

const unknownCommand = (registry: readonly Entry[], path: readonly string[], words: readonly string[]): CliError => {
  const [token = ""] = words;
  const pasted = pastedFault(words);
  if (pasted !== undefined) return pasted;
  const names = [...new Set(registry.filter(({ spec }) => isPrefix(path, spec.path)).map(({ spec }) => spec.path[path.length] ?? ""))];
  const near = nearest(token, [...names, ...(path.length === 0 ? ["help"] : [])]);
  // A word that looks like no command may be a key that was typed in the wrong place: it is not repeated.
  const shown = /^[a-z-]{1,24}$/i.test(token) ? `command "${[...path, token].join(" ")}"` : "such command";
  const command = near === undefined ? [...path, "--help"] : [...path, near];
  return usageError(`There is no ${shown}.`, `${near === undefined ? "See" : "Did you mean"}: payments-cli ${command.join(" ")}`);
};

/** An unknown flag by its name alone: what follows `=`, or is glued to a letter, may be a key. */
export const unknownFlag = (word: string, path: readonly string[], flags: Flags): CliError => {
  const typed = /^--?([a-z-]{1,24})(?:=|$)/i.exec(word)?.[1] ?? "";
  const near = nearest(typed, Object.keys(flags));
  const shown = word.startsWith("--") || near !== undefined ? /^--?/.exec(word)?.[0] + typed : word.slice(0, 2);
  const where = path.length === 0 ? "payments-cli" : `payments-cli ${path.join(" ")}`;
  return usageError(`${where} has no flag ${typed === "" ? "of that name" : shown}.`, near === undefined ? `See: ${where} --help` : `Did you mean --${near}?`);
};

/** The flags a command takes: its own and the global ones. */
export const flagsOf = (spec: CommandSpec): Readonly<Record<string, Flag>> => ({ ...globalFlags, ...spec.flags });
