import { CliError } from "../errors.ts";
import type { Policy } from "./approval.ts";
import { hasJournal } from "./journal-file.ts";

/** The policies of this machine's journal; none if there is no journal. Makes no journal. Throws CliError usage if it cannot be read. */
export const readPolicies = async (paths: { readonly data: string }): Promise<readonly Policy[]> => {
  const dataFolder = dataOf(paths);
  if (dataFolder === undefined || !hasJournal(dataFolder)) return [];
  const { openJournal } = await import("./journal.ts");
  const journal = await openJournal({ dataFolder, clock: { now: () => Date.now() } });
  try {
    return await journal.approvals.policies();
  } finally {
    journal.dispose();
  }
};

/** Without a home there is no journal either. */
const dataOf = (paths: { readonly data: string }): string | undefined => {
  try {
    return paths.data;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
};
