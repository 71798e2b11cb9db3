import { type Run, textFlag } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { fieldOf, textOf } from "../../json/exact-json.ts";

const dayMs = 24 * 60 * 60 * 1000;

export const run: Run = async (input, context) => {
  const text = textFlag(input, "older-than");
  if (text === undefined) throw usageError("How old? Give --older-than DAYS");
  if (!/^\d{1,6}$/.test(text)) throw usageError(`--older-than takes a whole number of days from 0 to 999999, not "${text}".`);
  const journal = await context.journal();
  const pruned = await journal.prune(Number(text) * dayMs);
  return {
    rows: [{ pruned }],
    single: true,
    view: { kind: "blocks", blocks: (rows) => [{ kind: "text", lines: [`${textOf(fieldOf(rows[0], "pruned")) ?? "0"} attempts pruned.`] }] },
  };
};
