import type { CommandSpec } from "../../command.ts";

export const txFindSpec = {
  path: ["tx", "find"],
  summary: "Find transactions in the local mirror",
  details:
    "By reference, receipt, provider reference, id or the last digits of the phone, without regard to case, spaces and punctuation. Makes no request; payments-cli tx sync brings the mirror up to date.",
  arguments: [{ name: "TEXT", summary: "What the customer or the shop has", required: true }],
  flags: {},
  examples: [
    { line: "payments-cli tx find inv1001", says: "By a reference, however it is written", tested: false, why: "needs a payment with that reference" },
    { line: "payments-cli tx find 5678", says: "By the end of a phone number", tested: false, why: "needs a payment from that phone" },
  ],
  exitCodes: [3, 4],
} as const satisfies CommandSpec;
