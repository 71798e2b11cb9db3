import { type Run, textFlag } from "../../command.ts";
import { usageError } from "../../errors.ts";
import type { AttemptState } from "../../journal/port.ts";
import type { Operation } from "../../service/contract/routes.ts";
import { attemptColumnNames, attemptColumns, attemptRow } from "./attempt-rows.ts";

const tableRows = 50;
const otherRows = 1_000;

export const run: Run = async (input, context) => {
  const limit = parseLimit(textFlag(input, "limit")) ?? (context.flags.output === "table" ? tableRows : otherRows);
  const state = oneOf(textFlag(input, "state"), ["started", "accepted", "refused", "unknown"] as const satisfies readonly AttemptState[], "state");
  const operation = oneOf(textFlag(input, "operation"), ["stk", "b2c", "collect", "withdraw"] as const satisfies readonly Operation[], "operation");
  const day = parseDay(textFlag(input, "day"));
  const reference = textFlag(input, "reference")?.trim();
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
      columns: attemptColumns,
      empty: "No payment attempts here yet.",
      footer: (rows) => (rows === limit ? `The newest ${rows}; --limit N shows more.` : undefined),
    },
  };
};

const oneOf = <T extends string>(text: string | undefined, choices: readonly T[], flag: string): T | undefined => {
  if (text === undefined) return undefined;
  const choice = choices.find((one) => one === text.toLowerCase());
  if (choice === undefined) throw usageError(`--${flag} is one of ${choices.join(", ")}, not ${text}`);
  return choice;
};

const parseLimit = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw usageError(`--limit is a number of rows from 1, not ${text}`);
  return Number(text);
};

const parseDay = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text) throw usageError(`--day is a date like 2026-03-01 (UTC), not ${text}`);
  return text;
};
