import type { CommandSpec } from "../../command.ts";
import { wholeNumber } from "../../flag-values.ts";
import { flows } from "../../service/contract/limits.ts";

export const txListSpec = {
  path: ["tx", "list"],
  summary: "List transactions",
  details:
    "One page as the service gives it, unless --limit or --all asks for more. With --all each transaction comes once, however many arrive meanwhile; -o jsonl streams them.",
  flags: {
    limit: { type: "string", summary: "Rows wanted; with --all the size of a page", placeholder: "N", parse: wholeNumber(1) },
    offset: { type: "string", summary: "Rows to skip", placeholder: "N", parse: wholeNumber(0) },
    flow: { type: "string", summary: "Payments, payouts or both (the service's default: standard)", placeholder: "FLOW", choices: flows },
    status: { type: "string", summary: "Only those with this status, in any case of letters", placeholder: "STATUS" },
    all: { type: "boolean", summary: "Every transaction" },
  },
  examples: [
    { line: "payments-cli tx list", says: "The latest payments" },
    { line: "payments-cli tx list --flow b2c --status QUEUED --limit 5", says: "Five payouts that wait" },
    { line: "payments-cli tx list --all --flow all -o jsonl", says: "Everything, one transaction a line" },
  ],
  exitCodes: [3, 6, 10, 130],
} as const satisfies CommandSpec;

export const txGetSpec = {
  path: ["tx", "get"],
  summary: "Show one transaction",
  details: "By its id, or with --reference by your own reference, which reads the whole list. Global references (GC-, GD-) cannot be looked up.",
  arguments: [{ name: "ID", summary: "The transaction's id" }],
  flags: { reference: { type: "string", summary: "Your reference, instead of the id", placeholder: "REF" } },
  examples: [
    { line: "payments-cli tx get TRANSACTION_ID", says: "Everything about one transaction", tested: false, why: "the id is another one each time" },
    { line: "payments-cli tx get --reference INV-1001", says: "By your own reference", tested: false, why: "needs a payment with that reference" },
  ],
  exitCodes: [3, 4, 6, 10, 130],
} as const satisfies CommandSpec;
