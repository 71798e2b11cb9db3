import { command, toggle } from "../../command-spec.ts";

export const txSyncSpec = command("tx sync", "Download new and changed transactions to your local copy", {
  details:
    "The first run downloads all transactions; you can stop it and run it again. Later runs download new transactions and those that were open. If a paid transaction later shows as failed, it stays paid, and the later status is shown as status_conflict.",
  flags: { full: toggle("Download all transactions again") },
  examples: [["tx sync", "Download what is new or changed"]],
  exitCodes: [3, 6, 10, 130],
});
