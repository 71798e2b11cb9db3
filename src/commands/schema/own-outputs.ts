import * as z from "zod";
import { exitCodes } from "../../errors.ts";
import { categories } from "../../reconcile/judge.ts";
import { transaction, transactionSummary } from "../../service/contract/schemas.ts";
import { layoutOutputs } from "./layout-outputs.ts";

/**
 * What this program prints of its own (rules.md, JSON and CSV). Loose: keys may be added, those here stay.
 */
const text = (meaning: string) => z.string().describe(meaning);
const count = (meaning: string) => z.number().int().min(0).describe(meaning);
const decimal = (meaning: string) => z.string().describe(`${meaning}, as a decimal string.`);
const time = (meaning: string) => z.string().describe(`${meaning}, ISO 8601 in UTC.`);
const mode = z.enum(["live", "sandbox"]).describe("Whether its money is real");
const storage = z.enum(["file", "keychain", "none"]).describe("Where the key is kept");
const keyHint = text("At most the last four characters of the key");

const error = z.looseObject({
  error: z.looseObject({
    kind: z.enum(Object.keys(exitCodes)).describe("Decides the exit code; see help exit-codes"),
    message: text("One sentence"),
    status: z.number().int().describe("HTTP status of the answer that decided").optional(),
    code: text("The service's own error code").optional(),
    retryable: z.boolean().describe("The same command may succeed later"),
    sent: z.enum(["no", "yes", "unknown"]).describe("May a payment exist?"),
    idempotencyKey: text("Key of the attempt").optional(),
    journalId: text("The attempt in the journal").optional(),
    hint: text("What to do").optional(),
    command: z.array(z.string()).describe("The one command that is the remedy: the words after payments-cli").optional(),
  }),
});

const profile = z.looseObject({
  name: text("The profile's name"),
  baseUrl: text("Address of the service; empty before it is set"),
  mode,
  current: z.boolean(),
  storage,
  keyHint,
});

const attempt = z.looseObject({
  id: text("The attempt's id"),
  startedAt: time("When it was made"),
  profile: text("The profile, sandbox or environment"),
  operation: z.enum(["stk", "b2c", "collect", "withdraw"]),
  reference: text("Merchant reference"),
  amount: decimal("Amount as sent"),
  currency: text("Currency"),
  idempotencyKey: text("Idempotency-Key"),
  state: z.enum(["started", "accepted", "refused", "unknown"]),
  transactionId: text("The payment it made").optional(),
  status: text("The payment's last seen status").optional(),
  damaged: z.literal(true).optional().describe("What is stored is not what was written: the rest is what can still be read"),
});

const approval = z.looseObject({
  id: text("The approval's id"),
  operation: z.enum(["b2c", "withdraw", "batch"]),
  reference: text("Merchant reference; of a batch, the file's name"),
  payee: text("Who is paid; empty for a batch"),
  amount: decimal("The amount; of a batch, the sum"),
  currency: text("Currency"),
  rows: count("Payouts of a batch").optional(),
  proposedBy: text("Who proposed it"),
  proposedAt: time("When"),
  note: text("Why").optional(),
  expiresAt: time("When it can no longer be approved"),
  state: z.enum(["open", "sent", "refused", "unknown", "declined", "cancelled", "expired"]),
  decisions: z.array(z.looseObject({ by: text("Who decided"), at: time("When"), decision: z.enum(["approved", "declined"]), reason: text("Why").optional() })),
  journalId: text("The attempt that was made of it").optional(),
  transactionId: text("The payment it made").optional(),
});

const batchRow = z.looseObject({
  row: count("Number of the row, from 1; headings and empty lines do not count"),
  state: text("accepted, refused, unknown or notSent"),
  transactionId: text("The payment").optional(),
  status: text("Its status").optional(),
  reason: text("Why not").optional(),
});

const side = z.looseObject({ rows: count("Rows"), amount: decimal("Their sum") });
const category = z.enum(categories);

const flag = z.looseObject({
  name: text("Without the dashes"),
  type: z.enum(["string", "boolean", "strings", "optional-string"]),
  repeats: z.boolean().describe("It may be given several times"),
  summary: text("What it does"),
  default: z
    .union([text("A text"), z.number().describe("A number")])
    .describe("What counts if it is not given")
    .optional(),
  placeholder: text("What stands for its value in help").optional(),
  choices: z.array(z.string()).optional(),
  short: text("One letter").optional(),
});

