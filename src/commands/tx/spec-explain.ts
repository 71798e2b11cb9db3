import { command, readCodes } from "../../command-spec.ts";

export const txExplainSpec = command("tx explain", "Explain what happened to one payment", {
  details:
    "Shows a timeline, the result, what to say to the customer, and the next command. It uses the journal, the service, your local copy, the ledger and the callbacks seen on this machine. It makes at most four requests.",
  arguments: [{ name: "TEXT", summary: "A transaction id, reference, receipt, journal id or idempotency key", required: true }],
  examples: [
    ["tx explain INV-1001", "What happened to an invoice's payment", "needs a payment with that reference"],
    ["tx explain INV-1001 --json", "The same as JSON, for a script", "needs a payment with that reference"],
  ],
  exitCodes: readCodes,
});
