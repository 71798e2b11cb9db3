import { advanceCollection, advanceDisbursement } from "./global-payments.ts";
import { advanceTransaction } from "./local-payments.ts";
import type { At, Unit } from "./unit.ts";

const dueAtOnceMax = 1_000;
type Due = { readonly dueMs: number; readonly run: () => void };
/** Collections and disbursements that are due: few, beside transactions. */
const globalDueBy = (unit: Unit, at: At): readonly Due[] => {
  const { tables } = unit;
  const due = <R extends { readonly dueMs?: number | undefined }>(found: readonly R[], run: (record: R) => void): readonly Due[] =>
    found.map((record) => ({ dueMs: record.dueMs ?? at.nowMs, run: () => run(record) }));
  return [
    ...due(tables.due("collection", at.nowMs, dueAtOnceMax), (one) => advanceCollection(unit, at, one)),
    ...due(tables.due("disbursement", at.nowMs, dueAtOnceMax), (one) => advanceDisbursement(unit, at, one)),
  ].sort((left, right) => left.dueMs - right.dueMs);
};

/** What is due by now, in the order of its due times, up to where a step that was taken leads to one that comes before the rest: a payment paid and reversed while nobody looked. */
const advanceOnce = (unit: Unit, at: At): boolean => {
  const transactions = unit.tables.due("tx", at.nowMs, dueAtOnceMax);
  const others = globalDueBy(unit, at);
  let next = 0;
  let soonestMs = Number.POSITIVE_INFINITY;
  const runOthers = (untilMs: number): void => {
    for (let one = others[next]; one !== undefined && one.dueMs < untilMs && one.dueMs <= soonestMs; one = others[next]) {
      one.run();
      next += 1;
    }
  };
  for (const transaction of transactions) {
    const dueMs = transaction.dueMs ?? at.nowMs;
    runOthers(dueMs);
    if (soonestMs < dueMs) return true;
    advanceTransaction(unit, at, transaction);
    soonestMs = Math.min(soonestMs, unit.tables.get("tx", transaction.id)?.dueMs ?? Number.POSITIVE_INFINITY);
  }
  runOthers(Number.POSITIVE_INFINITY);
  return transactions.length + others.length > 0;
};

/**
 * Everything that is due by now, in the order of its due times, so that a ledger's times run one way. True where anything
 * happened.
 */
export const advance = (unit: Unit, at: At): boolean => {
  let happened = false;
  while (advanceOnce(unit, at)) happened = true;
  return happened;
};
