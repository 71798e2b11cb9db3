import { command, readCodes, secondsAsMs, text, toggle, wholeNumber } from "../../command-spec.ts";
import { flows } from "../../service/contract/limits.ts";
import { signatureFlags } from "../webhook/spec.ts";

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

export const txFindSpec = command("tx find", "Search the transactions in your local copy", {
  details:
    "Searches by reference, receipt, provider reference, id or the last digits of the phone. Upper or lower case, spaces and punctuation do not matter. TEXT can be left out if a flag says what to look for. " +
    "A transaction counts on the day that its details give, or else on the day when tx sync first saw it; days are those of Nairobi. Makes no request: payments-cli tx sync downloads new transactions to the local copy.",
  arguments: [{ name: "TEXT", summary: "A reference, receipt, id or the end of a phone number" }],
  flags: {
    since: text("From this day or time on", "DAY"),
    until: text("Up to this day or time, the day included", "DAY"),
    phone: text("Only this phone, or phones that end with these digits", "PHONE"),
    status: text("Only transactions with this status, such as COMPLETED or FAILED; upper or lower case", "STATUS"),
  },
  examples: [
    ["tx find inv1001", "By reference, however it is written", "needs a payment with that reference"],
    ["tx find 5678", "By the end of a phone number", "needs a payment from that phone"],
    ["tx find --phone 0712345678 --since 2026-03-01 --status failed", "What failed for a customer since March", "needs a failed payment from that phone"],
  ],
  exitCodes: [3, 4],
});

export const txExplainSpec = command("tx explain", "Explain what happened to one payment", {
  details:
    "Shows a timeline, the result, what to say to the customer, and the next command. It uses the journal, the service, your local copy, the ledger and the callbacks seen on this machine. It makes at most four requests.",
  arguments: [{ name: "TEXT", summary: "A transaction id, reference, receipt, journal id or idempotency key", required: true }],
  examples: [
    ["tx explain INV-1001", "What happened to an invoice's payment", "needs a payment with that reference"],
    ["tx explain INV-1001 --json", "The same as JSON, for a script", "needs a payment with that reference"],
  ],
  exitCodes: readCodes,
});

export const txSyncSpec = command("tx sync", "Download new and changed transactions to your local copy", {
  details:
    "The first run downloads all transactions; you can stop it and run it again. Later runs download new transactions and those that were open. If a paid transaction later shows as failed, it stays paid, and the later status is shown as status_conflict.",
  flags: { full: toggle("Download all transactions again") },
  examples: [["tx sync", "Download what is new or changed"]],
  exitCodes: readCodes,
});

export const txWatchSpec = command("tx watch", "Follow transactions and print each change of status", {
  details:
    "With ids or a reference, it ends when all of them are final: exit code 0 if all were paid, 7 if one was not. Without, it follows all open transactions. Press Ctrl-C to end it (exit code 8 if some are still open). " +
    "With --forward-to, each change is posted, signed, to your endpoint at least once, always with the same webhook-id, also after a restart.",
  arguments: [{ name: "ID", summary: "Transaction ids (default: all open transactions)", variadic: true }],
  flags: {
    reference: text("Follow the transactions with this reference", "REF"),
    follow: toggle("Keep running, and follow new transactions too"),
    interval: text("Shortest time between two checks (default 1); grows to 30 while nothing changes", "SECONDS", {
      parse: secondsAsMs(0.5, 86_400),
      default: 1000,
    }),
    "forward-to": text("Post each change to your endpoint, signed", "URL"),
    ...signatureFlags,
  },
  examples: [
    ["tx watch T1 -o jsonl", "Follow one until it is final", "the id differs each time"],
    ["tx watch --follow --forward-to https://shop.example/webhooks", "Post every change to your shop, even if callbacks get lost", "runs until it is stopped"],
  ],
  exitCodes: [...readCodes, 7, 8],
});
