import { CliError } from "../../errors.ts";
import type { Attempt, Journal } from "../../journal/port.ts";

/** The attempt of an id or idempotency key. Throws CliError not-found (4). */
export const findAttempt = async (idOrKey: string, journal: Pick<Journal, "find">): Promise<Attempt> => {
  const attempt = await journal.find(idOrKey.trim());
  if (attempt === undefined)
    throw new CliError("not-found", `No attempt ${idOrKey} in the journal`, { hint: "To see those there are", command: ["journal", "list"] });
  return attempt;
};
