import { advanceCollection, advanceDisbursement } from "./global-payments.ts";
import { advanceTransaction } from "./local-payments.ts";
import type { At, Unit } from "./unit.ts";

type Due = { readonly dueMs: number; readonly run: () => void };
const dueOf = <Found extends { readonly dueMs?: number | undefined }>(found: readonly Found[], run: (record: Found) => void): readonly Due[] =>
  found.map((record) => ({ dueMs: record.dueMs ?? 0, run: () => run(record) }));

/** Everything that is due by now, in the order of its due times, so that a ledger's times run one way. */
export const advance = (unit: Unit, at: At): void => {
  const { tables } = unit;
  tables.removeStoredAnswers(at.nowMs);
  for (;;) {
    const due = [
      ...dueOf(tables.due("tx", at.nowMs, 1), (one) => advanceTransaction(unit, at, one)),
      ...dueOf(tables.due("collection", at.nowMs, 1), (one) => advanceCollection(unit, at, one)),
      ...dueOf(tables.due("disbursement", at.nowMs, 1), (one) => advanceDisbursement(unit, at, one)),
    ];
    const [first] = due.sort((left, right) => left.dueMs - right.dueMs);
    if (first === undefined) return;
    first.run();
  }
};
