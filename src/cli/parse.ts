import { Command, CommanderError, Option } from "commander";
import type { CommandSpec, Flag, Input } from "../command.ts";
import { type CliError, usageError } from "../errors.ts";
import { flagsOf, readFlag, unknownFlag } from "./find-command.ts";
import { nearest } from "./nearest.ts";
import { hasCurlyQuote, pastedFault, typographicDash, valueTrap } from "./shell-traps.ts";

type Flags = Readonly<Record<string, Flag>>;
type Values = Map<string, (string | true)[]>;

/**
 * Reads the words after the command's path with commander. Throws CliError usage in our own words.
 * An empty value stays empty here: the command treats it as missing (rules.md).
 */
export const parseInput = (spec: CommandSpec, words: readonly string[]): Input => {
  const flags = flagsOf(spec);
  const command = new Command(spec.path.join(" "))
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined });
  command.helpOption(false).allowExcessArguments(true).argument("[words...]");
  const values: Values = new Map();
  for (const [name, flag] of Object.entries(flags)) {
    command.addOption(optionOf(name, flag));
    command.on(`option:${name}`, (value: string | null | undefined) => values.set(name, [...(values.get(name) ?? []), value ?? true]));
  }
  try {
    command.parse(joinValues(words, flags, spec), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.code !== "commander.unknownOption") throw error;
    throw pastedFault(words) ?? unknownFlag(/'([^']*)'/.exec(error.message)?.[1] ?? "", spec.path, flags);
  }
  const given = Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, givenValue(name, flag, values.get(name) ?? [])]));
  checkArguments(spec, command.args, words);
  checkTraps(spec, given, command.args);
  return { flags: given, args: command.args, words: [...spec.path, ...words] };
};

const optionOf = (name: string, flag: Flag): Option => {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const value = flag.type === "boolean" ? "" : flag.type === "optional-string" ? " [value]" : " <value>";
  return new Option(`${short}--${name}${value}`, flag.summary);
};

const givenValue = (name: string, { type }: Flag, values: readonly (string | true)[]): Input["flags"][string] => {
  if (type === "strings") return values.length === 0 ? undefined : values.map(String);
  if (new Set(values).size > 1) throw usageError(`--${name} is given more than once, with different values: give it once.`);
  return values[0];
};

/**
 * Each value in one word with its flag: `--amount -5` is a value, not an option, and the amount is then refused in words (A6).
 * Throws CliError usage where a flag stands in the place of a value: it would be lost, and the value be another flag's name.
 */
const joinValues = (words: readonly string[], flags: Flags, { path }: CommandSpec): string[] => {
  const joined: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") return [...joined, ...words.slice(index)];
    const next = words[index + 1];
    const { name = "", flag, inline } = readFlag(word, flags) ?? {};
    if (flag?.type === "boolean" && inline !== undefined) throw usageError(`--${name} takes no value.`, `See: payments-cli ${path.join(" ")} --help`);
    if (flag === undefined || inline !== undefined || flag.type === "boolean" || (flag.type === "optional-string" && !/^-[\d.]/.test(next ?? ""))) {
      joined.push(word);
      continue;
    }
    if (next === undefined || next === "--" || isFlagLike(next, flags))
      throw usageError(`--${name} needs a value.`, `A value that begins with a dash is given as --${name}=VALUE. See: payments-cli ${path.join(" ")} --help`);
    joined.push(`--${name}=${next}`);
    index++;
  }
  return joined;
};

/** `-5` and `- 10%` are values. */
const isFlagLike = (word: string, flags: Flags): boolean =>
  /^--?[a-z][a-z0-9-]*(=|$)/i.test(word) || typographicDash([word], (name) => Object.hasOwn(flags, name)) !== undefined;

const counted = (count: number, noun: string): string => `${count === 0 ? "no" : count} ${noun}${count === 1 ? "" : "s"}`;

const checkArguments = (spec: CommandSpec, args: readonly string[], words: readonly string[]): void => {
  const known = spec.arguments ?? [];
  const see = `See: payments-cli ${spec.path.join(" ")} --help`;
  const missing = known.filter((argument, index) => argument.required === true && (args[index] ?? "") === "");
  if (missing.length > 0) {
    const names = missing.map((argument) => argument.name).join(" and ");
    throw pastedFault(words) ?? usageError(`payments-cli ${spec.path.join(" ")} needs ${names}.`, see);
  }
  const surplus = known.some(({ variadic }) => variadic === true) ? 0 : args.length - known.length;
  if (surplus > 0) throw pastedFault(words) ?? surplusError(spec, surplus, words);
  for (const [index, argument] of known.entries()) {
    const value = args[index];
    if (argument.choices !== undefined && value !== undefined && !argument.choices.includes(value)) {
      const near = nearest(value, argument.choices);
      throw usageError(`${argument.name} is one of ${argument.choices.join(", ")}, not "${value}".`, near === undefined ? undefined : `Did you mean ${near}?`);
    }
  }
};

/** The words themselves may be a key, and are not repeated. */
const surplusError = ({ path, arguments: known = [] }: CommandSpec, surplus: number, words: readonly string[]): CliError => {
  const takes = `payments-cli ${path.join(" ")} takes ${known.length === 0 ? "no arguments" : known.map(({ name }) => name).join(" and ")}`;
  const quotes = hasCurlyQuote(words)
    ? "Curly quotes keep nothing together for a shell: type straight ones."
    : "A value with spaces or commas goes in quotes: a shell splits it else, and PowerShell takes the comma away.";
  return usageError(
    `${takes}, and ${counted(surplus, "word")} more ${surplus === 1 ? "was" : "were"} given. ${quotes}`,
    `See: payments-cli ${path.join(" ")} --help`,
  );
};

/** Values that a shell or an editor changed. A file's name is what the shell makes of it. */
const checkTraps = (spec: CommandSpec, given: Input["flags"], args: readonly string[]): void => {
  const named: (readonly [string, string | undefined, string])[] = [];
  for (const [name, flag] of Object.entries(flagsOf(spec))) {
    for (const value of [given[name]].flat()) if (typeof value === "string") named.push([`--${name}`, flag.completes, value]);
  }
  for (const [index, value] of args.entries()) {
    const argument = spec.arguments?.[Math.min(index, spec.arguments.length - 1)];
    named.push([argument?.name ?? "An argument", argument?.name === "FILE" ? "file" : argument?.completes, value]);
  }
  for (const [name, completes, value] of named) {
    const trap = valueTrap(value, completes === "file");
    if (trap !== undefined) throw usageError(`The value of ${name} ${trap.problem}.`, trap.hint);
  }
};

/** Choices are checked by us, so that an empty value counts as missing. */
export const checkChoices = (spec: CommandSpec, input: Input): void => {
  for (const [name, flag] of Object.entries(flagsOf(spec))) {
    const value = input.flags[name];
    if (flag.choices === undefined || typeof value !== "string" || value === "" || flag.choices.includes(value)) continue;
    const near = nearest(value, flag.choices);
    throw usageError(`--${name} is one of ${flag.choices.join(", ")}, not "${value}".`, near === undefined ? undefined : `Did you mean --${name} ${near}?`);
  }
};
