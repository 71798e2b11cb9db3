import { Command, CommanderError, Option } from "commander";
import type { CommandSpec, Flag, Input } from "../kernel/command.ts";
import { usageError } from "../kernel/errors.ts";
import { flagsOf, nearest } from "./find-command.ts";

/**
 * Reads the words after the command's path with commander. Throws CliError usage in our own words.
 * An empty value stays empty here: the command treats it as missing (cli.md).
 */
export const parseInput = (spec: CommandSpec, words: readonly string[]): Input => {
  const flags = flagsOf(spec);
  const command = new Command(spec.path.join(" "))
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined });
  command.helpOption(false).allowExcessArguments(spec.arguments?.some((argument) => argument.variadic === true) ?? false);
  for (const argument of spec.arguments ?? []) command.argument(argument.variadic ? `[${argument.name}...]` : `[${argument.name}]`);
  for (const [name, flag] of Object.entries(flags)) command.addOption(optionOf(name, flag));
  try {
    command.parse(joinDashedValues(words, flags), { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) throw wordsOf(error, spec, flags);
    throw error;
  }
  const given: Record<string, string | boolean | readonly string[] | undefined> = {};
  for (const name of Object.keys(flags)) given[name] = givenValue(command, name);
  const args = command.args;
  checkArguments(spec, args);
  return { flags: given, args, words: [...spec.path, ...words] };
};

const optionOf = (name: string, flag: Flag): Option => {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const value = flag.type === "boolean" ? "" : flag.type === "optional-string" ? " [value]" : " <value>";
  // A `--no-…` flag is a plain flag of that name here, not the negation of another.
  const option = new Option(`${short}--${name}${value}`, flag.summary);
  if (flag.type === "strings") option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
  return option;
};

const givenValue = (command: Command, name: string): string | boolean | readonly string[] | undefined => {
  if (name.startsWith("no-")) return command.getOptionValue(camel(name.slice(3))) === false ? true : undefined;
  return command.getOptionValue(camel(name)) as string | boolean | readonly string[] | undefined;
};

const camel = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** `--amount -5` is a value, not an option: the amount is then refused in words (A6). */
const joinDashedValues = (words: readonly string[], flags: Readonly<Record<string, Flag>>): string[] => {
  const known = new Set([
    ...Object.keys(flags).map((name) => `--${name}`),
    ...Object.values(flags).flatMap((flag) => (flag.short === undefined ? [] : [`-${flag.short}`])),
  ]);
  const joined: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") return [...joined, ...words.slice(index)];
    const flag = word.startsWith("--") ? flags[word.slice(2)] : undefined;
    const next = words[index + 1];
    const valued = flag !== undefined && (flag.type === "string" || flag.type === "strings");
    if (valued && next !== undefined && next.length > 1 && next.startsWith("-") && !known.has(next.split("=")[0] ?? "")) {
      joined.push(`${word}=${next}`);
      index++;
    } else joined.push(word);
  }
  return joined;
};

const checkArguments = (spec: CommandSpec, args: readonly string[]): void => {
  const missing = (spec.arguments ?? []).filter((argument, index) => argument.required === true && (args[index] ?? "") === "");
  if (missing.length > 0) {
    const names = missing.map((argument) => argument.name).join(" and ");
    throw usageError(`payments-cli ${spec.path.join(" ")} needs ${names}.`, `See: payments-cli ${spec.path.join(" ")} --help`);
  }
  for (const [index, argument] of (spec.arguments ?? []).entries()) {
    const value = args[index];
    if (argument.choices !== undefined && value !== undefined && !argument.choices.includes(value)) {
      const near = nearest(value, argument.choices);
      throw usageError(`${argument.name} is one of ${argument.choices.join(", ")}, not "${value}".`, near === undefined ? undefined : `Did you mean ${near}?`);
    }
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

const wordsOf = (error: CommanderError, spec: CommandSpec, flags: Readonly<Record<string, Flag>>) => {
  const see = `See: payments-cli ${spec.path.join(" ")} --help`;
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? "";
  if (error.code === "commander.unknownOption") {
    const typed = quoted.split("=")[0] ?? "";
    const near = nearest(typed.replace(/^--?/, ""), Object.keys(flags));
    return usageError(`payments-cli ${spec.path.join(" ")} has no flag ${typed}.`, near === undefined ? see : `Did you mean --${near}?`);
  }
  if (error.code === "commander.optionMissingArgument") {
    const name = /--[a-z0-9-]+/.exec(quoted)?.[0] ?? quoted;
    return usageError(`${name} needs a value.`, see);
  }
  if (error.code === "commander.excessArguments")
    return usageError(`payments-cli ${spec.path.join(" ")} was given more words than it takes: ${error.message.replace(/^error: /, "")}`, see);
  return usageError(error.message.replace(/^error: /, ""), see);
};
