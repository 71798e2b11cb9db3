import type { Policy } from "./approval.ts";
import { dataFolderOf, hasJournal } from "./journal-file.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The policies of the journal of this environment; none if there is no journal. Makes none. Throws CliError usage if it cannot be read. */
export const readPolicies = async (paths: { readonly data: string }, env: Env): Promise<readonly Policy[]> => {
  const url = env["PAYMENTS_JOURNAL_URL"]?.trim() ?? "";
  if (url !== "") {
    const { openSharedJournal } = await import("./postgres/postgres-journal.ts");
    const shared = await openSharedJournal({ url, env });
    try {
      return await shared.approvals.policies();
    } finally {
      shared.dispose();
    }
  }
  const dataFolder = dataFolderOf(paths);
  if (dataFolder === undefined || !hasJournal(dataFolder)) return [];
  const { openJournal } = await import("./journal.ts");
  const journal = await openJournal({ dataFolder, clock: { now: () => Date.now() } });
  try {
    return await journal.approvals.policies();
  } finally {
    journal.dispose();
  }
};
