import { describeColumns, type Kind } from "../storage/columns.ts";
import { isRow } from "../storage/sqlite.ts";
import type { Attempt } from "./port.ts";

type StoredTry = Attempt["tries"][number];
const isStoredTry = (value: unknown): value is StoredTry => isRow(value) && typeof value["at"] === "string";
const readTries = (json: string): readonly StoredTry[] => {
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) ? parsed.filter(isStoredTry) : [];
  } catch {
    // Only of a damaged row, and that is shown.
    return [];
  }
};

/** What is kept of an attempt. The checksum goes over the columns in this order. */
export const attemptColumns = describeColumns({
  id: "text",
  idempotencyKey: "text",
  operation: ["stk", "collect", "withdraw", "b2c"],
  endpoint: "text",
  body: "text|null",
  profile: "text",
  baseUrl: "text",
  reference: "text",
  payee: "text",
  amount: "text",
  currency: "text",
  startedAt: "text",
  closedAt: "text?",
  state: ["started", "accepted", "refused", "unknown"],
  transactionId: "text?",
  status: "text?",
  tries: readTries,
  answer: "text?",
  keyFingerprint: "text",
  keySalt: "text",
  batchId: "text?",
  batchRow: "integer?",
  unanswered: "flag",
  guardKey: "text",
  evidence: "text?",
  heldBy: "text?",
  approvalId: "text?",
} as const satisfies Record<Exclude<keyof Attempt, "recordedBy" | "damaged">, Kind>);

/** What may change once an attempt was opened. */
export const changingColumns = ["body", "payee", "closed_at", "state", "transaction_id", "status", "tries", "answer", "unanswered", "evidence", "held_by"];

/** `fileId` and `choice` of a batch alone. `finishedAt`: nothing of a batch is left to send. */
export const approvalColumns = describeColumns({
  id: "text",
  operation: ["b2c", "withdraw", "batch"],
  baseUrl: "text",
  profile: "text",
  reference: "text",
  payee: "text",
  amount: "text",
  currency: "text",
  rows: "integer",
  fileId: "text?",
  choice: "text?",
  allowDuplicate: "flag",
  idempotencyKey: "text?",
  note: "text?",
  proposedBy: "text",
  proposedFrom: "text",
  proposedAt: "text",
  expiresAt: "text",
  cancelledAt: "text?",
  finishedAt: "text?",
});

/** In what the databases differ. */
export type TableStyle = {
  /** Before the name of a table. */
  readonly prefix: "" | "payments.";
  readonly long: "integer" | "bigint";
  /** How the column `seq` numbers the rows. */
  readonly numbers: "PRIMARY KEY" | "GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
  readonly end: "" | " STRICT";
  readonly checks: boolean;
  /** More columns of an attempt. */
  readonly own: string;
};

/**
 * `seq` gives the order of opening, also where the clock was moved. An item is one request of a proposal: the only one, or a row of a
 * batch. `seen`: the transactions that look-ups saw, and the newest attempt at that time.
 */
export const tablesSql = ({ prefix, long, numbers, end, checks, own }: TableStyle): string => `
CREATE TABLE IF NOT EXISTS ${prefix}attempts (
  seq ${long} ${numbers},
  ${attemptColumns.sql(checks)},
  ${own},
  UNIQUE (id)
)${end};
CREATE UNIQUE INDEX IF NOT EXISTS attempts_key ON ${prefix}attempts (idempotency_key, endpoint, base_url);
CREATE INDEX IF NOT EXISTS attempts_reference ON ${prefix}attempts (reference);
CREATE INDEX IF NOT EXISTS attempts_payee ON ${prefix}attempts (payee);
CREATE INDEX IF NOT EXISTS attempts_started ON ${prefix}attempts (started_at);
CREATE INDEX IF NOT EXISTS attempts_transaction ON ${prefix}attempts (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_batch ON ${prefix}attempts (batch_id, batch_row) WHERE batch_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_approval ON ${prefix}attempts (approval_id) WHERE approval_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS ${prefix}seen (base_url text NOT NULL, transaction_id text NOT NULL, after_seq ${long} NOT NULL, PRIMARY KEY (base_url, transaction_id))${end};
CREATE TABLE IF NOT EXISTS ${prefix}approvals (
  seq ${long} ${numbers},
  ${approvalColumns.sql(checks)},
  UNIQUE (id)
)${end};
CREATE TABLE IF NOT EXISTS ${prefix}approval_items (
  approval_id text NOT NULL REFERENCES ${prefix}approvals (id),
  item integer NOT NULL,
  guard_key text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (approval_id, item)
)${end};
CREATE INDEX IF NOT EXISTS approval_items_guard ON ${prefix}approval_items (guard_key);
CREATE TABLE IF NOT EXISTS ${prefix}decisions (
  seq ${long} ${numbers},
  approval_id text NOT NULL REFERENCES ${prefix}approvals (id),
  decided_by text NOT NULL,
  decided_at text NOT NULL,
  decision text NOT NULL CHECK (decision IN ('approved', 'declined')),
  reason text
)${end};
CREATE INDEX IF NOT EXISTS decisions_approval ON ${prefix}decisions (approval_id);
CREATE TABLE IF NOT EXISTS ${prefix}policies (currency text PRIMARY KEY, from_amount text NOT NULL, approvers integer NOT NULL CHECK (approvers >= 1))${end};
`;
