import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { openJournal } from "../../journal/journal.ts";
import { hasJournal, journalFileName } from "../../journal/journal-file.ts";
import type { journalImportSpec } from "./spec.ts";

export const run: Run<typeof journalImportSpec> = async ({ flags }, context) => {
  const shared = await context.journal();
  const { importAttempt } = shared;
  if (importAttempt === undefined)
    throw usageError("There is no shared journal to import into.", "Set PAYMENTS_JOURNAL_URL, or the profile's with profile set NAME --journal-url URL.");
  const dataFolder = flags.from ?? context.paths.data;
  if (!existsSync(dataFolder) || !hasJournal(dataFolder))
    throw usageError(`There is no ${journalFileName} in ${join(dataFolder)}.`, "Name its folder: --from DIR");
  const file = await openJournal({ dataFolder, clock: context.clock });
  let imported = 0;
  let known = 0;
  try {
    // The oldest first, so that the order of opening stays.
    for (const attempt of (await file.list({})).toReversed()) {
      if (attempt.damaged === true)
        throw usageError(
          `Attempt ${attempt.id} of that journal is damaged: close it first.`,
          `payments-cli journal resume ${attempt.id} --mark accepted (or refused)`,
        );
      if (await importAttempt(attempt)) imported += 1;
      else known += 1;
    }
  } finally {
    file.dispose();
  }
  return {
    rows: [{ imported, known }],
    single: true,
    view: { kind: "blocks", blocks: () => [{ kind: "text", lines: [`${imported} attempts imported, ${known} known already.`] }] },
  };
};
