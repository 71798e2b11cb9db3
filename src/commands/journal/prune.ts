import type { Run } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { fieldOf, textOf } from "../../json/exact-json.ts";
import type { journalPruneSpec } from "./spec.ts";

const dayMs = 24 * 60 * 60 * 1000;

export const run: Run<typeof journalPruneSpec> = async ({ flags }, context) => {
  const { olderThan: days } = flags;
  if (days === undefined) throw usageError("How old? Give --older-than DAYS");
  const journal = await context.journal();
  const pruned = await journal.prune(days * dayMs);
  return {
    rows: [{ pruned }],
    single: true,
    view: { kind: "blocks", blocks: (rows) => [{ kind: "text", lines: [`${textOf(fieldOf(rows[0], "pruned")) ?? "0"} attempts pruned.`] }] },
  };
};
