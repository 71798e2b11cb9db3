import type { RowResult, RowState } from "../../domain/batch-plan.ts";
import { createPacked } from "./packed.ts";

/** What became of each row, by its number. */
export type RowResults = {
  set(result: RowResult): void;
  get(row: number): RowResult | undefined;
  /** In the order of the file. */
  [Symbol.iterator](): Iterator<RowResult>;
};

type Kept = readonly [
  state: RowState,
  transactionId: string | null,
  status: string | null,
  reason: string | null,
  quote: string | null,
  attempt: string | null,
];

export const createRowResults = (rows: number): RowResults => {
  const packed = createPacked();
  const get = (row: number): RowResult | undefined => {
    const text = packed.get(row);
    if (text === undefined) return undefined;
    // Written by `set` alone.
    const [state, transactionId, status, reason, quote, attemptId] = JSON.parse(text) as Kept;
    return {
      row,
      state,
      ...(transactionId === null ? {} : { transactionId }),
      ...(status === null ? {} : { status }),
      ...(reason === null ? {} : { reason }),
      ...(quote === null ? {} : { quote }),
      ...(attemptId === null ? {} : { attemptId }),
    };
  };
  return {
    set: ({ row, state, transactionId = null, status = null, reason = null, quote = null, attemptId = null }) => {
      packed.set(row, JSON.stringify([state, transactionId, status, reason, quote, attemptId] satisfies Kept));
    },
    get,
    *[Symbol.iterator]() {
      for (let row = 1; row <= rows; row++) {
        const result = get(row);
        if (result !== undefined) yield result;
      }
    },
  };
};
