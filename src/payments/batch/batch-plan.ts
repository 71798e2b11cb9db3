import { creationFields } from "../creation.ts";
import type { Draft } from "../draft.ts";

/** One row of a payout file: its payment, checked and as it will be sent. The rows share one question. */
export type BatchRow = Omit<Draft<"b2c">, "question" | "rail"> & {
  /** From 1, in the order of the file. */
  readonly row: number;
  /** Physical line (or row of the sheet), from 1. */
  readonly line: number;
  /** In cents of KES. */
  readonly amountMinor: bigint;
  /** The file's own cells, kept for the result. */
  readonly cells: readonly string[];
};

/** In cents of KES. */
export const totalOf = (rows: readonly BatchRow[]): bigint => rows.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** What is known of a row, as `b2c batch --json` tells it. */
export type RowState = "accepted" | "refused" | "unknown" | "notSent";
export type RowResult = {
  readonly row: number;
  readonly state: RowState;
  readonly transactionId?: string;
  readonly status?: string;
  readonly reason?: string;
  /** With `--wait`: accepted, and it did not end paid. Not part of what is printed. */
  readonly ended?: "unpaid" | "open";
  /** The carrier's cost as quoted, digits as they came. */
  readonly quote?: string;
  /** The journal's attempt behind it; not part of what is printed. */
  readonly attemptId?: string;
  /** Unknown, and only `journal resume` finds out: the attempt belongs to another run, or to no run. Not part of what is printed. */
  readonly isOthers?: true;
};

/** How to find out about payments of other runs: this file, run again, only counts them. */
export const settleOthers = { hint: "To find out about the payments whose outcome is not known", command: ["journal", "resume", "--all"] } as const;

export type BatchColumn = (typeof creationFields.b2c)[number];
export const neededColumns: readonly BatchColumn[] = ["phone", "amount", "reference"];

/** Which column of ours a heading means: the flag's name in any case of letters, spaces, dashes and underscores aside. */
export const columnOf = (heading: string): BatchColumn | undefined => {
  const plain = heading
    .replace(/\p{Cf}/gu, "")
    .trim()
    .toLowerCase()
    .replace(/^--/, "")
    .replace(/[\s_-]/g, "");
  return creationFields.b2c.find((field) => field.toLowerCase() === plain);
};
