import { command, text, toggle, wholeNumber } from "../../command-spec.ts";
import { roles } from "../../journal/port.ts";

const id = { name: "ID", summary: "The attempt's id, the first characters of it, or its idempotency key" } as const;
const why = "needs an attempt";

export const journalListSpec = command("journal list", "List the payments that were tried from this machine, newest first", {
  details:
    "Every payment is written to the journal before it is sent. If its state is `started` or `unknown`, we don't know yet if it was made: `journal resume` finds out.",
  flags: {
    state: text("Only payments in this state", "STATE", { choices: ["started", "accepted", "refused", "unknown"] }),
    reference: text("Only payments with this reference", "REF"),
    day: text("Only payments of this day (UTC)", "YYYY-MM-DD"),
    operation: text("Only payments of this kind", "KIND", { choices: ["stk", "b2c", "collect", "withdraw"] }),
    limit: text("Number of rows (default 50 in a table, otherwise 1000)", "N", { parse: wholeNumber(1) }),
  },
  examples: [
    ["journal list", "The newest payments"],
    ["journal list --state unknown --json", "Payments whose outcome is unknown, for a script"],
    ["journal list --json | jq -r '.attempts[] | select(.state == \"unknown\") | .id'", "Their ids, with jq", "needs jq"],
  ],
});

export const journalShowSpec = command("journal show", "Show one payment from the journal: what was sent, when, and the answer", {
  arguments: [{ ...id, required: true }],
  examples: [["journal show 0b9c6f1e", "By the first characters of its id", why]],
  exitCodes: [4],
});

export const journalResumeSpec = command("journal resume", "Find out if a payment was made, without paying twice", {
  details:
    "First looks for the payment among the transactions. If it is not there, sends the same request again with the same idempotency key, so that it is paid only once; this works for 24 hours. Before it sends money out again, the command asks (or add --yes). Withdrawals are sent again one at a time, by ID. If you know the outcome, --mark records it.",
  arguments: [id],
  flags: {
    all: toggle("All payments whose outcome is unknown"),
    mark: text("Record the outcome by hand, once you know it from the service", "STATE", { choices: ["accepted", "refused"] }),
    "passphrase-stdin": toggle("Read the withdrawal key's passphrase from standard input"),
  },
  examples: [
    ["journal resume --all", "Find out about all of them"],
    ["journal resume 0b9c6f1e-5d2a-4c1b-9a7e-2f3d4c5b6a79 --yes", "Find out about one, and send it again if it was not made", why],
    ["journal resume 0b9c6f1e-5d2a-4c1b-9a7e-2f3d4c5b6a79 --mark accepted", "Record that it was made", why],
  ],
  exitCodes: [3, 4, 9, 10, 14, 130],
});

export const journalPruneSpec = command("journal prune", "Delete stored phone numbers of finished payments", {
  details: "Deletes the requests and answers. What protects you from paying twice stays. Payments whose outcome is unknown stay as they are.",
  flags: {
    "older-than": text("Only payments that finished more than DAYS days ago", "DAYS", { parse: wholeNumber(0, 999_999) }),
  },
  examples: [["journal prune --older-than 90", "Keep the last 90 days"]],
});

export const journalSetupSpec = command("journal setup", "Make a team's journal in PostgreSQL, and give logins their roles", {
  details:
    "Creates the schema payments and the roles payments_maker, payments_checker and payments_owner with their rights. Your login needs the right to create roles and a schema. You can run it again. --dry-run prints the SQL. The password comes from PGPASSWORD, PGPASSFILE or ~/.pgpass. See docs/team.md.",
  arguments: [{ name: "URL", summary: "postgresql://ADMIN@HOST/DATABASE", required: true }],
  flags: {
    "dry-run": toggle("Print the SQL, to review or to run by hand"),
    add: text("Give this login of the database a role", "LOGIN"),
    role: text("The role for --add", "ROLE", { choices: roles }),
  },
  examples: [
    ["journal setup postgresql://admin@db.example/payments --dry-run", "See what it would do"],
    ["journal setup postgresql://admin@db.example/payments --add ann --role maker", "Make it, and let ann propose and pay", "needs a database"],
  ],
});

export const journalImportSpec = command("journal import", "Copy this machine's attempts into the team's journal, each once", {
  flags: { from: text("Folder with another journal.db, instead of this machine's own", "DIR", { completes: "file" }) },
  examples: [["journal import", "From then on the team is warned before it pays again what this machine has paid", "needs a database"]],
  exitCodes: [14],
});

export const journalStatusSpec = command("journal status", "Where the journal is, who you are there, and what is open", {
  examples: [["journal status", "A file on this machine, or a team's database"]],
});
