import type { Run } from "../../command.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import { groupedAmount } from "../../money/grouped.ts";
import { progressLine } from "../../output/progress-line.ts";
import { openMirror } from "../../transactions/mirror.ts";
import { mirrorKey } from "../../transactions/mirror-account.ts";
import { syncMirror } from "../../transactions/sync.ts";
import type { txSyncSpec } from "./spec-sync.ts";

/** `tx sync` (rules.md, `tx sync`). */
export const run: Run<typeof txSyncSpec> = async ({ flags }, context) => {
  const account = await context.account();
  const client = await context.client({ bulk: true });
  const mirror = await openMirror(context.paths.data, mirrorKey(account));
  const line = context.progress();
  try {
    const result = await syncMirror(client, mirror, context, { full: flags.full, onProgress: (state) => line.update(progressLine(state)) });
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
