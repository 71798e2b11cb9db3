import type { CommandSpec } from "../../command.ts";
import { wholeNumber } from "../../flag-values.ts";

const id = { name: "ID", summary: "The attempt's id, or its idempotency key" } as const;
const why = "needs an attempt";

export const journalListSpec = {
  path: ["journal", "list"],
  summary: "Payment attempts made from this machine, newest first",
  details: "Every creation is written here before it is sent. `started` and `unknown` are not settled yet: `journal resume` settles them.",
  flags: {
    state: { type: "string", summary: "Only attempts in this state", placeholder: "STATE", choices: ["started", "accepted", "refused", "unknown"] },
    reference: { type: "string", summary: "Only attempts with this reference", placeholder: "REF" },
    day: { type: "string", summary: "Only attempts of this day (UTC)", placeholder: "YYYY-MM-DD" },
    operation: { type: "string", summary: "Only attempts of this kind", placeholder: "KIND", choices: ["stk", "b2c", "collect", "withdraw"] },
    limit: { type: "string", summary: "Rows wanted (50 in a table, else 1000)", placeholder: "N", parse: wholeNumber(1) },
  },
  examples: [
    { line: "payments-cli journal list", says: "The newest attempts" },
    { line: "payments-cli journal list --state unknown --json", says: "What is not settled, for a script" },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;

export const journalShowSpec = {
  path: ["journal", "show"],
  summary: "One attempt: its request, its tries and the answer",
  arguments: [{ ...id, required: true }],
  flags: {},
  examples: [{ line: "payments-cli journal show 0b9c6f1e-5d2a-4c1b-9a7e-2f3d4c5b6a79", says: "Everything known about it", tested: false, why }],
  exitCodes: [4],
} as const satisfies CommandSpec;

export const journalResumeSpec = {
  path: ["journal", "resume"],
  summary: "Settle attempts whose outcome is unknown, without paying twice",
  details:
    "Looks for the payment among the transactions first; then, within 24 hours, sends the same request again with the same idempotency key. Money out is sent again only on a question or --yes, withdrawals one at a time by ID. --mark closes an attempt by hand.",
  arguments: [id],
  flags: {
    all: { type: "boolean", summary: "Every attempt that is not settled" },
    mark: { type: "string", summary: "Close it by hand, once you know from the service", placeholder: "STATE", choices: ["accepted", "refused"] },
    "passphrase-stdin": { type: "boolean", summary: "Read the withdrawal key's passphrase from standard input" },
  },
  examples: [
    { line: "payments-cli journal resume --all", says: "Settle everything that can be settled" },
    {
      line: "payments-cli journal resume 0b9c6f1e-5d2a-4c1b-9a7e-2f3d4c5b6a79 --yes",
      says: "Settle one, sending money out again if need be",
      tested: false,
      why,
    },
    { line: "payments-cli journal resume 0b9c6f1e-5d2a-4c1b-9a7e-2f3d4c5b6a79 --mark accepted", says: "Close it by hand", tested: false, why },
  ],
  exitCodes: [3, 4, 9, 10, 14, 130],
} as const satisfies CommandSpec;

export const journalPruneSpec = {
  path: ["journal", "prune"],
  summary: "Drop requests and answers of closed attempts: they hold phone numbers",
  details: "What the duplicate guard needs is kept. Attempts that are not settled are left as they are.",
  flags: { "older-than": { type: "string", summary: "Closed more than so many days ago", placeholder: "DAYS", parse: wholeNumber(0, 999_999) } },
  examples: [{ line: "payments-cli journal prune --older-than 90", says: "Keep three months" }],
  exitCodes: [],
} as const satisfies CommandSpec;
