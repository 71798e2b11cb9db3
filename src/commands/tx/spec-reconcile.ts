import { command, readCodes, text, texts, toggle } from "../../command-spec.ts";

export const txReconcileSpec = command("tx reconcile", "Compare your records, or the provider's statement, with the service", {
  details:
    "FILE is CSV, TSV, JSON, JSONL, XLSX, XLS, ODS, MT940 or a web page's table saved as .xls; - is standard input. Orders need a reference and an amount; status and date are used if present; without a status column, every row counts as paid. " +
    "In the result, here is FILE and there is what it is compared with. The service's list is read anew each time; your local copy only saves requests for details of final transactions.",
  arguments: [{ name: "FILE", summary: "Your records or the provider's statement", required: true }],
  flags: {
    against: text("Compare with this file instead of the service", "FILE2", { completes: "file" }),
    layout: text("The layout that reads FILE: its name, or a JSON file (tx layout list)", "NAME"),
    as: text("What FILE is, if its columns do not say so", "KIND", { choices: ["orders", "statement"] }),
    columns: texts(
      "Columns of FILE by heading or number; dates=dmy|mdy and decimal=point|comma say what a column leaves open, paid=WORD, open=WORD and unpaid=WORD what a status means",
      "reference=Order,amount=Total",
    ),
    sheet: text("The sheet of FILE to read, if it shows several", "NAME"),
    zone: text("Time zone of times that do not say theirs (default Africa/Nairobi)", "ZONE", { usual: "Africa/Nairobi" }),
    "against-layout": text("The layout that reads FILE2", "NAME"),
    "against-as": text("What FILE2 is", "KIND", { choices: ["orders", "statement"] }),
    "against-columns": texts("Columns of FILE2, as for --columns", "receipt=Code,paid-in=Credit"),
    "against-sheet": text("The sheet of FILE2 to read", "NAME"),
    "against-zone": text("The same for FILE2, if it differs", "ZONE"),
    period: text("The days that FILE covers, if its dates do not show them; payments of other days are counted separately", "FROM..TO"),
    flow: text("Which of the service's transactions are compared (default all)", "FLOW", { choices: ["standard", "b2c", "all"], default: "all" }),
    forget: toggle("Forget what earlier runs paired with this account, and the rows that they left open"),
    "exit-code": toggle("End with exit code 12 if there are differences"),
    report: text("Write the result as a web page to this file", "FILE.html", { completes: "file" }),
  },
  examples: [
    ["tx reconcile orders.csv", "What was paid and not noticed, and what is missing", "needs a file"],
    ["tx reconcile statement.csv --exit-code --json", "For a nightly job", "needs a file"],
    ["tx reconcile shop.xlsx --columns reference=Order,amount=Total --report day.html", "Columns by name, and a page to hand on", "needs a file"],
  ],
  exitCodes: [...readCodes, 12],
});
