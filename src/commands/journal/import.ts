import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { openJournal } from "../../journal/journal.ts";
import { hasJournal, journalFileName } from "../../journal/journal-file.ts";
import type { journalImportSpec } from "./spec.ts";

/** So many share one commit. */
const importedTogether = 500;

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
    const attempts = (await file.list({})).toReversed();
    const damaged = attempts.find((attempt) => attempt.damaged === true);
    if (damaged !== undefined)
      throw usageError(
        `Attempt ${damaged.id} of that journal is damaged: close it first.`,
        `payments-cli journal resume ${damaged.id} --mark accepted (or refused)`,
      );
    for (let at = 0; at < attempts.length; at += importedTogether) {
      const ends = await Promise.all(attempts.slice(at, at + importedTogether).map(importAttempt));
      imported += ends.filter(Boolean).length;
      known += ends.filter((isNew) => !isNew).length;
    }
    const open = (await file.approvals.list()).filter(({ state }) => state === "open").length;
    if (open > 0) context.note(`${open} open proposals stay on this machine, as nobody can vouch for who made them: propose them again.`);
  } finally {
    file.dispose();
  }
  return {
    rows: [{ imported, known }],
    single: true,
    view: { kind: "blocks", blocks: () => [{ kind: "text", lines: [`${imported} attempts imported, ${known} known already.`] }] },
  };
};
