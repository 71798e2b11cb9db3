import { command, text, toggle, wholeNumber } from "../../command-spec.ts";
import { waitFlag } from "../creating-flags.ts";

const id = { name: "ID", summary: "The approval's id, or the first characters of it", required: true } as const;
const why = "needs a proposal";
const sample = "0b9c6f1e-5d2a-4c1b-9a7e-2f3d4c5b6a79";

export const approvalListSpec = command("approval list", "Payments that were proposed and wait for another person", {
  details: "--propose of b2c, b2c batch and global withdraw stores a payment here instead of sending it.",
  flags: {
    state: text("Only proposals in this state (default open)", "STATE", {
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

export const approvalApproveSpec = command("approval approve", "Approve proposals; the last approval needed sends the payment", {
  details:
    "Checks everything again, shows the payment with who proposed it, from where, when and why, and asks. Sends it with your own key. Without a terminal, add --yes. If a file was interrupted, approve it again to continue.",
  arguments: [{ ...id, variadic: true }],
  flags: { ...waitFlag, "passphrase-stdin": toggle("Read the withdrawal key's passphrase from standard input") },
  examples: [
    [`approval approve ${sample}`, "Look at it, and send it", why],
    [`approval approve ${sample} --yes --wait 60`, "Without a question, and wait until it is final", why],
  ],
  exitCodes: [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 130],
});

export const approvalDeclineSpec = command("approval decline", "Decline a proposal, with the reason", {
  arguments: [id],
  flags: { reason: text("Why; the proposer reads it", "TEXT") },
  examples: [[`approval decline ${sample} --reason "paid in cash already"`, "Decline it", why]],
  exitCodes: [4, 9, 11, 14],
});

export const approvalCancelSpec = command("approval cancel", "Cancel a proposal that you made", {
  arguments: [id],
  examples: [[`approval cancel ${sample}`, "Cancel it", why]],
  exitCodes: [4, 9, 11],
});

export const approvalPolicySpec = command("approval policy", "Show or set which payments need another person's approval", {
  details:
    "Without flags, it shows the policies, one for each currency. A payout, a withdrawal or a whole file of the amount or more is refused unless it is approved. On one machine an approval is only a second look; a team keeps its journal in PostgreSQL.",
  flags: {
    from: text("Payments of this amount or more need approval", "AMOUNT"),
    currency: text("Currency of the policy (default KES)", "CUR", { completes: "currency", usual: "KES" }),
    approvers: text("How many people have to approve (default 1)", "N", { parse: wholeNumber(1, 9), usual: 1 }),
    off: toggle("Remove the policy of this currency"),
  },
  examples: [
    ["approval policy", "Show the policies"],
    ["approval policy --from 50000", "Payments of 50,000 shillings or more need another person's approval"],
    ["approval policy --off", "Remove the policy"],
  ],
});
