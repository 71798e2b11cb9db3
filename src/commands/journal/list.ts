import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { attemptColumnNames, attemptColumns, attemptRow } from "./attempt-rows.ts";
import type { journalListSpec } from "./spec.ts";

const tableRows = 50;
const otherRows = 1_000;

export const run: Run<typeof journalListSpec> = async ({ flags }, context) => {
  const limit = flags.limit ?? (context.flags.output === "table" ? tableRows : otherRows);
  const { state, operation } = flags;
  const day = parseDay(flags.day);
  const reference = flags.reference?.trim();
  const journal = await context.journal();
  const attempts = await journal.list({
    limit,
    ...(state === undefined ? {} : { state }),
    ...(operation === undefined ? {} : { operation }),
    ...(day === undefined ? {} : { day }),
    ...(reference === undefined ? {} : { reference }),
  });
  return {
    rows: attempts.map(attemptRow),
    document: (rows) => ({ attempts: rows }),
    columns: attemptColumnNames,
    view: {
      kind: "table",
      columns: attemptColumns(attempts),
      empty: "No payment attempts here yet.",
      footer: (rows) => (rows === limit ? `The newest ${rows}; --limit N shows more.` : undefined),
    },
  };
};

const parseDay = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text) throw usageError(`--day is a date like 2026-03-01 (UTC), not ${text}`);
  return text;
};
