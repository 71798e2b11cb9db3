import type { CommandSpec } from "../../command.ts";
import { wholeNumber } from "../../flag-values.ts";

const id = { name: "ID", summary: "The attempt's id, the first characters of it, or its idempotency key" } as const;
const why = "needs an attempt";

export const journalListSpec = {
  path: ["journal", "list"],
  summary: "List the payments that were tried from this machine, newest first",
  details:
    "Every payment is written to the journal before it is sent. If its state is `started` or `unknown`, we don't know yet if it was made: `journal resume` finds out.",
  flags: {
    state: { type: "string", summary: "Only payments in this state", placeholder: "STATE", choices: ["started", "accepted", "refused", "unknown"] },
    reference: { type: "string", summary: "Only payments with this reference", placeholder: "REF" },
    day: { type: "string", summary: "Only payments of this day (UTC)", placeholder: "YYYY-MM-DD" },
    operation: { type: "string", summary: "Only payments of this kind", placeholder: "KIND", choices: ["stk", "b2c", "collect", "withdraw"] },
    limit: { type: "string", summary: "Number of rows (default 50 in a table, otherwise 1000)", placeholder: "N", parse: wholeNumber(1) },
  },
  examples: [
    { line: "payments-cli journal list", says: "The newest payments" },
    { line: "payments-cli journal list --state unknown --json", says: "Payments whose outcome is unknown, for a script" },
    {
      line: "payments-cli journal list --json | jq -r '.attempts[] | select(.state == \"unknown\") | .id'",
      says: "Their ids, with jq",
      tested: false,
      why: "needs jq",
    },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;

export const journalShowSpec = {
  path: ["journal", "show"],
  summary: "Show one payment from the journal: what was sent, when, and the answer",
  arguments: [{ ...id, required: true }],
  flags: {},
  examples: [{ line: "payments-cli journal show 0b9c6f1e", says: "By the first characters of its id", tested: false, why }],
  exitCodes: [4],
} as const satisfies CommandSpec;

export const journalResumeSpec = {
  path: ["journal", "resume"],
  summary: "Find out if a payment was made, without paying twice",
  details:
    "First looks for the payment among the transactions. If it is not there, sends the same request again with the same idempotency key, so that it is paid only once; this works for 24 hours. Before it sends money out again, the command asks (or add --yes). Withdrawals are sent again one at a time, by ID. If you know the outcome, --mark records it.",
  arguments: [id],
  flags: {
    all: { type: "boolean", summary: "All payments whose outcome is unknown" },
    mark: { type: "string", summary: "Record the outcome by hand, once you know it from the service", placeholder: "STATE", choices: ["accepted", "refused"] },
    "passphrase-stdin": { type: "boolean", summary: "Read the withdrawal key's passphrase from standard input" },
  },
  examples: [
    { line: "payments-cli journal resume --all", says: "Find out about all of them" },
    {
      line: "payments-cli journal resume 0b9c6f1e-5d2a-4c1b-9a7e-2f3d4c5b6a79 --yes",
      says: "Find out about one, and send it again if it was not made",
      tested: false,
      why,
    },
    { line: "payments-cli journal resume 0b9c6f1e-5d2a-4c1b-9a7e-2f3d4c5b6a79 --mark accepted", says: "Record that it was made", tested: false, why },
  ],
  exitCodes: [3, 4, 9, 10, 14, 130],
} as const satisfies CommandSpec;

export const journalPruneSpec = {
  path: ["journal", "prune"],
  summary: "Delete stored phone numbers of finished payments",
  details: "Deletes the requests and answers. What protects you from paying twice stays. Payments whose outcome is unknown stay as they are.",
  flags: {
    "older-than": { type: "string", summary: "Only payments that finished more than DAYS days ago", placeholder: "DAYS", parse: wholeNumber(0, 999_999) },
  },
  examples: [{ line: "payments-cli journal prune --older-than 90", says: "Keep the last 90 days" }],
  exitCodes: [],
} as const satisfies CommandSpec;

export const journalSetupSpec = {
  path: ["journal", "setup"],
  summary: "Make a team's journal in PostgreSQL, and give logins their roles",
  details:
    "Makes the schema payments, the roles payments_maker, payments_checker and payments_owner, and what each may do; the login needs the right to create roles and a schema. It can be run again. --dry-run prints the SQL. The password comes from PGPASSWORD, PGPASSFILE or ~/.pgpass. See docs/team.md.",
  arguments: [{ name: "URL", summary: "postgresql://ADMIN@HOST/DATABASE", required: true }],
  flags: {
    "dry-run": { type: "boolean", summary: "Print the SQL, to review or to run by hand" },
    add: { type: "string", summary: "Give this login of the database its role", placeholder: "LOGIN" },
    role: { type: "string", summary: "The role for --add", placeholder: "ROLE", choices: ["maker", "checker", "owner"] },
  },
  examples: [
    { line: "payments-cli journal setup postgresql://admin@db.example/payments --dry-run", says: "See what it would do" },
    {
      line: "payments-cli journal setup postgresql://admin@db.example/payments --add ann --role maker",
      says: "Make it, and let ann propose and pay",
      tested: false,
      why: "needs a database",
    },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;

export const journalImportSpec = {
  path: ["journal", "import"],
  summary: "Take this machine's attempts over into the team's journal, once",
  flags: { from: { type: "string", summary: "The folder with journal.db, in place of this machine's own", placeholder: "DIR", completes: "file" } },
  examples: [{ line: "payments-cli journal import", says: "What this machine has paid counts for the team's guard", tested: false, why: "needs a database" }],
  exitCodes: [14],
} as const satisfies CommandSpec;

export const journalStatusSpec = {
  path: ["journal", "status"],
  summary: "Where the journal is, who you are there, and what is open",
  flags: {},
  examples: [{ line: "payments-cli journal status", says: "A file on this machine, or a team's database" }],
  exitCodes: [],
} as const satisfies CommandSpec;
