import type { Policy } from "./approval.ts";
import { dataFolderOf, hasJournal } from "./journal-file.ts";
import type { Journal } from "./port.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The policies of the journal of this environment; none if there is no journal. Makes none. Throws CliError usage if it cannot be read. */
export const readPolicies = async (paths: { readonly data: string }, env: Env): Promise<readonly Policy[]> => {
  const journal = await openExisting(paths, env);
  try {
    return (await journal?.approvals.policies()) ?? [];
  } finally {
    journal?.dispose();
  }
};

const openExisting = async (paths: { readonly data: string }, env: Env): Promise<Journal | undefined> => {
  const url = env["PAYMENTS_JOURNAL_URL"]?.trim() ?? "";
  if (url !== "") return await (await import("./postgres/postgres-journal.ts")).openSharedJournal({ url, env });
  const dataFolder = dataFolderOf(paths);
  if (dataFolder === undefined || !hasJournal(dataFolder)) return undefined;
  return await (await import("./journal.ts")).openJournal({ dataFolder, clock: { now: () => Date.now() } });
};
