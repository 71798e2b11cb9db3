import { command, text, toggle } from "../../command-spec.ts";
import { secondsAsMs } from "../../flag-values.ts";
import { signatureFlags } from "../webhook/signature-flags.ts";

export const txWatchSpec = command("tx watch", "Follow transactions and print each change of status", {
  details:
    "With ids or a reference, it ends when all of them are final: exit code 0 if all were paid, 7 if one was not. Without, it follows all open transactions. Press Ctrl-C to end it (exit code 8 if some are still open). " +
    "With --forward-to, each change is posted, signed, to your endpoint at least once, always with the same webhook-id, also after a restart.",
  arguments: [{ name: "ID", summary: "Transaction ids (default: all open transactions)", variadic: true }],
  flags: {
    reference: text("Follow the transactions with this reference", "REF"),
    follow: toggle("Keep running, and follow new transactions too"),
    interval: text("Shortest time between two checks (default 1); grows to 30 while nothing changes", "SECONDS", {
      parse: secondsAsMs(0.5, 86_400),
      default: 1000,
    }),
    "forward-to": text("Post each change to your endpoint, signed", "URL"),
    ...signatureFlags,
  },
  examples: [
    ["tx watch T1 -o jsonl", "Follow one until it is final", "the id differs each time"],
    ["tx watch --follow --forward-to https://shop.example/webhooks", "Post every change to your shop, even if callbacks get lost", "runs until it is stopped"],
  ],
  exitCodes: [3, 4, 6, 7, 8, 10, 130],
});
