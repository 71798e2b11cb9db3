import { command, readCodes, text, toggle, wholeNumber } from "../../command-spec.ts";
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

export const b2cStatsSpec = command("b2c stats", "Volume and number of payouts", {
  examples: [
    ["b2c stats", "Show them"],
    ["b2c stats --json", "The same as JSON, for a script"],
  ],
  exitCodes: readCodes,
});
