import type { Entry } from "../command.ts";

/** The commands whose words begin with these, the command of these words among them. */
export const entriesBelow = (path: readonly string[], registry: readonly Entry[]): readonly Entry[] =>
  registry.filter(({ spec }) => path.every((word, at) => spec.path[at] === word));

/** The command of exactly these words. */
export const entryAt = (path: readonly string[], registry: readonly Entry[]): Entry | undefined =>
  entriesBelow(path, registry).find(({ spec }) => spec.path.length === path.length);
