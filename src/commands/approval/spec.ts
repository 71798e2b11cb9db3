import type { CommandSpec } from "../../command.ts";
import { wholeNumber } from "../../flag-values.ts";
import { waitFlag } from "../creating-flags.ts";

const id = { name: "ID", summary: "The approval's id", required: true } as const;
const why = "needs a proposal";
const sample = "0b9c6f1e-5d2a-4c1b-9a7e-2f3d4c5b6a79";

export const approvalListSpec = {
  path: ["approval", "list"],
  summary: "Payments that were proposed and wait for another person",
  details: "--propose of b2c, b2c batch and global withdraw stores a payment here instead of sending it.",
  flags: {
    state: {
      type: "string",
      summary: "Those in this state (open)",
      placeholder: "STATE",
      choices: ["open", "sent", "refused", "unknown", "declined", "cancelled", "expired", "all"],
      default: "open",
    },
  },
  examples: [
    { line: "payments-cli approval list", says: "What waits for a decision" },
    { line: "payments-cli approval list --state all --json", says: "All of them, for a script" },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;

export const approvalShowSpec = {
  path: ["approval", "show"],
  summary: "One proposal: what is paid to whom, who proposed it, and what was decided",
  arguments: [id],
  flags: {},
  examples: [{ line: `payments-cli approval show ${sample}`, says: "Before you decide", tested: false, why }],
  exitCodes: [4],
} as const satisfies CommandSpec;

export const approvalApproveSpec = {
  path: ["approval", "approve"],
  summary: "Approve proposals; with the last approval that is needed a payment is sent",
  details:
    "Everything is checked again at this moment, and the payment is shown with who proposed it, from where, when and why. It is sent with your own key. Without a terminal it needs --yes. A file that was cut off continues when it is approved again.",
  arguments: [{ ...id, variadic: true }],
  flags: { ...waitFlag, "passphrase-stdin": { type: "boolean", summary: "Read the withdrawal key's passphrase from standard input" } },
  examples: [
    { line: `payments-cli approval approve ${sample}`, says: "Look at it, and send it", tested: false, why },
    { line: `payments-cli approval approve ${sample} --yes --wait 60`, says: "Without a question, and wait for its end", tested: false, why },
  ],
  exitCodes: [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 130],
} as const satisfies CommandSpec;

export const approvalDeclineSpec = {
  path: ["approval", "decline"],
  summary: "Decline a proposal, with the reason",
  arguments: [id],
  flags: { reason: { type: "string", summary: "Why; the proposer reads it", placeholder: "TEXT" } },
  examples: [{ line: `payments-cli approval decline ${sample} --reason "paid in cash already"`, says: "Decline it", tested: false, why }],
  exitCodes: [4, 9, 11, 14],
} as const satisfies CommandSpec;

export const approvalCancelSpec = {
  path: ["approval", "cancel"],
  summary: "Take back a proposal of your own",
  arguments: [id],
  flags: {},
  examples: [{ line: `payments-cli approval cancel ${sample}`, says: "Take it back", tested: false, why }],
  exitCodes: [4, 9, 11],
} as const satisfies CommandSpec;

export const approvalPolicySpec = {
  path: ["approval", "policy"],
  summary: "Which money out needs another person's approval",
  details:
    "Without flags it shows the policies. There is one for each currency. Money out of the amount or more, as one payment or as the sum of a file, is refused unless it is approved. On one machine an approval is only a second look; a team keeps its journal in PostgreSQL.",
  flags: {
    from: { type: "string", summary: "Amounts from this one on need approval", placeholder: "AMOUNT" },
    currency: { type: "string", summary: "Of this currency (KES)", placeholder: "CUR", completes: "currency" },
    approvers: { type: "string", summary: "How many have to approve (1)", placeholder: "N", parse: wholeNumber(1, 9) },
    off: { type: "boolean", summary: "No approvals any more for the currency" },
  },
  examples: [
    { line: "payments-cli approval policy", says: "Show the policies" },
    { line: "payments-cli approval policy --from 50000", says: "From 50,000 shillings on another person approves" },
    { line: "payments-cli approval policy --off", says: "No approvals any more" },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;
