import type { Direction, StatusClass } from "../transactions/status.ts";
import { aloneOf } from "./entries.ts";
import { type Keys, none, type Place } from "./keys.ts";
import type { FileRecord, SideKind } from "./record.ts";

/** Sums of so large amounts would not be exact in a double; rows that have them go by the exact rules (hundredths). */
const plainMax = 2 ** 51;

const states: readonly StatusClass[] = ["paid", "open", "unpaid"];
const directions: readonly Direction[] = ["in", "out", "unknown"];
/** `ignored`: settled by itself and counted. `exact`: only the exact rules can judge it. */
export type Nature = "plain" | "exact" | "ignored" | "unreadable";
const natures: readonly Nature[] = ["plain", "exact", "ignored", "unreadable"];

/** A million rows in some 20 bytes each: what pairing needs of them. The rest is read again for the rows that are told of. */
export type RowColumns = ReturnType<typeof createRowColumns>;

/** One side of a comparison: its columns, and the way back to the whole records. */
export type StoredSide = {
  readonly kind: SideKind;
  readonly rows: RowColumns;
  /** Gives those wanted, whole, in the order they were added. */
  readonly collect: (isWanted: (index: number) => boolean, onRecord: (record: FileRecord, index: number) => void) => Promise<void>;
};

export const createRowColumns = (kind: SideKind, place: Place, keys: Keys) => {
  let amounts = new Float64Array(1024);
  let receipts = new Int32Array(1024);
  let references = new Int32Array(1024);
  let flags = new Uint8Array(1024);
  let count = 0;
  const reserve = (): void => {
    if (count < amounts.length) return;
    const old = { amounts, receipts, references, flags };
    amounts = new Float64Array(count * 2);
    amounts.set(old.amounts);
    receipts = new Int32Array(count * 2);
    receipts.set(old.receipts);
    references = new Int32Array(count * 2);
    references.set(old.references);
    flags = new Uint8Array(count * 2);
    flags.set(old.flags);
  };
  const noteKeys = (record: FileRecord, nature: Nature): void => {
    const ended = record.state === "unpaid";
    if (record.receipt !== undefined) receipts[count] = keys.receipts.note(record.receipt, place, ended, count);
    if (record.reference !== undefined) references[count] = keys.references.note(record.reference, place, ended, count);
    if (nature === "plain") return;
    if (record.receipt !== undefined) keys.receipts.spoil(receipts[count] ?? 0);
    if (record.reference !== undefined) keys.references.spoil(references[count] ?? 0);
    // A reversal takes back the payment that has this receipt.
    if (record.reverses !== undefined) keys.receipts.spoilText(record.reverses);
  };
  return {
    add(record: FileRecord): void {
      reserve();
      const amount = Number(record.amountMinor);
      const alone = aloneOf(record, kind);
      const nature: Nature =
        alone === undefined
          ? record.kind === "reversal" || record.joined !== undefined || Math.abs(amount) > plainMax
            ? "exact"
            : "plain"
          : alone.category === "unreadable" || Math.abs(amount) > plainMax
            ? "unreadable"
            : "ignored";
      amounts[count] = amount;
      receipts[count] = none;
      references[count] = none;
      flags[count] = states.indexOf(record.state) | (directions.indexOf(record.direction) << 2) | (natures.indexOf(nature) << 4);
      if (nature === "plain" || nature === "exact") noteKeys(record, nature);
      count += 1;
    },
    /** A transaction listed as money in and as money out. */
    setUnknownDirection(index: number): void {
      flags[index] = ((flags[index] ?? 0) & ~12) | (2 << 2);
    },
    count: (): number => count,
    /** Hundredths, with sign; exact but for rows of nature exact or unreadable. */
    amount: (index: number): number => amounts[index] ?? 0,
    /** The number of its receipt in the keys; -1 without one. */
    receipt: (index: number): number => receipts[index] ?? none,
    reference: (index: number): number => references[index] ?? none,
    state: (index: number): StatusClass => states[(flags[index] ?? 0) & 3] ?? "open",
    direction: (index: number): Direction => directions[((flags[index] ?? 0) >> 2) & 3] ?? "unknown",
    nature: (index: number): Nature => natures[((flags[index] ?? 0) >> 4) & 3] ?? "exact",
  };
};
