import type { CommandSpec } from "../../command.ts";
import { groupedCount } from "../../money/grouped.ts";
import { payoutBounds, payoutKinds } from "../../service/contract/limits.ts";
import { creatingFlags, payingCodes, proposeFlags, waitFlag } from "../creating-flags.ts";

export const b2cSpec = {
  path: ["b2c"],
  summary: "Pay out to a mobile-money number",
  details:
    "Shows the payment and asks before it sends. In a script, add --yes. The amount and the carrier's fee come from the payout float, the platform fee from the service credits.",
  flags: {
    phone: { type: "string", summary: "The recipient's phone, as 0712 345 678 or +254712345678", placeholder: "PHONE" },
    amount: { type: "string", summary: `Amount in KES, ${payoutBounds.min} to ${groupedCount(payoutBounds.max)}`, placeholder: "KES" },
    reference: { type: "string", summary: "Your reference for the payout", placeholder: "TEXT" },
    remarks: { type: "string", summary: "What the payout is for", placeholder: "TEXT" },
    description: { type: "string", summary: "The same as --remarks", placeholder: "TEXT" },
    "command-id": {
      type: "string",
      summary: "Kind of payout",
      placeholder: "KIND",
      choices: payoutKinds,
    },
    "callback-url": { type: "string", summary: "Where the service sends its signed notifications", placeholder: "URL" },
    ...waitFlag,
    ...creatingFlags,
    ...proposeFlags,
  },
  examples: [
    { line: "payments-cli b2c --phone 0712345678 --amount 500 --reference REFUND-77 --yes", says: "Pay out 500 shillings" },
    { line: "payments-cli b2c --phone 0712345001 --amount 500 --reference REFUND-78 --yes --wait 60", says: "Pay, then wait until it has arrived or failed" },
    { line: "payments-cli b2c --phone 0712345678 --amount 500 --reference REFUND-79 --dry-run", says: "See the request, send nothing" },
    { line: "payments-cli b2c --phone 0712345678 --amount 60000 --reference RENT-MAR --propose 'Rent of March'", says: "Let another person approve it" },
  ],
  exitCodes: [...payingCodes, 7, 8],
} as const satisfies CommandSpec;

export const b2cStatsSpec = {
  path: ["b2c", "stats"],
  summary: "Volume and number of payouts",
  flags: {},
  examples: [
    { line: "payments-cli b2c stats", says: "Show them" },
    { line: "payments-cli b2c stats --json", says: "The same as JSON, for a script" },
  ],
  exitCodes: [3, 6, 10, 130],
} as const satisfies CommandSpec;
