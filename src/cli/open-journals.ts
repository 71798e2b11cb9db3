import type { AccountSources } from "../accounts/account.ts";
import type { Journal } from "../journal/port.ts";
import type { Context } from "../ports.ts";
import type { Host } from "./host.ts";

type Ends = (end: () => Promise<void>) => void;

/** The journal of these settings, a file or a team's, opened on first use. */
export const createJournals = (host: Host, sources: AccountSources, atEnd: Ends): Pick<Context, "journal" | "existingJournal"> => {
  let opened: Promise<Journal> | undefined;
  const readPlace = async () => (await import("../accounts/journal-place.ts")).readJournalPlace(sources);
  const open = async (): Promise<Journal> => {
    const shared = await readPlace();
    const journal =
      shared === undefined
        ? await (await import("../journal/journal.ts")).openJournal({ dataFolder: host.paths.data, clock: host.clock })
        : await (await import("../journal/postgres/postgres-journal.ts")).openSharedJournal({ ...shared, env: host.env });
    atEnd(async () => journal.dispose());
    return journal;
  };
  const journal = (): Promise<Journal> => {
    opened ??= open();
    return opened;
  };
  return {
    journal,
    existingJournal: async () => {
      if ((await readPlace()) !== undefined) return await journal();
      const { dataFolderOf, hasJournal } = await import("../journal/journal-file.ts");
      const dataFolder = dataFolderOf(host.paths);
      return dataFolder !== undefined && hasJournal(dataFolder) ? await journal() : undefined;
    },
  };
};
