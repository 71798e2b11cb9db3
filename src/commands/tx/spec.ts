import type { CommandSpec } from "../../command.ts";
import { wholeNumber } from "../../flag-values.ts";
import { flows } from "../../service/contract/limits.ts";

export const txListSpec = {
  path: ["tx", "list"],
  summary: "List transactions",
  details:
    "Shows one page, unless --limit or --all asks for more. --all gives each transaction once, even if new ones arrive meanwhile. With -o jsonl, each line is printed as it arrives.",
  flags: {
    limit: { type: "string", summary: "Number of rows; with --all, the size of a page", placeholder: "N", parse: wholeNumber(1) },
    offset: { type: "string", summary: "Number of rows to skip", placeholder: "N", parse: wholeNumber(0) },
    flow: { type: "string", summary: "Payments (standard), payouts (b2c) or both (all); default standard", placeholder: "FLOW", choices: flows },
    status: { type: "string", summary: "Only transactions with this status, such as COMPLETED or FAILED; upper or lower case", placeholder: "STATUS" },
    reference: { type: "string", summary: "Only transactions with this reference of yours", placeholder: "REF" },
    all: { type: "boolean", summary: "Every transaction" },
  },
  examples: [
    { line: "payments-cli tx list", says: "The latest payments" },
    { line: "payments-cli tx list --flow b2c --status QUEUED --limit 5", says: "Five payouts that wait" },
    { line: "payments-cli tx list --all --flow all -o jsonl", says: "All transactions, one on each line" },
    {
      line: "payments-cli tx list --all --json | jq '[.transactions[] | select(.status == \"COMPLETED\") | .amount] | add'",
      says: "The sum of what was paid, with jq",
      tested: false,
      why: "needs jq",
    },
  ],
  exitCodes: [3, 6, 10, 130],
} as const satisfies CommandSpec;

export const txGetSpec = {
  path: ["tx", "get"],
  summary: "Show one transaction",
  details: "Give its id, or your own reference with --reference, which reads the whole list. Global references (GC-, GD-) cannot be looked up.",
  arguments: [{ name: "ID", summary: "The transaction's id" }],
  flags: { reference: { type: "string", summary: "Your reference, instead of the id", placeholder: "REF" } },
  examples: [
    { line: "payments-cli tx get TRANSACTION_ID", says: "Everything about one transaction", tested: false, why: "the id differs each time" },
    { line: "payments-cli tx get --reference INV-1001", says: "By your own reference", tested: false, why: "needs a payment with that reference" },
  ],
  exitCodes: [3, 4, 6, 10, 130],
} as const satisfies CommandSpec;
