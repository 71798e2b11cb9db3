import type { Step, Transaction } from "./entities.ts";
import { isoOf } from "./unit.ts";

/** Assumed: the carrier begins to process a payout after half a second. */
export const payoutProcessMs = 500;

/**
 * Its steps until that moment. PROCESSING follows from the time alone: it is derived at each read, dated when it was due, and is only
 * stored once the payout ends.
 */
export const stepsUntil = (transaction: Transaction, nowMs: number): readonly Step[] => {
  const processingMs = transaction.createdMs + payoutProcessMs;
  if (transaction.status !== "QUEUED" || nowMs < processingMs) return transaction.steps;
  return [...transaction.steps, { status: "PROCESSING", at: isoOf(processingMs) }];
};

/** The record as it is at that moment. */
export const asOf = (transaction: Transaction, nowMs: number): Transaction => {
  const steps = stepsUntil(transaction, nowMs);
  return steps === transaction.steps ? transaction : { ...transaction, status: "PROCESSING", steps };
};
