import { usageError } from "./errors.ts";
import type { Outcome } from "./outcome.ts";
import type { Context, GlobalFlags } from "./ports.ts";

/** A flag, as data. Names are kebab case and name the API's field. */
export type Flag = {
  /** `strings` may be given several times; `optional-string` may stand without a value (then `true`). */
  readonly type: "string" | "boolean" | "strings" | "optional-string";
  readonly summary: string;
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  /** One letter, as `-f`. */
  readonly short?: string;
  /** What completion offers from stored values: never a request. */
  readonly completes?: "profile" | "rail" | "channel" | "currency" | "country" | "file";
  /** Not in help, still in `commands --json`. */
  readonly hidden?: true;
};

export type Argument = {
  readonly name: string;
  readonly summary: string;
  readonly required?: true;
  readonly variadic?: true;
  readonly choices?: readonly string[];
  /** As a flag's. An argument called FILE is a file without saying so. */
  readonly completes?: Flag["completes"];
};

/** A command, as data: help, completion, `commands --json` and docs are made from it. Imports nothing heavy. */
export type CommandSpec = {
  readonly path: readonly [string, ...string[]];
  readonly summary: string;
  /** A few sentences under the summary in help. */
  readonly details?: string;
  readonly arguments?: readonly Argument[];
  readonly flags: Readonly<Record<string, Flag>>;
  /** Each is run by a test against the sandbox, but for those with `tested: false` and the reason. */
  readonly examples: readonly Example[];
  /** Exit codes beyond 0, 1, 2 that this command can end with. */
  readonly exitCodes: readonly number[];
};
export type Example = { readonly line: string; readonly says: string; readonly tested?: false; readonly why?: string };

/** What was typed, after the flag's type: text is trimmed of nothing; an empty value is absent (rules.md). */
export type Input = {
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly args: readonly string[];
  /** The command and its words as they can be typed again after `payments-cli`. */
  readonly words: readonly string[];
};
export type Run = (input: Input, context: Context) => Promise<Outcome>;
export type Entry = { readonly spec: CommandSpec; readonly load: () => Promise<{ readonly run: Run }> };

export const textFlag = (input: Input, name: string): string | undefined => {
  const value = input.flags[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};
/** The same command without some of its boolean flags and with others, for an error's `command`. Names without dashes. */
export const retyped = (
  { words }: Pick<Input, "words">,
  { without = [], add }: { readonly without?: readonly string[]; readonly add: readonly string[] },
): readonly string[] => {
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  const kept = words.slice(0, end).filter((word) => !without.some((name) => word === `--${name}`));
  return [...kept, ...add, ...words.slice(end)];
};
/** A number of seconds as milliseconds, both bounds allowed. Throws CliError usage that names the flag and the bounds. */
export const secondsAsMs = (text: string, flag: string, from: number, to: number): number => {
  const seconds = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(seconds >= from && seconds <= to)) throw usageError(`--${flag} takes a number of seconds from ${from} to ${to}, not "${text}".`);
  return Math.round(seconds * 1000);
};
/** The flags that name the same account, for a command that goes on where this one ended. */
export const accountWords = ({ sandbox, profile, baseUrl }: Pick<GlobalFlags, "sandbox" | "profile" | "baseUrl">): readonly string[] => [
  ...(sandbox ? ["--sandbox"] : []),
  ...(profile === undefined ? [] : ["--profile", profile]),
  ...(baseUrl === undefined ? [] : ["--base-url", baseUrl]),
];
export const listFlag = (input: Input, name: string): readonly string[] => {
  const value = input.flags[name];
  return Array.isArray(value) ? (value as readonly string[]).filter((item) => item !== "") : [];
};
export const isSet = (input: Input, name: string): boolean => input.flags[name] === true;
