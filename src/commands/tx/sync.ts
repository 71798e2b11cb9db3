import type { Run } from "../../command.ts";
import { groupedCount } from "../../money/grouped.ts";
import { cardOutcome } from "../../output/outcomes.ts";
import { progressLine } from "../../output/progress-line.ts";
import { openMirror } from "../../transactions/mirror.ts";
import { mirrorKey } from "../../transactions/mirror-schema.ts";
import { syncMirror } from "../../transactions/sync.ts";
import type { txSyncSpec } from "./spec.ts";

export const run: Run<typeof txSyncSpec> = async ({ flags }, context) => {
  const account = await context.account();
  const client = await context.client({ bulk: true });
  const mirror = await openMirror(context.paths.data, mirrorKey(account));
  const line = context.progress();
  try {
    const result = await syncMirror(client, mirror, context, { full: flags.full, onProgress: (state) => line.update(progressLine(state)) });
    return cardOutcome(result, [
      ["New", groupedCount(result.new)],
      ["Changed", groupedCount(result.changed)],
      ["Still open", groupedCount(result.open)],
      ["In your local copy", groupedCount(result.total)],
      ["Requests", groupedCount(result.calls)],
    ]);
  } finally {
    line.end();
    mirror.dispose();
  }
};
