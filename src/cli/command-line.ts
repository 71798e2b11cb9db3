import { Command, CommanderError, Option } from "commander";
import type { Entry, Flag, Flags, Typed } from "../command.ts";
import { type CliError, usageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { commandsMeant, entriesBelow, entryAt } from "./find-command.ts";
import { globalFlags } from "./global-flags.ts";
import { hasCurlyQuote, pastedFault, trapIn, valueTrap } from "./shell-traps.ts";

/** A command line as commander reads it. */
export type CommandLine = Typed & {
  /** The command, or the noun as far as it is known. */
  readonly path: readonly string[];
  /** Absent for a noun without its verb, or nothing at all. */
  readonly entry?: Entry;
  /** Why it cannot be run. `--help` and `--version` may be answered all the same. */
  readonly fault?: CliError;
};

type Reading = {
  readonly argv: readonly string[];
  readonly flags: Map<string, (string | true)[]>;
  path: readonly string[];
  entry?: Entry;
  args: readonly string[];
  fault?: CliError;
  /** The command that was reached last, as commander parses it. */
  reached?: Command;
};

/** Reads a command line: global flags may stand before and after the command, its own ones after it. */
export const readCommandLine = (registry: readonly Entry[], argv: readonly string[]): CommandLine => {
  const reading: Reading = { argv, flags: new Map(), path: [], args: [] };
  const trap = trapIn(argv, [...new Set([...Object.keys(globalFlags), ...registry.flatMap(({ spec }) => Object.keys(spec.flags))])]);
  if (trap !== undefined) reading.fault = trap;
  try {
    createProgram(registry, reading).parse(argv, { from: "user" });
    if (reading.entry !== undefined) checkValues(reading.entry, reading);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A noun without its verb, or nothing, with a flag that answers for itself.
    const isAnswered = error.code === "commander.help" && (reading.flags.has("help") || reading.flags.has("version"));
    if (!isAnswered) reading.fault ??= pastedFault(argv) ?? faultOf(error, registry, reading);
  }
  const { flags, path, entry, args, fault } = reading;
  return { flags: Object.fromEntries(flags), args, words: argv, path, ...(entry === undefined ? {} : { entry }), ...(fault === undefined ? {} : { fault }) };
};

/** The program without any command. What is below a command is added by its names alone, and gets its flags when it is reached. */
const createProgram = (registry: readonly Entry[], reading: Reading): Command => {
  const program = new Command("payments-cli").exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  program.helpOption(false).helpCommand(false).enablePositionalOptions();
  reach(program, [], registry, reading);
  return program;
};

const reach = (command: Command, path: readonly string[], registry: readonly Entry[], reading: Reading): void => {
  const entry = entryAt(path, registry);
  reading.path = path;
  reading.reached = command;
  for (const [name, flag] of Object.entries({ ...globalFlags, ...entry?.spec.flags })) addFlag(command, name, flag, reading);
  for (const name of new Set(entriesBelow(path, registry).flatMap(({ spec }) => spec.path[path.length] ?? []))) command.command(name);
  command.hook("preSubcommand", (_, below) => reach(below, [...path, below.name()], registry, reading));
  if (entry === undefined) return;
  for (const { name, variadic } of entry.spec.arguments ?? []) command.argument(`[${name}${variadic === true ? "..." : ""}]`);
  command.action(() => {
    reading.entry = entry;
    reading.args = command.args;
  });
};

const addFlag = (command: Command, name: string, flag: Flag, reading: Reading): void => {
  const value = flag.type === "boolean" ? "" : flag.type === "optional-string" ? " [value]" : " <value>";
  command.addOption(new Option(`${flag.short === undefined ? "" : `-${flag.short}, `}--${name}${value}`));
  command.on(`option:${name}`, (given: string | null | undefined) => {
    if (typeof given === "string" && isLostFlag(given, name, flag, reading.argv)) reading.fault ??= dashedValue(name, reading.path);
    const before = reading.flags.get(name) ?? [];
    if (flag.type !== "strings" && before.length > 0 && before[0] !== (given ?? true))
      reading.fault ??= usageError(`--${name} was given more than once, with different values. Give it once.`);
    reading.flags.set(name, [...before, given ?? true]);
  });
};

/** Commander takes any word for a value. Another flag in its place would be lost; in one word with the flag's name it is meant. */
const isLostFlag = (value: string, name: string, { short }: Flag, argv: readonly string[]): boolean =>
  /^--?([a-z][a-z0-9-]*(=|$)|$)/i.test(value) &&
  value !== "-" &&
  !argv.includes(`--${name}=${value}`) &&
  !(short !== undefined && argv.includes(`-${short}${value}`));

const dashedValue = (name: string, path: readonly string[]): CliError =>
  usageError(`--${name} needs a value.`, `If the value begins with a dash, write --${name}=VALUE. ${seeHelp(path)}`);

const seeHelp = (path: readonly string[]): string => `See: ${["payments-cli", ...path, "--help"].join(" ")}`;

/** Flags that another command of the path took, and values that a shell or an editor changed. */
const checkValues = ({ spec }: Entry, reading: Reading): void => {
  const known: Flags = { ...globalFlags, ...spec.flags };
  for (const [name, values] of reading.flags) {
    const flag = Object.hasOwn(known, name) ? known[name] : undefined;
    if (flag === undefined) reading.fault ??= usageError(`payments-cli ${spec.path.join(" ")} has no flag --${name}.`, seeHelp(spec.path));
    for (const value of values) if (value !== true) checkValue(value, `--${name}`, flag?.completes === "file", reading);
  }
  for (const [index, value] of reading.args.entries()) {
    const argument = spec.arguments?.[Math.min(index, spec.arguments.length - 1)];
    checkValue(value, argument?.name ?? "An argument", argument?.name === "FILE" || argument?.completes === "file", reading);
  }
};

const checkValue = (value: string, name: string, isFile: boolean, reading: Reading): void => {
  const trap = valueTrap(value, isFile);
  if (trap !== undefined) reading.fault ??= usageError(`The value of ${name} ${trap.problem}.`, trap.hint);
};

/** Commander's error with its suggestion. What was typed is repeated only as far as it cannot be a key. */
const faultOf = ({ code, message }: CommanderError, registry: readonly Entry[], reading: Reading): CliError => {
  const { path } = reading;
  const [, word = ""] = /'([\s\S]*?)'(?:\n|$|\.)/.exec(message) ?? [];
  const [, near] = /\(Did you mean (.+)\?\)$/.exec(message) ?? [];
  const where = ["payments-cli", ...path].join(" ");
  const names = entriesBelow(path, registry).map(({ spec }) => spec.path.join(" "));
  if (code === "commander.unknownOption") return unknownFlag(word, near, path, { ...globalFlags, ...entryAt(path, registry)?.spec.flags });
  if (code === "commander.unknownCommand") {
    const pasted = pastedFault([word]);
    if (pasted !== undefined) return pasted;
    const unknown = isShowable(word) ? `Unknown command: ${[...path, word].join(" ")}.` : "Unknown command.";
    const likely = commandsMeant(word, registry, path);
    // Of what else was typed only this is certainly no key.
    const account = reading.argv.includes("--sandbox") ? " --sandbox" : "";
    if (likely.length > 0) return usageError(unknown, `Did you mean: ${likely.map((command) => `payments-cli ${command}${account}`).join(", or ")}`);
    return usageError(unknown, path.length === 0 ? seeHelp(path) : `There are: ${names.join(", ")}. ${seeHelp(path)}`);
  }
  if (code === "commander.help") {
    if (path.length === 0) return usageError("Which command? None was given.", seeHelp(path));
    return usageError(`Which command? ${where} has these: ${names.join(", ")}.`, seeHelp(path));
  }
  if (code === "commander.optionMissingArgument") {
    const [, name = ""] = /--([a-z-]+)/.exec(message) ?? [];
    return dashedValue(name, path);
  }
  return code === "commander.excessArguments" ? unexpectedArgument(registry, reading) : usageError(`${message.replace(/^error: /, "")}`, seeHelp(path));
};

/** A word that is certainly no key, and may be repeated. */
const isShowable = (word: string): boolean => /^[a-z-]{1,24}$/i.test(word);

const unexpectedArgument = (registry: readonly Entry[], { argv, path, reached }: Reading): CliError => {
  const taken = entryAt(path, registry)?.spec.arguments?.length ?? 0;
  const word = reached?.args[taken] ?? "";
  const below = entriesBelow(path, registry).flatMap(({ spec }) => spec.path[path.length] ?? []);
  const near = nearest(word, below);
  // Without a flag, there is no value that a shell could have split.
  const isSplit = word !== "help" && argv.some((each) => each.startsWith("-"));
  const quotes = hasCurlyQuote(argv)
    ? "A shell does not read curly quotes as quotes: type straight ones."
    : "Put a value with spaces or commas in quotes, or the shell splits it.";
  return usageError(
    isShowable(word) ? `Unexpected argument "${word}".` : "Unexpected argument.",
    near === undefined ? (isSplit ? `${quotes} ${seeHelp(path)}` : seeHelp(path)) : `Did you mean: payments-cli ${[...path, near].join(" ")}`,
  );
};

const unknownFlag = (word: string, near: string | undefined, path: readonly string[], flags: Flags): CliError => {
  const [, dashes = "", typed = ""] = /^(--?)([a-z-]{0,24})(?==|$)/i.exec(word) ?? [];
  if (word.includes("=") && Object.hasOwn(flags, typed)) return usageError(`--${typed} takes no value.`, seeHelp(path));
  const shown = typed === "" ? (word.startsWith("--") ? "of that name" : word.slice(0, 2)) : dashes + typed;
  return usageError(`${["payments-cli", ...path].join(" ")} has no flag ${shown}.`, near === undefined ? seeHelp(path) : `Did you mean ${near}?`);
};
