/** One row of a payout file, checked and as it will be sent. */
export type BatchRow = {
  /** From 1, in the order of the file. */
  readonly row: number;
  /** Physical line (or row of the sheet), from 1. */
  readonly line: number;
  readonly phone: string;
  readonly reference: string;
  readonly amount: string;
  /** In cents of KES. */
  readonly amountMinor: bigint;
  readonly body: string;
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
};

const names: Readonly<Record<string, string>> = {
  phone: "phone",
  amount: "amount",
  reference: "reference",
  remarks: "remarks",
  description: "description",
  commandid: "commandId",
  callbackurl: "callbackUrl",
};
export type BatchColumn = "phone" | "amount" | "reference" | "remarks" | "description" | "commandId" | "callbackUrl";
export const neededColumns: readonly BatchColumn[] = ["phone", "amount", "reference"];

/** Which column of ours a heading means: the flag's name in any case of letters, spaces, dashes and underscores aside. */
export const columnOf = (heading: string): BatchColumn | undefined => {
  const plain = heading
    .replace(/\p{Cf}/gu, "")
    .trim()
    .toLowerCase()
    .replace(/^--/, "")
    .replace(/[\s_-]/g, "");
  return Object.hasOwn(names, plain) ? (names[plain] as BatchColumn) : undefined;
};
