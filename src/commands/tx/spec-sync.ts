import type { CommandSpec } from "../../command.ts";

export const txSyncSpec = {
  path: ["tx", "sync"],
  summary: "Bring the local mirror of transactions up to date",
  details:
    "The first run fetches everything and can be stopped and run again; later ones fetch what is new and what was open. Paid is never overwritten by a later failure: that is kept beside it as status_conflict.",
  flags: { full: { type: "boolean", summary: "List everything again, also what was final" } },
  examples: [{ line: "payments-cli tx sync", says: "Fetch what is new and what was open" }],
  exitCodes: [3, 6, 10, 130],
} as const satisfies CommandSpec;
