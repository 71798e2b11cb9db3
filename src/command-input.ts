import type { CommandSpec, Flag, Flags, FlagValues, Input, Typed } from "./command.ts";
import { usageError } from "./errors.ts";
import { nearest } from "./nearest.ts";

/** The typed values of a command's own flags and arguments. Throws CliError usage that names the flag or argument. */
export const toInput = <S extends CommandSpec>(spec: S, { flags, args, words }: Typed): Input<S> => ({
  flags: toFlags<S["flags"]>(spec.flags, flags),
  // The types are those of the spec that the values are made from.
  args: argumentsOf(spec, args) as Input<S>["args"],
  words,
});

/** The typed values of flags, by their names in camel case. Throws CliError usage that names the flag. */
export const toFlags = <F extends Flags>(flags: F, typed: Typed["flags"]): FlagValues<F> =>
  Object.fromEntries(Object.entries(flags).map(([name, flag]) => [camelCase(name), flagValue(name, flag, typed[name] ?? [])])) as FlagValues<F>;

const camelCase = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

const flagValue = (name: string, flag: Flag, values: readonly (string | true)[]): unknown => {
  const [value] = values;
  if (flag.type === "boolean") return value === true;
  if (flag.type === "strings") return values.flatMap((each) => (typeof each === "string" && each !== "" ? [readText(name, flag, each)] : []));
  if (value === true) return flag.bare ?? true;
  if (value === undefined || (value === "" && flag.refusesEmpty !== true)) return flag.default;
  return readText(name, flag, value);
};

const readText = (name: string, { choices, parse }: Flag, text: string): unknown => {
  checkChoice(text, choices, `--${name}`, `--${name} `);
  return parse === undefined ? text : parse(text, `--${name}`);
};

/** `before` stands before a choice where it is typed. */
const checkChoice = (text: string, choices: readonly string[] | undefined, name: string, before = ""): void => {
  if (choices === undefined || choices.includes(text)) return;
  const near = nearest(text, choices);
  throw usageError(`${name} is one of ${choices.join(", ")}, not "${text}".`, near === undefined ? undefined : `Did you mean ${before}${near}?`);
};

const argumentsOf = ({ path, arguments: known = [] }: CommandSpec, given: readonly string[]): Readonly<Record<string, unknown>> => {
  const values = known.map(
    (argument, index) => [argument, given.slice(index, argument.variadic === true ? undefined : index + 1).filter((text) => text !== "")] as const,
  );
  const missing = values.filter(([{ required }, texts]) => required === true && texts.length === 0).map(([{ name }]) => name);
  if (missing.length > 0) throw usageError(`payments-cli ${path.join(" ")} needs ${missing.join(" and ")}.`, `See: payments-cli ${path.join(" ")} --help`);
  for (const [{ name, choices }, texts] of values) for (const text of texts) checkChoice(text, choices, name);
  return Object.fromEntries(values.map(([{ name, variadic }, texts]) => [name.toLowerCase(), variadic === true ? texts : texts[0]]));
};
