import { command, text, toggle } from "../../command-spec.ts";
import { wholeNumber } from "../../flag-values.ts";
import { waitFlag } from "../creating-flags.ts";

const id = { name: "ID", summary: "The approval's id, or the first characters of it", required: true } as const;
const why = "needs a proposal";
const sample = "0b9c6f1e-5d2a-4c1b-9a7e-2f3d4c5b6a79";

export const approvalListSpec = command("approval list", "Payments that were proposed and wait for another person", {
  details: "--propose of b2c, b2c batch and global withdraw stores a payment here instead of sending it.",
  flags: {
    state: text("Those in this state (default open)", "STATE", {
      choices: ["open", "sent", "refused", "unknown", "declined", "cancelled", "expired", "all"],
      default: "open",
    }),
  },
  examples: [
    ["approval list", "What waits for a decision"],
    ["approval list --state all --json", "All of them, for a script"],
  ],
});

export const approvalShowSpec = command("approval show", "One proposal: what is paid to whom, who proposed it, and what was decided", {
  arguments: [id],
  examples: [[`approval show ${sample}`, "Before you decide", why]],
  exitCodes: [4],
});

export const approvalApproveSpec = command("approval approve", "Approve proposals; with the last approval that is needed a payment is sent", {
  details:
    "Everything is checked again at this moment, and the payment is shown with who proposed it, from where, when and why. It is sent with your own key. Without a terminal it needs --yes. A file that was cut off continues when it is approved again.",
  arguments: [{ ...id, variadic: true }],
  flags: { ...waitFlag, "passphrase-stdin": toggle("Read the withdrawal key's passphrase from standard input") },
  examples: [
    [`approval approve ${sample}`, "Look at it, and send it", why],
    [`approval approve ${sample} --yes --wait 60`, "Without a question, and wait for its end", why],
  ],
  exitCodes: [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 130],
});

export const approvalDeclineSpec = command("approval decline", "Decline a proposal, with the reason", {
  arguments: [id],
  flags: { reason: text("Why; the proposer reads it", "TEXT") },
  examples: [[`approval decline ${sample} --reason "paid in cash already"`, "Decline it", why]],
  exitCodes: [4, 9, 11, 14],
});

export const approvalCancelSpec = command("approval cancel", "Take back a proposal of your own", {
  arguments: [id],
  examples: [[`approval cancel ${sample}`, "Take it back", why]],
  exitCodes: [4, 9, 11],
});

export const approvalPolicySpec = command("approval policy", "Which money out needs another person's approval", {
  details:
    "Without flags it shows the policies. There is one for each currency. Money out of the amount or more, as one payment or as the sum of a file, is refused unless it is approved. On one machine an approval is only a second look; a team keeps its journal in PostgreSQL.",
  flags: {
    from: text("Amounts from this one on need approval", "AMOUNT"),
    currency: text("Of this currency (default KES)", "CUR", { completes: "currency", usual: "KES" }),
    approvers: text("How many have to approve (default 1)", "N", { parse: wholeNumber(1, 9), usual: 1 }),
    off: toggle("No approvals any more for the currency"),
  },
  examples: [
    ["approval policy", "Show the policies"],
    ["approval policy --from 50000", "From 50,000 shillings on another person approves"],
    ["approval policy --off", "No approvals any more"],
  ],
});
