import type { CommandSpec, Entry, Flag } from "../kernel/command.ts";
import { usageError } from "../kernel/errors.ts";
import { globalFlags } from "./global-flags.ts";

export type Found =
  | { readonly kind: "command"; readonly entry: Entry; readonly rest: readonly string[] }
  /** A noun without its verb, or nothing at all. */
  | { readonly kind: "group"; readonly path: readonly string[]; readonly rest: readonly string[] };

const takesValue = (flag: Flag | undefined): boolean => flag?.type === "string" || flag?.type === "strings";

const flagOf = (token: string, flags: Readonly<Record<string, Flag>>): Flag | undefined => {
  if (token.startsWith("--")) return Object.hasOwn(flags, token.slice(2)) ? flags[token.slice(2)] : undefined;
  return Object.values(flags).find((flag) => flag.short !== undefined && token === `-${flag.short}`);
};

const isPrefix = (path: readonly string[], of: readonly string[]): boolean => path.every((name, index) => of[index] === name);

/**
 * Which command these words name. Global flags may stand anywhere; the words of the path are taken out, all else is kept.
 * A word that could be a flag's value is never taken for a command.
 */
export const findCommand = (registry: readonly Entry[], argv: readonly string[]): Found => {
  let path: string[] = [];
  const rest: string[] = [];
  let index = 0;
  for (; index < argv.length; index++) {
    const token = argv[index] ?? "";
    const entry = registry.find(({ spec }) => spec.path.length === path.length && isPrefix(path, spec.path));
    const deeper = registry.some(({ spec }) => spec.path.length > path.length && isPrefix(path, spec.path));
    if (token === "--" || !deeper) break;
    if (token.startsWith("-") && token !== "-") {
      rest.push(token);
      const known: Readonly<Record<string, Flag>> = { ...globalFlags, ...entry?.spec.flags };
      const next = argv[index + 1];
      if (takesValue(flagOf(token, known)) && next !== undefined) {
        rest.push(next);
        index++;
      }
      continue;
    }
    const longer = [...path, token];
    if (!registry.some(({ spec }) => isPrefix(longer, spec.path))) {
      if (entry !== undefined) break;
      throw unknownCommand(registry, path, token);
    }
    path = longer;
  }
  rest.push(...argv.slice(index));
  const entry = registry.find(({ spec }) => spec.path.length === path.length && isPrefix(path, spec.path));
  return entry === undefined ? { kind: "group", path, rest } : { kind: "command", entry, rest };
};

const unknownCommand = (registry: readonly Entry[], path: readonly string[], token: string) => {
  const names = [...new Set(registry.filter(({ spec }) => isPrefix(path, spec.path)).map(({ spec }) => spec.path[path.length] ?? ""))];
  const near = nearest(token, [...names, ...(path.length === 0 ? ["help"] : [])]);
  const typed = [...path, token].join(" ");
  return usageError(
    `There is no command "${typed}".`,
    near === undefined ? `See: payments-cli ${[...path, "--help"].join(" ")}` : `Did you mean: payments-cli ${[...path, near].join(" ")}`,
  );
};

/** The closest of some names, if any is close enough to be a slip of the fingers. */
export const nearest = (typed: string, names: readonly string[]): string | undefined => {
  const scored = names.map((name) => ({ name, distance: distance(typed.toLowerCase(), name) })).sort((a, b) => a.distance - b.distance);
  const best = scored[0];
  return best !== undefined && best.distance <= Math.max(1, Math.floor(Math.max(typed.length, best.name.length) / 3)) ? best.name : undefined;
};

/** Slips between two words: a letter too many, too few, another one, or two changed about. */
const distance = (a: string, b: string): number => {
  let before: readonly number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1] ? (before[column - 2] ?? 0) + 1 : substitution;
      current.push(Math.min(substitution, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    [before, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
};

/** The flags a command takes: its own and the global ones. */
export const flagsOf = (spec: CommandSpec): Readonly<Record<string, Flag>> => ({ ...globalFlags, ...spec.flags });
