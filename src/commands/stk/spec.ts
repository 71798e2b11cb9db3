import { command, text } from "../../command-spec.ts";
import { creatingCodes, creatingFlags, waitFlag } from "../creating-flags.ts";

export const stkSpec = command("stk", "Ask a customer to pay, with a prompt on their phone", {
  details: "The customer confirms with their PIN. The fee is taken only when the payment completes. On a terminal, the command asks for what you leave out.",
  flags: {
    phone: text("The customer's phone, as 0712 345 678 or +254712345678", "PHONE"),
    amount: text("Amount in KES, whole shillings", "KES"),
    reference: text("Your reference for the payment, such as an invoice number", "TEXT"),
    "channel-id": text("The channel to use, if not the default one", "ID"),
    description: text("What the payment is for", "TEXT"),
    "callback-url": text("Where the service sends its signed notifications", "URL"),
    ...waitFlag,
    ...creatingFlags,
  },
  examples: [
    ["stk --phone 0712345678 --amount 150 --reference INV-1001", "Ask a customer to pay 150 shillings"],
    ["stk --phone 0712345001 --amount 150 --reference INV-1002 --wait 60", "Ask, then wait until it is paid or has failed"],
    ["stk --phone 0712345678 --amount 150 --reference INV-1003 --dry-run", "See the request, send nothing"],
  ],
  exitCodes: [...creatingCodes, 7, 8],
});
