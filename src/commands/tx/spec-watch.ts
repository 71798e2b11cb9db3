import type { CommandSpec } from "../../command.ts";
import { secondsAsMs } from "../../flag-values.ts";
import { signatureFlags } from "../webhook/signature-flags.ts";

export const txWatchSpec = {
  path: ["tx", "watch"],
  summary: "Follow transactions and print each change of status",
  details:
    "With ids or a reference, it ends when all of them are final: exit code 0 if all were paid, 7 if one was not. Without, it follows all open transactions. Press Ctrl-C to end it (exit code 8 if some are still open). " +
    "With --forward-to, each change is posted, signed, to your endpoint at least once, always with the same webhook-id, also after a restart.",
  arguments: [{ name: "ID", summary: "Transaction ids (default: all open transactions)", variadic: true }],
  flags: {
    reference: { type: "string", summary: "Follow the transactions with this reference", placeholder: "REF" },
    follow: { type: "boolean", summary: "Keep running, and follow new transactions too" },
    interval: {
      type: "string",
      summary: "Shortest time between two checks (default 1); grows to 30 while nothing changes",
      placeholder: "SECONDS",
      parse: secondsAsMs(0.5, 86_400),
      default: 1000,
    },
    "forward-to": { type: "string", summary: "Post each change to your endpoint, signed", placeholder: "URL" },
    ...signatureFlags,
  },
  examples: [
    { line: "payments-cli tx watch T1 -o jsonl", says: "Follow one until it is final", tested: false, why: "the id differs each time" },
    {
      line: "payments-cli tx watch --follow --forward-to https://shop.example/webhooks",
      says: "Post every change to your shop, even if callbacks get lost",
      tested: false,
      why: "runs until it is stopped",
    },
  ],
  exitCodes: [3, 4, 6, 7, 8, 10, 130],
} as const satisfies CommandSpec;
