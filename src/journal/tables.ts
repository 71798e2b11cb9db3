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
