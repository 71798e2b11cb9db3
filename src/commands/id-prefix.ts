import { usageError } from "../errors.ts";

/** Fewer letters are a slip, not an id. */
export const shortestPrefix = 4;

/** The one whose id begins with the text; undefined if none does. Throws CliError usage if several do. */
export const findByPrefix = async <T extends { readonly id: string }>(text: string, list: () => Promise<readonly T[]>): Promise<T | undefined> => {
  const prefix = text.trim().toLowerCase();
  const found = prefix.length < shortestPrefix ? [] : (await list()).filter(({ id }) => id.startsWith(prefix));
  if (found.length > 1) {
    const ids = found.slice(0, 5).map(({ id }) => id);
    throw usageError(`Several ids begin with ${text}: ${ids.join(", ")}.`, "Give more of it.");
  }
  return found[0];
};
