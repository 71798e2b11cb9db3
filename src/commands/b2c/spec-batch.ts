import type { CommandSpec } from "../../command.ts";
import { wholeNumber } from "../../flag-values.ts";
import { proposeFlags, waitFlag } from "../creating-flags.ts";

export const b2cBatchSpec = {
  path: ["b2c", "batch"],
  summary: "Pay many people from a file, resumable",
  details: `The file is CSV, TSV, JSONL or XLSX with columns named like b2c's flags: phone, amount, reference, and remarks,
description, command-id, callback-url if you like; other columns are kept in the result. The whole file is checked
first: one bad row and nothing is sent. A cell of a workbook is read as the sheet shows it, or refused by its name:
dates, rounded numbers, formulas, merged and hidden cells. What happened to each row is written to FILE.result.csv as it happens.
Run the same command again after an interruption: each row is paid once.`,
  arguments: [{ name: "FILE", summary: "The payouts; - reads standard input", required: true }],
  flags: {
    sheet: { type: "string", summary: "The sheet of a workbook that shows several", placeholder: "NAME" },
    "include-hidden": { type: "boolean", summary: "Pay rows that the sheet hides too" },
    concurrency: { type: "string", summary: "Payouts under way at once (8)", placeholder: "N", parse: wholeNumber(1, 64), default: 8 },
    result: { type: "string", summary: "Where the result goes, in place of FILE.result.csv", placeholder: "FILE", completes: "file" },
    resume: { type: "boolean", summary: "Go on with an earlier run of the file, however old; of a finished one, show each row" },
    "retry-failed": { type: "boolean", summary: "Send again, with new keys, only the rows that were refused or ended unpaid" },
    "new-run": { type: "boolean", summary: "Pay all rows once more, with new keys; needs --allow-duplicate if any was sent before" },
    "allow-duplicate": { type: "boolean", summary: "Pay rows that look like earlier payouts all the same" },
    wait: { ...waitFlag.wait, summary: "Follow every payout to its end, up to this long each (120)" },
    "dry-run": { type: "boolean", summary: "Check the file and send nothing" },
    ...proposeFlags,
  },
  examples: [
    { line: "payments-cli b2c batch payouts.csv --dry-run", says: "Check a file", tested: false, why: "it needs a file, which the tests of batches have" },
    {
      line: "payments-cli b2c batch payouts.csv --yes --json",
      says: "Pay it from a script",
      tested: false,
      why: "it needs a file, which the tests of batches have",
    },
  ],
  exitCodes: [3, 10, 11, 13, 14, 130],
} as const satisfies CommandSpec;
