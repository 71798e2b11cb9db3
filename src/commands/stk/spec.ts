import type { CommandSpec } from "../../command.ts";
import { creatingCodes, creatingFlags, waitFlag } from "../creating-flags.ts";

export const stkSpec = {
  path: ["stk"],
  summary: "Ask a customer to pay, with a prompt on their phone",
  details: "The customer confirms with their PIN. The fee is taken only when the payment completes. On a terminal, the command asks for what you leave out.",
  flags: {
    phone: { type: "string", summary: "The customer's phone, as 0712 345 678 or +254712345678", placeholder: "PHONE" },
    amount: { type: "string", summary: "Amount in KES, whole shillings", placeholder: "KES" },
    reference: { type: "string", summary: "Your reference for the payment, such as an invoice number", placeholder: "TEXT" },
    "channel-id": { type: "string", summary: "The channel to use, if not the default one", placeholder: "ID" },
    description: { type: "string", summary: "What the payment is for", placeholder: "TEXT" },
    "callback-url": { type: "string", summary: "Where the service sends its signed notifications", placeholder: "URL" },
    ...waitFlag,
    ...creatingFlags,
  },
  examples: [
    { line: "payments-cli stk --phone 0712345678 --amount 150 --reference INV-1001", says: "Ask a customer to pay 150 shillings" },
    { line: "payments-cli stk --phone 0712345001 --amount 150 --reference INV-1002 --wait 60", says: "Ask, then wait until it is paid or has failed" },
    { line: "payments-cli stk --phone 0712345678 --amount 150 --reference INV-1003 --dry-run", says: "See the request, send nothing" },
  ],
  exitCodes: [...creatingCodes, 7, 8],
} as const satisfies CommandSpec;
