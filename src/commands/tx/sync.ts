import { groupedAmount } from "../../domain/grouped.ts";
import { mirrorKey } from "../../flows/mirror-account.ts";
import { syncMirror } from "../../flows/sync.ts";
import { isSet, type Run } from "../../kernel/command.ts";
import { fieldOf, type Json, textOf } from "../../kernel/exact-json.ts";
import { progressLine } from "../../output/progress-line.ts";
import { openMirror } from "../../store/mirror.ts";

/** `tx sync` (cli.md, `tx sync`). */
export const run: Run = async (input, context) => {
  const account = await context.account();
  const client = await context.client({ bulk: true });
  const mirror = await openMirror(context.paths.data, mirrorKey(account));
  const line = context.progress();
  try {
    const result = await syncMirror(client, mirror, context, { full: isSet(input, "full"), onProgress: (state) => line.update(progressLine(state)) });
    return { rows: [result], view: { kind: "blocks", blocks: (rows) => rows.map((row) => ({ kind: "card", pairs: pairsOf(row) })) } };
  } finally {
    line.end();
    mirror.dispose();
  }
};

const pairsOf = (row: Json): readonly (readonly [string, string])[] => {
  const count = (name: string): string => groupedAmount(textOf(fieldOf(row, name)) ?? "", "");
  return [
    ["New", count("new")],
    ["Changed", count("changed")],
    ["Still open", count("open")],
    ["In the mirror", count("total")],
    ["Requests", count("calls")],
  ];
};
