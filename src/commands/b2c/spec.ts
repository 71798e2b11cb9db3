import { command, readCodes, text } from "../../command-spec.ts";
import { groupedCount } from "../../money/grouped.ts";
import { payoutBounds, payoutKinds } from "../../service/contract/limits.ts";
import { creatingFlags, payingCodes, proposeFlags, waitFlag } from "../creating-flags.ts";

export const b2cSpec = command("b2c", "Pay out to a mobile-money number", {
  details:
    "Shows the payment and asks before it sends. In a script, add --yes. The amount and the carrier's fee come from the payout float, the platform fee from the service credits.",
  flags: {
    phone: text("The recipient's phone, as 0712 345 678 or +254712345678", "PHONE"),
    amount: text(`Amount in KES, ${payoutBounds.min} to ${groupedCount(payoutBounds.max)}`, "KES"),
    reference: text("Your reference for the payout", "TEXT"),
    remarks: text("What the payout is for", "TEXT"),
    description: text("The same as --remarks", "TEXT"),
    "command-id": text("Kind of payout", "KIND", { choices: payoutKinds }),
    "callback-url": text("Where the service sends its signed notifications", "URL"),
    ...waitFlag,
    ...creatingFlags,
    ...proposeFlags,
  },
  examples: [
    ["b2c --phone 0712345678 --amount 500 --reference REFUND-77 --yes", "Pay out 500 shillings"],
    ["b2c --phone 0712345001 --amount 500 --reference REFUND-78 --yes --wait 60", "Pay, then wait until it has arrived or failed"],
    ["b2c --phone 0712345678 --amount 500 --reference REFUND-79 --dry-run", "See the request, send nothing"],
    ["b2c --phone 0712345678 --amount 60000 --reference RENT-MAR --propose 'Rent of March'", "Let another person approve it"],
  ],
  exitCodes: [...payingCodes, 7, 8],
});

export const b2cStatsSpec = command("b2c stats", "Volume and number of payouts", {
  examples: [
    ["b2c stats", "Show them"],
    ["b2c stats --json", "The same as JSON, for a script"],
  ],
  exitCodes: readCodes,
});
