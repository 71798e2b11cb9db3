import type { CommandSpec } from "../../command.ts";

export const txFindSpec = {
  path: ["tx", "find"],
  summary: "Search the transactions in your local copy",
  details:
    "Searches by reference, receipt, provider reference, id or the last digits of the phone. Upper or lower case, spaces and punctuation do not matter. Makes no request: payments-cli tx sync downloads new transactions to the local copy.",
  arguments: [{ name: "TEXT", summary: "A reference, receipt, id or the end of a phone number", required: true }],
  flags: {},
  examples: [
    { line: "payments-cli tx find inv1001", says: "By reference, however it is written", tested: false, why: "needs a payment with that reference" },
    { line: "payments-cli tx find 5678", says: "By the end of a phone number", tested: false, why: "needs a payment from that phone" },
  ],
  exitCodes: [3, 4],
} as const satisfies CommandSpec;
