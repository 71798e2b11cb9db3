import type { CommandSpec } from "../../command.ts";

export const txFindSpec = {
  path: ["tx", "find"],
  summary: "Search the transactions in your local copy",
  details:
    "Searches by reference, receipt, provider reference, id or the last digits of the phone. Upper or lower case, spaces and punctuation do not matter. TEXT can be left out if a flag says what to look for. " +
    "A transaction counts on the day that its details give, or else on the day when tx sync first saw it; days are those of Nairobi. Makes no request: payments-cli tx sync downloads new transactions to the local copy.",
  arguments: [{ name: "TEXT", summary: "A reference, receipt, id or the end of a phone number" }],
  flags: {
    since: { type: "string", summary: "From this day or time on", placeholder: "DAY" },
    until: { type: "string", summary: "Up to this day or time, the day included", placeholder: "DAY" },
    phone: { type: "string", summary: "Only this phone, or phones that end with these digits", placeholder: "PHONE" },
    status: { type: "string", summary: "Only transactions with this status, such as COMPLETED or FAILED; upper or lower case", placeholder: "STATUS" },
  },
  examples: [
    { line: "payments-cli tx find inv1001", says: "By reference, however it is written", tested: false, why: "needs a payment with that reference" },
    { line: "payments-cli tx find 5678", says: "By the end of a phone number", tested: false, why: "needs a payment from that phone" },
    {
      line: "payments-cli tx find --phone 0712345678 --since 2026-03-01 --status failed",
      says: "What failed for a customer since March",
      tested: false,
      why: "needs a failed payment from that phone",
    },
  ],
  exitCodes: [3, 4],
} as const satisfies CommandSpec;
