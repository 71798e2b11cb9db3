import type { CommandSpec } from "../../command.ts";

export const txExplainSpec = {
  path: ["tx", "explain"],
  summary: "Explain what happened to one payment",
  details:
    "Shows a timeline, the result, what to say to the customer, and the next command. It uses the journal, the service, your local copy, the ledger and the callbacks seen on this machine. It makes at most four requests.",
  arguments: [{ name: "TEXT", summary: "A transaction id, reference, receipt, journal id or idempotency key", required: true }],
  flags: {},
  examples: [
    { line: "payments-cli tx explain INV-1001", says: "What happened to an invoice's payment", tested: false, why: "needs a payment with that reference" },
    { line: "payments-cli tx explain INV-1001 --json", says: "The same as JSON, for a script", tested: false, why: "needs a payment with that reference" },
  ],
  exitCodes: [3, 4],
} as const satisfies CommandSpec;