const check = z.looseObject({ name: text("What was looked at"), ok: z.boolean(), detail: text("What was found"), hint: text("What to do").optional() });

/** Name, what prints it, schema. */
export const ownOutputs = {
  error: { of: "any command under --json, on stderr", schema: error },
  "dry-run": {
    of: "creating commands with --dry-run --json",
    schema: z.looseObject({
      method: text("HTTP method"),
      path: text("Path"),
      body: z.looseObject({}).describe("The request's body"),
      idempotencyKey: text("The key it would carry"),
      approvalRequired: z.literal(true).optional().describe("A policy asks for another person's approval"),
    }),
  },
  whoami: {
    of: "whoami --json",
    schema: z.looseObject({
      profile: text("The profile, sandbox or environment"),
      baseUrl: text("Address of the service"),
      mode,
      keySource: z.enum(["env", "keystore"]),
      storage,
      keyHint,
    }),
  },
  profile: { of: "login, logout, profile use, profile set and profile remove with --json", schema: profile },
  "profile-list": { of: "profile list --json", schema: z.looseObject({ profiles: z.array(profile) }) },
  "journal-list": { of: "journal list --json", schema: z.looseObject({ attempts: z.array(attempt) }) },
  "journal-show": {
    of: "journal show --json",
    schema: attempt.extend({
      baseUrl: text("Address it went to"),
      payee: text("Who it was for"),
      body: z.unknown().describe("The request as sent; null once pruned"),
      tries: z.array(z.looseObject({ at: time("When"), httpStatus: z.number().int().optional(), error: text("Why no answer came").optional() })),
      answer: z.unknown().describe("The answer, where one was readable"),
    }),
  },
  "journal-resume": { of: "journal resume --json", schema: z.looseObject({ attempts: z.array(attempt) }) },
  "journal-status": {
    of: "journal status --json",
    schema: z.looseObject({
      journal: z.enum(["file", "postgres"]),
      where: text("The file, or the database without a password"),
      who: text("Who you are there"),
      role: z.enum(["maker", "checker", "owner", "none"]),
      attempts: count("Attempts"),
      open: count("Those that are not settled"),
    }),
  },
  "journal-import": {
    of: "journal import --json",
    schema: z.looseObject({ imported: count("Attempts that were not known"), known: count("Those that were") }),
  },
  "journal-setup": { of: "journal setup --json", schema: z.looseObject({ where: text("The database without a password") }) },
  "approval-list": { of: "approval list --json, and approval approve with several ids", schema: z.looseObject({ approvals: z.array(approval) }) },
  "approval-show": { of: "approval show, approve, decline and cancel --json, and --propose", schema: approval },
  "approval-policy": {
    of: "approval policy --json",
    schema: z.looseObject({
      policies: z.array(
        z.looseObject({ from: decimal("Amounts from this one on need approval"), currency: text("Currency"), approvers: count("How many have to approve") }),
      ),
    }),
  },
  "b2c-batch": {
    of: "b2c batch --json",
    schema: z.looseObject({
      file: text("The file"),
      batchId: text("The run"),
      summary: z.looseObject({
        rows: count("Rows"),
        accepted: count("Accepted"),
        refused: count("Refused"),
        unknown: count("Unknown"),
        notSent: count("Not sent"),
        amount: decimal("Sum of the file"),
      }),
      rows: z.array(batchRow),
    }),
  },
  "tx-find": {
    of: "tx find --json",
    schema: z.looseObject({ transactions: z.array(transactionSummary), syncedAt: time("When the mirror was last brought up to date").nullable() }),
  },
  "tx-explain": {
    of: "tx explain --json",
    schema: z.looseObject({
      verdict: z.enum(["paid", "unpaid", "open", "unknown"]).describe("What became of the payment, as sure as the sources that could be read allow"),
      say: text("A sentence for the customer"),
      command: z.array(z.string()).describe("What to run next: the words after payments-cli").optional(),
      transaction: transaction.or(transactionSummary).describe("As the service gives it, or else as the mirror has it").optional(),
      attempts: z.array(attempt),
      ledger: z.array(z.looseObject({})).describe("Ledger entries and holds that name the payment"),
      timeline: z.array(
        z.looseObject({ at: time("When"), source: z.enum(["journal", "service", "ledger", "callback", "mirror"]), event: text("What happened") }),
      ),
      contradictions: z.array(text("What does not fit together")),
      unread: z.array(z.looseObject({ source: text("A source that could not be read"), reason: text("Why") })),
    }),
  },
  "tx-sync": {
    of: "tx sync --json",
    schema: z.looseObject({ new: count("New"), changed: count("Changed"), open: count("Still open"), total: count("In all"), calls: count("Requests made") }),
  },
  "tx-watch": {
    of: "tx watch -o jsonl, each line",
    schema: z.looseObject({ at: time("When it was seen"), previousStatus: text("Status before").nullable(), transaction }),
  },
  "tx-reconcile": {
    of: "tx reconcile --json",
    schema: z.looseObject({
      inputs: z.array(z.unknown()).describe("What was compared"),
      summary: z.partialRecord(category, z.looseObject({ count: count("Cases"), amount: decimal("Their sum"), ours: side, theirs: side })),
      rows: z.array(
        z.looseObject({
          category,
          reference: text("Reference; null where the row has none").nullable(),
          transactionId: text("The transaction").optional(),
          ours: z.array(z.looseObject({})),
          theirs: z.array(z.looseObject({})),
          reason: text("Why"),
          suggestions: z.array(z.looseObject({ because: text("Why it may belong together") })).optional(),
        }),
      ),
    }),
  },
  ...layoutOutputs,
  "webhook-listening": { of: "webhook listen --json, first line", schema: z.looseObject({ url: text("Where it listens") }) },
  "webhook-delivery": {
    of: "webhook listen --json, each further line",
    schema: z.looseObject({
      at: time("When it came"),
      id: text("Its webhook-id").nullable(),
      valid: z.boolean().describe("The signature is right"),
      reason: text("Why not").optional(),
      duplicate: z.boolean().describe("The same was seen before"),
      headers: z.record(z.string(), z.string()),
      body: z.unknown().describe("JSON where it is, else text"),
    }),
  },
  "webhook-verify": {
    of: "webhook verify --json",
    schema: z.looseObject({ valid: z.literal(true), scheme: text("How it was signed"), id: text("Its webhook-id").optional() }),
  },
  "webhook-replay": {
    of: "webhook replay --json",
    schema: z.looseObject({
      deliveries: z.array(
        z.looseObject({
          transactionId: text("The transaction"),
          status: text("Its status"),
          type: text("What the envelope says happened"),
          webhookId: text("The same for the same change"),
          httpStatus: z.number().int().describe("The endpoint's answer"),
        }),
      ),
    }),
  },
  "journal-prune": { of: "journal prune --json", schema: z.looseObject({ pruned: count("Attempts whose bodies were dropped") }) },
  sandbox: {
    of: "sandbox --json",
    schema: z.looseObject({
      baseUrl: text("Address"),
      apiKey: text("A key that works there"),
      webhookSecret: text("What it signs with"),
      dashboardUrl: text("Its pages"),
      pid: z.number().int(),
    }),
  },
  doctor: { of: "doctor --json", schema: z.looseObject({ checks: z.array(check) }) },
  demo: { of: "demo --json", schema: z.looseObject({ steps: z.array(z.looseObject({ name: text("What was done"), ok: z.boolean() })) }) },
  "schema-list": {
    of: "schema --json",
    schema: z.looseObject({
      schemas: z.array(
        z.looseObject({ name: text("What to ask schema for"), of: text("What prints or takes it"), kind: z.enum(["output", "request", "service"]) }),
      ),
    }),
  },
  commands: {
    of: "commands --json",
    schema: z.looseObject({
      commands: z.array(
        z.looseObject({
          path: text("The command's words"),
          summary: text("What it does"),
          flags: z.array(flag),
          examples: z.array(z.looseObject({ line: text("The command line"), says: text("What it shows") })),
          exitCodes: z.array(z.number().int()),
        }),
      ),
      globalFlags: z.array(flag).describe("Taken by every command"),
    }),
  },
} as const satisfies Record<string, { readonly of: string; readonly schema: z.ZodType }>;
