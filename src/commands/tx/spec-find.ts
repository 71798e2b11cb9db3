import { command, text } from "../../command-spec.ts";

export const txFindSpec = command("tx find", "Search the transactions in your local copy", {
  details:
    "Searches by reference, receipt, provider reference, id or the last digits of the phone. Upper or lower case, spaces and punctuation do not matter. TEXT can be left out if a flag says what to look for. " +
    "A transaction counts on the day that its details give, or else on the day when tx sync first saw it; days are those of Nairobi. Makes no request: payments-cli tx sync downloads new transactions to the local copy.",
  arguments: [{ name: "TEXT", summary: "A reference, receipt, id or the end of a phone number" }],
  flags: {
    since: text("From this day or time on", "DAY"),
    until: text("Up to this day or time, the day included", "DAY"),
    phone: text("Only this phone, or phones that end with these digits", "PHONE"),
    status: text("Only transactions with this status, such as COMPLETED or FAILED; upper or lower case", "STATUS"),
  },
  examples: [
    ["tx find inv1001", "By reference, however it is written", "needs a payment with that reference"],
    ["tx find 5678", "By the end of a phone number", "needs a payment from that phone"],
    ["tx find --phone 0712345678 --since 2026-03-01 --status failed", "What failed for a customer since March", "needs a failed payment from that phone"],
  ],
  exitCodes: [3, 4],
});
