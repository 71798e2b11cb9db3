import type { CommandSpec } from "../../command.ts";

export const txExplainSpec = {
  path: ["tx", "explain"],
  summary: "Tell the whole story of one payment",
  details:
    "Joins what the journal, the service, the local mirror, the ledger and the callbacks seen here know of it: a timeline, a verdict, what to tell the customer, and the next command. Makes at most four requests.",
  arguments: [{ name: "TEXT", summary: "A transaction id, reference, receipt, journal id or idempotency key", required: true }],
  flags: {},
  examples: [
    { line: "payments-cli tx explain INV-1001", says: "What happened to an invoice's payment", tested: false, why: "needs a payment with that reference" },
    { line: "payments-cli tx explain INV-1001 --json", says: "The same for a script", tested: false, why: "needs a payment with that reference" },
  ],
  exitCodes: [3, 4],
} as const satisfies CommandSpec;
