import type { CommandSpec } from "../../command.ts";
import { creatingCodes, creatingFlags, waitFlag } from "../creating-flags.ts";

export const stkSpec = {
  path: ["stk"],
  summary: "Send a push prompt to a customer's phone",
  details: "The customer approves it with a PIN. The fee is taken only once the payment completes. On a terminal, what is missing is asked for.",
  flags: {
    phone: { type: "string", summary: "The customer's phone, as 0712 345 678 or +254712345678", placeholder: "PHONE" },
    amount: { type: "string", summary: "Whole shillings", placeholder: "KES" },
    reference: { type: "string", summary: "Your reference of the payment, such as an invoice number", placeholder: "TEXT" },
    "channel-id": { type: "string", summary: "The channel to use; the default active one if not given", placeholder: "ID" },
    description: { type: "string", summary: "What it is for", placeholder: "TEXT" },
    "callback-url": { type: "string", summary: "Where the service sends its signed notifications", placeholder: "URL" },
    ...waitFlag,
    ...creatingFlags,
  },
  examples: [
    { line: "payments-cli stk --phone 0712345678 --amount 150 --reference INV-1001", says: "Ask a customer to pay 150 shillings" },
    { line: "payments-cli stk --phone 0712345001 --amount 150 --reference INV-1002 --wait 60", says: "And wait until it is paid or not" },
    { line: "payments-cli stk --phone 0712345678 --amount 150 --reference INV-1003 --dry-run", says: "See the request, send nothing" },
  ],
  exitCodes: [...creatingCodes, 7, 8],
} as const satisfies CommandSpec;
