import type { Outcome } from "./outcome.ts";
import type { Context, GlobalFlags } from "./ports.ts";

/** A flag, as data. Names are kebab case and name the API's field. */
export type Flag = {
  /** `strings` may be given several times; `optional-string` may stand without a value. */
  readonly type: "string" | "boolean" | "strings" | "optional-string";
  readonly summary: string;
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  /** Turns the text into what the command gets (command-spec.ts has the usual ones). Throws CliError usage that names the flag. */
  readonly parse?: (text: string, flag: string) => unknown;
  /** What the command gets if the flag is absent; without it, undefined. */
  readonly default?: unknown;
  /** What counts if the flag is absent, as it would be typed, where the command or the service decides it: for `commands --json`. */
  readonly usual?: string | number;
  /** What the command gets if an `optional-string` stands without a value; without it, true. */
  readonly bare?: unknown;
  /** An empty value is an error, instead of counting as missing. */
  readonly refusesEmpty?: true;
  /** One letter, as `-f`. */
  readonly short?: string;
  /** What completion offers from stored values: never a request. */
  readonly completes?: "profile" | "rail" | "channel" | "currency" | "country" | "file";
};
export type Flags = Readonly<Record<string, Flag>>;

export type Argument = {
  readonly name: string;
  readonly summary: string;
  readonly required?: true;
  readonly variadic?: true;
  readonly choices?: readonly string[];
  /** As a flag's. An argument called FILE is a file without saying so. */
  readonly completes?: Flag["completes"];
};

/** A command, as data: parsing, help, completion, `commands --json` and docs are made from it. Imports nothing heavy. */
export type CommandSpec = {
  readonly path: readonly [string, ...string[]];
  readonly summary: string;
  /** A few sentences under the summary in help. */
  readonly details?: string;
  readonly arguments?: readonly Argument[];
  readonly flags: Flags;
  /** Each is run by a test against the sandbox, but for those that say `why` none can. */
  readonly examples: readonly Example[];
  /** Exit codes beyond 0, 1, 2 that this command can end with. */
  readonly exitCodes: readonly number[];
};
export type Example = { readonly line: string; readonly says: string; readonly why?: string };

/** What was typed, sorted by commander and not looked at yet: every value of each flag (`true`: it stood without one). */
export type Typed = {
  readonly flags: Readonly<Record<string, readonly (string | true)[]>>;
  readonly args: readonly string[];
  /** The words that follow `payments-cli`. */
  readonly words: readonly string[];
};

type Chosen<T> = T extends { readonly choices: readonly (infer C)[] } ? C : string;
type Read<F> = F extends { readonly parse: (text: string, flag: string) => infer T } ? T : Chosen<F>;
type Absent<F> = F extends { readonly default: infer D } ? D : undefined;
type Bare<F> = F extends { readonly bare: infer B } ? B : true;
type FlagValue<F extends Flag> = F["type"] extends "boolean"
  ? boolean
  : F["type"] extends "strings"
    ? readonly Read<F>[]
    : Read<F> | Absent<F> | (F["type"] extends "optional-string" ? Bare<F> : never);
/** `callback-url` is `callbackUrl`. */
type Camel<N extends string> = N extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : N;
/** The values of flags, by their names in camel case. An empty value counts as missing. */
export type FlagValues<F extends Flags> = { readonly [N in keyof F & string as Camel<N>]: FlagValue<F[N]> };

type ArgumentValue<A> = A extends { readonly variadic: true } ? readonly string[] : A extends { readonly required: true } ? Chosen<A> : Chosen<A> | undefined;
type ArgumentsOf<S extends CommandSpec> = S extends { readonly arguments: readonly Argument[] } ? S["arguments"][number] : never;
type ArgumentValues<S extends CommandSpec> = { readonly [A in ArgumentsOf<S> as Lowercase<A["name"]>]: ArgumentValue<A> };

/** What a command gets: flags and arguments as its spec describes them. Arguments are named like in help, in small letters. */
export type Input<S extends CommandSpec = CommandSpec> = {
  readonly flags: FlagValues<S["flags"]>;
  readonly args: ArgumentValues<S>;
  readonly words: readonly string[];
};
/** The work of one command. `Needs` is what it takes of the context. */
export type Run<S extends CommandSpec = CommandSpec, Needs = Context> = (input: Input<S>, context: Needs) => Promise<Outcome>;

/** A command in the registry: its module is loaded on first use. */
export type Entry = {
  readonly spec: CommandSpec;
  /** Its heading in the help of the program. */
  readonly group: string;
  readonly run: (typed: Typed, context: Context) => Promise<Outcome>;
};

/** Pairs a spec with the module that runs it. */
export const toEntry = <S extends CommandSpec>(spec: S, load: () => Promise<{ readonly run: Run<S> }>): Pick<Entry, "run"> & { readonly spec: S } => ({
  spec,
  run: async (typed, context) => {
    const [{ toInput }, { run }] = await Promise.all([import("./command-input.ts"), load()]);
    return await run(toInput(spec, typed), context);
  },
});

/** The same command without some of its boolean flags and with others, for an error's `command`. Names without dashes. */
export const retyped = (
  { words }: Pick<Input, "words">,
  { without = [], add }: { readonly without?: readonly string[]; readonly add: readonly string[] },
): readonly string[] => {
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  const kept = words.slice(0, end).filter((word) => !without.some((name) => word === `--${name}`));
  return [...kept, ...add, ...words.slice(end)];
};
/** The words that give a flag a value, also one that begins with a dash. */
export const flagWords = (name: string, value: string): readonly string[] => (value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value]);
/** The flags that name the same account, for a command that goes on where this one ended. */
export const accountWords = ({ sandbox, profile, baseUrl }: Pick<GlobalFlags, "sandbox" | "profile" | "baseUrl">): readonly string[] => [
  ...(sandbox ? ["--sandbox"] : []),
  ...(profile === undefined ? [] : ["--profile", profile]),
  ...(baseUrl === undefined ? [] : ["--base-url", baseUrl]),
];
/** The same for the profile of an attempt; undefined if the environment was the account. */
export const profileWords = (profile: string): readonly string[] | undefined =>
  profile === "environment" ? undefined : accountWords(profile === "sandbox" ? { sandbox: true } : { sandbox: false, profile });
/** How long a request may take and how often it is tried again, unless said. */
export const usualPatience = { timeoutMs: 30_000, retries: 3 } as const;
