import { Command, CommanderError, Option } from "commander";
import type { Entry, Flag, Flags, Typed } from "../command.ts";
import { type CliError, usageError } from "../errors.ts";
import { present } from "../json/exact-json.ts";
import { nearest } from "../nearest.ts";
import { commandsMeant, entriesBelow, entryAt, wordsBelow } from "./find-command.ts";
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

/** What is read so far. `command` is the one that was reached last, as commander parses it; path, entry and the flags it knows are of that one. */
type Reading = {
  readonly registry: readonly Entry[];
  readonly argv: readonly string[];
  readonly flags: Map<string, (string | true)[]>;
  command: Command;
  path: readonly string[];
  entry: Entry | undefined;
  known: Flags;
  fault: CliError | undefined;
};

/** Reads a command line: global flags may stand before and after the command, its own ones after it. */
export const readCommandLine = (registry: readonly Entry[], argv: readonly string[]): CommandLine => {
  const command = new Command("payments-cli").exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  command.helpOption(false).helpCommand(false).enablePositionalOptions();
  const fault = trapIn(argv, [...new Set([...Object.keys(globalFlags), ...registry.flatMap(({ spec }) => Object.keys(spec.flags))])]);
  const reading: Reading = { registry, argv, flags: new Map(), command, path: [], entry: undefined, known: globalFlags, fault };
  reach(command, [], reading);
  try {
    command.parse(argv, { from: "user" });
    if (reading.entry !== undefined) checkValues(reading.entry, reading);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A noun without its verb, or nothing, with a flag that answers for itself.
    const isAnswered = error.code === "commander.help" && (reading.flags.has("help") || reading.flags.has("version"));
    if (!isAnswered) reading.fault ??= pastedFault(argv) ?? faultOf(error, reading);
  }
  const { flags, path, entry } = reading;
  return { flags: Object.fromEntries(flags), args: reading.command.args, words: argv, path, ...present({ entry, fault: reading.fault }) };
};

/** Subcommands are added by name only; each gets its flags once the command line reaches it. */
const reach = (command: Command, path: readonly string[], reading: Reading): void => {
  const entry = entryAt(path, reading.registry);
  Object.assign(reading, { command, path, entry, known: { ...globalFlags, ...entry?.spec.flags } });
  for (const [name, flag] of Object.entries(reading.known)) addFlag(command, name, flag, reading);
  for (const name of wordsBelow(path, reading.registry)) command.command(name);
  command.hook("preSubcommand", (_, below) => reach(below, [...path, below.name()], reading));
  if (entry === undefined) return;
  for (const { name, variadic } of entry.spec.arguments ?? []) command.argument(`[${name}${variadic === true ? "..." : ""}]`);
  // Without an action, commander refuses a command that has subcommands and got none of them.
  command.action(() => undefined);
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
  for (const [name, values] of reading.flags) {
    const flag = Object.hasOwn(reading.known, name) ? reading.known[name] : undefined;
    if (flag === undefined) reading.fault ??= noFlag(spec.path, `--${name}`);
    for (const value of values) if (value !== true) checkValue(value, `--${name}`, flag?.completes === "file", reading);
  }
  for (const [index, value] of reading.command.args.entries()) {
    const argument = spec.arguments?.[Math.min(index, spec.arguments.length - 1)];
    checkValue(value, argument?.name ?? "An argument", argument?.name === "FILE" || argument?.completes === "file", reading);
  }
};

const checkValue = (value: string, name: string, isFile: boolean, reading: Reading): void => {
  const trap = valueTrap(value, isFile);
  if (trap !== undefined) reading.fault ??= usageError(`The value of ${name} ${trap.problem}.`, trap.hint);
};

/** Commander's error with its suggestion. What was typed is repeated only as far as it cannot be a key. */
const faultOf = ({ code, message }: CommanderError, reading: Reading): CliError => {
  const { path, registry } = reading;
  const [, word = ""] = /'([\s\S]*?)'(?:\n|$|\.)/.exec(message) ?? [];
  const names = entriesBelow(path, registry).map(({ spec }) => spec.path.join(" "));
  if (code === "commander.unknownOption") return unknownFlag(word, /\(Did you mean (.+)\?\)$/.exec(message)?.[1], reading);
  if (code === "commander.unknownCommand") return pastedFault([word]) ?? unknownCommand(word, names, reading);
  if (code === "commander.optionMissingArgument") return dashedValue(/--([a-z-]+)/.exec(message)?.[1] ?? "", path);
  if (code === "commander.excessArguments") return unexpectedArgument(reading);
  const there = path.length === 0 ? "None was given" : `${["payments-cli", ...path].join(" ")} has these: ${names.join(", ")}`;
  return usageError(`Which command? ${there}.`, seeHelp(path));
};

/** A word that is certainly no key, and may be repeated. */
const isShowable = (word: string): boolean => /^[a-z-]{1,24}$/i.test(word);

const unknownCommand = (word: string, names: readonly string[], { argv, path, registry }: Reading): CliError => {
  const unknown = isShowable(word) ? `Unknown command: ${[...path, word].join(" ")}.` : "Unknown command.";
  const likely = commandsMeant(word, registry, path);
  // Of what else was typed only this is certainly no key.
  const account = argv.includes("--sandbox") ? " --sandbox" : "";
  if (likely.length > 0) return usageError(unknown, `Did you mean: ${likely.map((command) => `payments-cli ${command}${account}`).join(", or ")}`);
  return usageError(unknown, path.length === 0 ? seeHelp(path) : `There are: ${names.join(", ")}. ${seeHelp(path)}`);
};

const unexpectedArgument = ({ argv, path, entry, command, registry }: Reading): CliError => {
  const word = command.args[entry?.spec.arguments?.length ?? 0] ?? "";
  const said = isShowable(word) ? `Unexpected argument "${word}".` : "Unexpected argument.";
  const near = nearest(word, wordsBelow(path, registry));
  if (near !== undefined) return usageError(said, `Did you mean: payments-cli ${[...path, near].join(" ")}`);
  // Without a flag, there is no value that a shell could have split.
  if (word === "help" || !argv.some((each) => each.startsWith("-"))) return usageError(said, seeHelp(path));
  const quotes = hasCurlyQuote(argv)
    ? "A shell does not read curly quotes as quotes: type straight ones."
    : "Put a value with spaces or commas in quotes, or the shell splits it.";
  return usageError(said, `${quotes} ${seeHelp(path)}`);
};

const noFlag = (path: readonly string[], flag: string, hint = seeHelp(path)): CliError =>
  usageError(`${["payments-cli", ...path].join(" ")} has no flag ${flag}.`, hint);

const unknownFlag = (word: string, near: string | undefined, { path, known }: Reading): CliError => {
  const [, dashes = "", typed = ""] = /^(--?)([a-z-]{0,24})(?==|$)/i.exec(word) ?? [];
  if (word.includes("=") && Object.hasOwn(known, typed)) return usageError(`--${typed} takes no value.`, seeHelp(path));
  const shown = typed === "" ? (word.startsWith("--") ? "of that name" : word.slice(0, 2)) : dashes + typed;
  return noFlag(path, shown, near === undefined ? undefined : `Did you mean ${near}?`);
};
