import type { CommandSpec, Flag, Flags } from "./command.ts";
import { usageError } from "./errors.ts";

/** What makes a flag's value, beyond its type. */
type More = Omit<Flag, "type" | "summary" | "placeholder">;

const flagOf =
  <const Type extends Flag["type"]>(type: Type) =>
  <const M extends More>(summary: string, placeholder: string, more?: M) =>
    Object.assign({ type, summary, placeholder }, more);

/** A flag with a value. */
export const text = flagOf("string");
/** A flag with a value that may be given several times. */
export const texts = flagOf("strings");
/** A flag that may stand without its value. */
export const optionalText = flagOf("optional-string");
/** A flag without a value. */
export const toggle = (summary: string, more?: Pick<Flag, "short">) => ({ type: "boolean" as const, summary, ...more });

type Split<Words extends string> = Words extends `${infer First} ${infer Rest}` ? readonly [First, ...Split<Rest>] : readonly [Words];
type Details = Pick<CommandSpec, "details" | "arguments"> & {
  readonly flags?: Flags;
  /** Each: what follows `payments-cli`, what it does, and, if no test can run it against the sandbox, why. */
  readonly examples: readonly (readonly [line: string, says: string, untested?: string])[];
  readonly exitCodes?: readonly number[];
};
type Spec<Words extends string, D extends Details> = Omit<CommandSpec, "path" | "arguments" | "flags"> & {
  readonly path: Split<Words>;
  readonly arguments: D extends { readonly arguments: infer A } ? A : readonly [];
  readonly flags: D extends { readonly flags: infer F } ? F : Readonly<Record<never, never>>;
};

/** Exit codes of a command that reads from the service, beyond 0, 1 and 2. */
export const readCodes: readonly number[] = [3, 4, 5, 6, 10, 130];

/** A command as data. `words` follow `payments-cli`; the exit codes are those beyond 0, 1 and 2. */
export const command = <const Words extends string, const D extends Details>(words: Words, summary: string, details: D): Spec<Words, D> => {
  const examples = details.examples.map(([line, says, why]) => ({ line: `payments-cli ${line}`, says, ...(why === undefined ? {} : { why }) }));
  // The types say what is below: `path` are the words, and what is not given is empty.
  return { arguments: [], flags: {}, exitCodes: [], ...details, path: words.split(" "), summary, examples } as unknown as Spec<Words, D>;
};

/** A whole number within bounds, both allowed. Throws CliError usage that names the flag and the bounds. */
export const wholeNumber =
  (least: number, most = 999_999_999) =>
  (text: string, flag: string): number => {
    const typed = text.trim();
    const value = /^\d{1,16}$/.test(typed) ? Number(typed) : Number.NaN;
    if (!(value >= least && value <= most)) throw usageError(`${flag} takes a whole number from ${least} to ${most}, not "${text}".`);
    return value;
  };

/** A number of seconds within bounds, both allowed, as milliseconds. Throws CliError usage that names the flag and the bounds. */
export const secondsAsMs =
  (least: number, most: number) =>
  (text: string, flag: string): number => {
    const seconds = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!(seconds >= least && seconds <= most)) throw usageError(`${flag} takes a number of seconds from ${least} to ${most}, not "${text}".`);
    return Math.round(seconds * 1000);
  };
