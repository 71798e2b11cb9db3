import type { Entry, Flag } from "../../command.ts";

/** What a value can be: one of some words, a stored value asked of `__complete`, a file, or nothing that could be offered. */
export type Values =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "stored"; readonly name: string }
  | { readonly kind: "file" | "free" };
export type FlagNode = {
  /** `--output`, and `-o` where there is one. */
  readonly words: readonly string[];
  readonly summary: string;
  /** Absent: the flag stands alone. `--wait [SECONDS]` stands alone too: what follows may be anything. */
  readonly values?: Values;
};
export type Child = { readonly name: string; readonly summary: string };
/** A place in the command line: the words of a command so far, `""` for none. */
export type Node = {
  readonly path: string;
  readonly children: readonly Child[];
  readonly flags: readonly FlagNode[];
  readonly arguments: readonly Values[];
  readonly variadic: boolean;
};
export type CompletionTree = { readonly globalFlags: readonly FlagNode[]; readonly nodes: readonly Node[] };

type Valued = { readonly choices?: readonly string[]; readonly completes?: Flag["completes"] };

const toValues = ({ choices, completes }: Valued, name = ""): Values => {
  if (choices !== undefined) return { kind: "choices", choices };
  if (completes === "file" || name === "FILE") return { kind: "file" };
  return completes === undefined ? { kind: "free" } : { kind: "stored", name: completes };
};

const toFlags = (flags: Readonly<Record<string, Flag>>): readonly FlagNode[] =>
  Object.entries(flags)
    .filter(([, flag]) => flag.hidden !== true)
    .map(([name, flag]) => ({
      words: [`--${name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])],
      summary: flag.summary,
      ...(flag.type === "string" || flag.type === "strings" ? { values: toValues(flag, flag.placeholder) } : {}),
    }));

const childrenOf = (path: readonly string[], registry: readonly Entry[]): readonly Child[] => {
  const summaries = new Map<string, string>();
  for (const { spec } of registry) {
    const name = spec.path[path.length];
    if (name === undefined || !path.every((part, index) => spec.path[index] === part)) continue;
    const own = spec.path.length === path.length + 1;
    if (own || !summaries.has(name)) summaries.set(name, own ? spec.summary : `Commands of ${name}`);
  }
  return [...summaries].map(([name, summary]) => ({ name, summary }));
};

/** The whole command line as completion sees it, from the specs. */
export const toCompletionTree = (registry: readonly Entry[], globalFlags: Readonly<Record<string, Flag>>, topics: readonly string[]): CompletionTree => {
  const paths = new Map<string, readonly string[]>([["", []]]);
  for (const { spec } of registry)
    for (let length = 1; length <= spec.path.length; length++) paths.set(spec.path.slice(0, length).join(" "), spec.path.slice(0, length));
  const nodes = [...paths].map(([path, words]): Node => {
    const spec = registry.find((entry) => entry.spec.path.join(" ") === path)?.spec;
    const children = childrenOf(words, registry);
    return {
      path,
      children: path === "" ? [...children, { name: "help", summary: "Help for a command or a topic" }] : children,
      flags: toFlags(spec?.flags ?? {}),
      arguments: (spec?.arguments ?? []).map((argument) => toValues(argument, argument.name)),
      variadic: spec?.arguments?.some((argument) => argument.variadic === true) ?? false,
    };
  });
  const help = {
    path: "help",
    children: [],
    flags: [],
    arguments: [{ kind: "choices", choices: [...topics, ...childrenOf([], registry).map(({ name }) => name)] }],
    variadic: false,
  } as const;
  return { globalFlags: toFlags(globalFlags), nodes: [...nodes, help] };
};

/** How a kind of values is written in the scripts: `c` and the choices, `s` and the name, `f`, or `n`. */
export const codeOf = (values: Values): string => {
  if (values.kind === "choices") return `c ${values.choices.join(" ")}`;
  return values.kind === "stored" ? `s ${values.name}` : values.kind === "file" ? "f" : "n";
};
