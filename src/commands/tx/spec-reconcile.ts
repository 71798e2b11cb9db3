import type { CommandSpec } from "../../command.ts";

export const txReconcileSpec = {
  path: ["tx", "reconcile"],
  summary: "Compare your records, or the provider's statement, with the service",
  details:
    "FILE is CSV, TSV, JSONL, XLSX or a web page's table saved as .xls; - is standard input. Orders need a reference and an amount; status and date are used where they are there, and rows without a status column count as paid. " +
    "FILE is here, what it is compared with is there. The service is always listed live; the mirror only spares the details of what is final.",
  arguments: [{ name: "FILE", summary: "Your records or the provider's statement", required: true }],
  flags: {
    against: { type: "string", summary: "Compare with this file instead of the service", placeholder: "FILE2", completes: "file" },
    layout: { type: "string", summary: "The layout that reads FILE: its name, or a JSON file (tx layout list)", placeholder: "NAME" },
    as: { type: "string", summary: "What FILE is, if its columns do not say so", placeholder: "KIND", choices: ["orders", "statement"] },
    columns: {
      type: "strings",
      summary: "Columns of FILE by heading or number; dates=dmy|mdy and decimal=point|comma say what a column leaves open",
      placeholder: "reference=Order,amount=Total",
    },
    sheet: { type: "string", summary: "The sheet of FILE to read, if it shows several", placeholder: "NAME" },
    zone: { type: "string", summary: "Zone of times without one (Africa/Nairobi)", placeholder: "ZONE" },
    "against-layout": { type: "string", summary: "The layout that reads FILE2", placeholder: "NAME" },
    "against-as": { type: "string", summary: "What FILE2 is", placeholder: "KIND", choices: ["orders", "statement"] },
    "against-columns": { type: "strings", summary: "Columns of FILE2, as for --columns", placeholder: "receipt=Code,paid-in=Credit" },
    "against-sheet": { type: "string", summary: "The sheet of FILE2 to read", placeholder: "NAME" },
    "against-zone": { type: "string", summary: "Zone of times in FILE2, if it is another one", placeholder: "ZONE" },
    period: { type: "string", summary: "The days of FILE, where its own dates do not say; what is paid there on others counts apart", placeholder: "FROM..TO" },
    flow: { type: "string", summary: "Which transactions there are compared (all)", placeholder: "FLOW", choices: ["standard", "b2c", "all"], default: "all" },
    forget: { type: "boolean", summary: "Forget what earlier runs paired with this account, and the rows that they left open" },
    "exit-code": { type: "boolean", summary: "End with 12 where differences were found" },
    report: { type: "string", summary: "Write a page for people to this file", placeholder: "FILE.html", completes: "file" },
  },
  examples: [
    { line: "payments-cli tx reconcile orders.csv", says: "What was paid and not noticed, and what is missing", tested: false, why: "needs a file" },
    { line: "payments-cli tx reconcile statement.csv --exit-code --json", says: "For a nightly job", tested: false, why: "needs a file" },
    {
      line: "payments-cli tx reconcile shop.xlsx --columns reference=Order,amount=Total --report day.html",
      says: "Columns by name, and a page to hand on",
      tested: false,
      why: "needs a file",
    },
  ],
  exitCodes: [3, 6, 10, 12, 130],
} as const satisfies CommandSpec;
