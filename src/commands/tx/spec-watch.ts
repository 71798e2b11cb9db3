import type { CommandSpec } from "../../command.ts";
import { secondsAsMs } from "../../flag-values.ts";
import { signatureFlags } from "../webhook/signature-flags.ts";

export const txWatchSpec = {
  path: ["tx", "watch"],
  summary: "Follow transactions as their state changes",
  details:
    "Prints changes only. Given ids or a reference it ends when all are final: 0 all paid, 7 one ended unpaid; without, it follows all that is open. Ctrl-C ends it (8 while something is open). " +
    "With --forward-to each change is posted, signed, at least once and always with the same webhook-id, also after a restart.",
  arguments: [{ name: "ID", summary: "Transaction ids; without: all that is open", variadic: true }],
  flags: {
    reference: { type: "string", summary: "Follow the transactions with this reference", placeholder: "REF" },
    follow: { type: "boolean", summary: "Run on, and take up what is new" },
    interval: {
      type: "string",
      summary: "Seconds between looks, at least (backs off to 30)",
      placeholder: "SECONDS",
      parse: secondsAsMs(0.5, 86_400),
      default: 1000,
    },
    "forward-to": { type: "string", summary: "Post each change to your endpoint, signed", placeholder: "URL" },
    ...signatureFlags,
  },
  examples: [
    { line: "payments-cli tx watch T1 -o jsonl", says: "Until it is final", tested: false, why: "the id is another one each time" },
    {
      line: "payments-cli tx watch --follow --forward-to https://shop.example/webhooks",
      says: "Deliver every change, though callbacks get lost",
      tested: false,
      why: "runs until it is stopped",
    },
  ],
  exitCodes: [3, 4, 6, 7, 8, 10, 130],
} as const satisfies CommandSpec;
