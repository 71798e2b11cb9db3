import type { CommandSpec, Input } from "../../src/command.ts";
import { toInput } from "../../src/command-input.ts";

export type TypedFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A command's input from flags as they are typed, by their names with dashes. */
export const typedInput = <S extends CommandSpec>(spec: S, flags: TypedFlags = {}, args: readonly string[] = [], words: readonly string[] = []): Input<S> => {
  const given = Object.entries(flags).filter(([, value]) => value !== false && value !== undefined);
  return toInput(spec, { flags: Object.fromEntries(given.map(([name, value]) => [name, [value].flat() as (string | true)[]])), args, words });
};
