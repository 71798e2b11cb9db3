import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { roles } from "../../journal/port.ts";
import { hasPassword, parseJournalUrl, withoutPassword } from "../../journal/postgres/connection-settings.ts";
import { schemaVersion as version } from "../../journal/postgres/schema-version.ts";
import { grantSql, setUpJournal, setupSql } from "../../journal/postgres/setup.ts";
import { linesOutcome } from "../../output/outcomes.ts";
import type { journalSetupSpec } from "./spec.ts";

export const run: Run<typeof journalSetupSpec> = async ({ flags, args }, context) => {
  const { add: login, role, dryRun } = flags;
  const url = parseJournalUrl(args.url);
  if (hasPassword(url)) throw usageError("The URL has a password in it.", "Leave it out: PGPASSWORD, PGPASSFILE and ~/.pgpass are read.");
  if ((login === undefined) !== (role === undefined)) throw usageError("--add LOGIN and --role maker, checker or owner go together.");
  const grant = login === undefined || role === undefined ? undefined : grantSql(login, role);
  if (dryRun) {
    const sql = grant === undefined ? setupSql : `${setupSql}\n${grant}`;
    return linesOutcome({ where: withoutPassword(url), sql }, sql.split("\n"));
  }
  const { where, created, upgradedFrom } = await setUpJournal({ url: args.url, env: context.env, add: grant });
  const grants = roles.map((one) => grantSql("LOGIN", one));
  const lines = [
    `The journal at ${where} ${created ? "was made" : upgradedFrom === undefined ? "is there" : "was brought up to date"}, version ${version}.`,
    ...(grant === undefined ? [] : [`Done: ${grant}`]),
    "A login gets its role with one of:",
    ...grants.map((one) => `  ${one}`),
    "Each person then sets the journal: payments-cli profile set NAME --journal-url URL (or PAYMENTS_JOURNAL_URL).",
  ];
  return linesOutcome({ journal: "postgres", where, version, created, grants: grant === undefined ? grants : [grant] }, lines);
};
