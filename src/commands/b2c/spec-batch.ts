import { command, text, toggle, wholeNumber } from "../../command-spec.ts";
import { proposeFlags, waitFlag } from "../creating-flags.ts";

export const b2cBatchSpec = command("b2c batch", "Pay many people from a file. If it stops, run it again", {
  details: `The file is CSV, TSV, JSONL or XLSX. It needs the columns phone, amount and reference. It may have remarks, description,
command-id and callback-url; all other columns are copied to the result. The whole file is checked first: if one row is wrong,
nothing is sent. A cell of a workbook counts as the sheet shows it. Dates, rounded numbers, formulas, merged cells and hidden
cells are refused by name. The result of each row is written to FILE.result.csv at once. After an interruption, run the same
command again: each row is paid only once.`,
  arguments: [{ name: "FILE", summary: "File with the payouts; - reads standard input", required: true }],
  flags: {
    sheet: text("Sheet to read, if the workbook has several", "NAME"),
    "include-hidden": toggle("Also pay the rows that are hidden in the sheet"),
    concurrency: text("Payouts to send at the same time (default 8)", "N", { parse: wholeNumber(1, 64), default: 8 }),
    result: text("Write the result to this file instead of FILE.result.csv", "FILE", { completes: "file" }),
    resume: toggle("Continue an earlier run of this file, even an old one. If that run is finished, show its rows"),
    "retry-failed": toggle("Send only the rows that were refused or ended unpaid, with new keys"),
    "new-run": toggle("Pay all rows again, with new keys. Needs --allow-duplicate if any row was sent before"),
    "allow-duplicate": toggle("Send even if a similar payment was already made"),
    wait: { ...waitFlag.wait, summary: "Wait until each payout is final, up to SECONDS seconds each (default 120)" },
    "dry-run": toggle("Check the file and send nothing"),
    ...proposeFlags,
  },
  examples: [
    ["b2c batch payouts.csv --dry-run", "Check a file", "it needs a file, which the tests of batches have"],
    ["b2c batch payouts.csv --yes --json", "Pay from a script", "it needs a file, which the tests of batches have"],
    [
      "b2c batch payouts.csv --yes --json | jq -r '.rows[] | select(.state != \"accepted\") | [.row, .state, .reason] | @tsv'",
      "Pay, and list the rows that were not accepted, with jq",
      "it needs a file and jq",
    ],
  ],
  exitCodes: [3, 10, 11, 13, 14, 130],
});
