import { CliError, usageError } from "../../errors.ts";
import type { Attempt, Journal } from "../../journal/port.ts";

/** Fewer letters are a slip, not an id. */
const shortestPrefix = 4;
const searchedMax = 100_000;

/**
 * The attempt of an id, of the beginning of one, or of an idempotency key. Throws CliError not-found (4), and usage if several ids begin
 * like that.
 */
export const findAttempt = async (idOrKey: string, journal: Pick<Journal, "find" | "list">): Promise<Attempt> => {
  const text = idOrKey.trim();
  const attempt = await journal.find(text);
  if (attempt !== undefined) return attempt;
  const prefix = text.toLowerCase();
  const [only, ...others] = prefix.length < shortestPrefix ? [] : (await journal.list({ limit: searchedMax })).filter(({ id }) => id.startsWith(prefix));
  if (only === undefined)
    throw new CliError("not-found", `No attempt ${idOrKey} in the journal`, { hint: "To see those there are", command: ["journal", "list"] });
  if (others.length > 0)
    throw usageError(
      `Several ids begin with ${text}: ${[only, ...others]
        .map(({ id }) => id)
        .slice(0, 5)
        .join(", ")}.`,
      "Give more of it.",
    );
  return only;
};
