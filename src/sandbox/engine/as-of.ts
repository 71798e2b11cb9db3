import type { Step, Transaction } from "./entities.ts";
import { isoOf } from "./unit.ts";

/** Assumed: the carrier takes a payout up after half a second. */
export const payoutProcessMs = 500;

/**
 * Its steps until that moment. That a payout is taken up follows from the time alone, so nothing is stored for it until the payout
 * ends; whoever looks sees it, dated when it was due (sandbox.md, Running).
 */
export const stepsUntil = (transaction: Transaction, nowMs: number): readonly Step[] => {
  const takenUpMs = transaction.createdMs + payoutProcessMs;
  if (transaction.status !== "QUEUED" || nowMs < takenUpMs) return transaction.steps;
  return [...transaction.steps, { status: "PROCESSING", at: isoOf(takenUpMs) }];
};

/** The record as it is at that moment. */
export const asOf = (transaction: Transaction, nowMs: number): Transaction => {
  const steps = stepsUntil(transaction, nowMs);
  return steps === transaction.steps ? transaction : { ...transaction, status: "PROCESSING", steps };
};
