import { command, readCodes, text, toggle } from "../../command-spec.ts";
import { wholeNumber } from "../../flag-values.ts";
import { flows } from "../../service/contract/limits.ts";

export const txListSpec = command("tx list", "List transactions", {
  details:
    "Shows one page, unless --limit or --all asks for more. --all gives each transaction once, even if new ones arrive meanwhile. With -o jsonl, each line is printed as it arrives.",
  flags: {
    limit: text("Number of rows; with --all, the size of a page", "N", { parse: wholeNumber(1) }),
    offset: text("Number of rows to skip", "N", { parse: wholeNumber(0) }),
    flow: text("Payments (standard), payouts (b2c) or both (all); default standard", "FLOW", { choices: flows, usual: "standard" }),
    status: text("Only transactions with this status, such as COMPLETED or FAILED; upper or lower case", "STATUS"),
    reference: text("Only transactions with this reference of yours", "REF"),
    all: toggle("Every transaction"),
  },
  examples: [
    ["tx list", "The latest payments"],
    ["tx list --flow b2c --status QUEUED --limit 5", "Five payouts that wait"],
    ["tx list --all --flow all -o jsonl", "All transactions, one on each line"],
    ["tx list --all --json | jq '[.transactions[] | select(.status == \"COMPLETED\") | .amount] | add'", "The sum of what was paid, with jq", "needs jq"],
  ],
  exitCodes: readCodes,
});

export const txGetSpec = command("tx get", "Show one transaction", {
  details: "Give its id, or your own reference with --reference, which reads the whole list. Global references (GC-, GD-) cannot be looked up.",
  arguments: [{ name: "ID", summary: "The transaction's id" }],
  flags: { reference: text("Your reference, instead of the id", "REF") },
  examples: [
    ["tx get TRANSACTION_ID", "Everything about one transaction", "the id differs each time"],
    ["tx get --reference INV-1001", "By your own reference", "needs a payment with that reference"],
  ],
  exitCodes: readCodes,
});
