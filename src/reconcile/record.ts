import { formatMinor } from "../money/money.ts";
import type { Direction, StatusClass } from "../transactions/status.ts";

export type SideKind = "orders" | "statement" | "service";
export type PaymentKind = "payment" | "payout" | "charge" | "reversal" | "internal";

/** One row of one side. What only few rows have is optional, so that a million rows stay small. */
export type FileRecord = {
  /** First physical line of a file; absent for a transaction of the service. */
  readonly line?: number | undefined;
  /** Order or transaction id. */
  readonly id?: string | undefined;
  readonly receipt?: string | undefined;
  /** Of the further payments that an order names. */
  readonly moreReceipts?: readonly string[];
  /** Text: leading zeros count. Undefined where the cell is empty. */
  readonly reference: string | undefined;
  /** Hundredths; on a statement money out is negative. */
  readonly amountMinor: bigint;
  readonly state: StatusClass;
  /** The word the state was read from. */
  readonly status: string | undefined;
  readonly direction: Direction;
  /** UTC to the second, or a date alone. */
  readonly at?: string | undefined;
  /** The code of the amount's currency, if the file says it. */
  readonly currency?: string | undefined;
  readonly kind?: PaymentKind | undefined;
  /** Receipt that a reversal takes back. */
  readonly reverses?: string | undefined;
  /** Why this row could not be read: then nothing else of it counts. */
  readonly unreadable?: string | undefined;
  /** Every cell of a statement row, to recognise the same row again. */
  readonly whole?: string | undefined;
  /** A payment that was taken back: itself, then its reversals. Then `state` is unpaid. */
  readonly joined?: readonly FileRecord[] | undefined;
  /** Payer or payee as the row writes it, often masked. */
  readonly phone?: string | undefined;
  /** Not a row of this file: an earlier file left it open. The day of that row, or the day of that run. */
  readonly carried?: string | undefined;
};

/** A record in the making: what it has not is not added. */
export type NewRecord = { -readonly [field in keyof FileRecord]: FileRecord[field] };

export type Side = { readonly kind: SideKind; readonly records: readonly FileRecord[] };

export const emptyRecord: FileRecord = { reference: undefined, amountMinor: 0n, state: "open", status: undefined, direction: "in" };

/** The record as `tx reconcile --json` and the cases write it (cases/README.md, expected.json). */
export const toShownRecord = (record: FileRecord): Record<string, string | number | null> => {
  const line = record.line === undefined ? {} : { line: record.line };
  if (record.unreadable !== undefined) return { ...line, ...(record.id === undefined ? {} : { id: record.id }), unreadable: record.unreadable };
  const service = record.line === undefined;
  return {
    ...line,
    ...(record.id === undefined ? {} : { id: record.id }),
    ...(record.receipt === undefined ? {} : { receipt: record.receipt }),
    reference: record.reference ?? null,
    amount: formatMinor(record.amountMinor),
    // The currency of the service, and of any row that names none (service 2.1).
    ...(record.currency === undefined || record.currency === "KES" ? {} : { currency: record.currency }),
    ...(record.kind === undefined ? {} : { kind: record.kind }),
    state: record.state,
    ...(service && record.status !== undefined ? { status: record.status } : {}),
    ...(service && record.direction !== "unknown" ? { flow: record.direction === "out" ? "b2c" : "standard" } : {}),
    ...(service && record.at === undefined ? {} : { at: record.at ?? null }),
    ...(record.reverses === undefined ? {} : { reverses: record.reverses }),
    ...(record.carried === undefined ? {} : { carried: record.carried }),
  };
};
