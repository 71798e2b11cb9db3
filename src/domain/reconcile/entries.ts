import type { Direction, StatusClass } from "../status.ts";
import type { FileRecord, Side } from "./record.ts";

/** What takes part in pairing: one record, or a payment with the reversals that take it back. */
export type Entry = {
  /** The payment first, then its reversals. */
  readonly rows: readonly FileRecord[];
  readonly receipt: string | undefined;
  readonly reference: string | undefined;
  /** Hundredths, without sign: the direction has it. */
  readonly amountMinor: bigint;
  readonly state: StatusClass;
  readonly direction: Direction;
  readonly reversed: boolean;
};
/** A record that is settled without looking at the other side. */
export type Alone = { readonly record: FileRecord; readonly category: "ignored" | "duplicate" | "unreadable"; readonly reason: string };

/** The same order whatever order the rows came in, lines last: they alone know where a row stood. */
export const compareRecords = (a: FileRecord, b: FileRecord): number =>
  compareText(a.at, b.at) ||
  compareText(a.reference, b.reference) ||
  compareText(a.receipt, b.receipt) ||
  compareText(a.id, b.id) ||
  compareAmount(a.amountMinor, b.amountMinor) ||
  compareText(a.state, b.state) ||
  compareText(a.whole, b.whole) ||
  (a.line ?? 0) - (b.line ?? 0);
const compareText = (a: string | undefined, b: string | undefined): number => {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  return a < b ? -1 : 1;
};
const compareAmount = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

const absolute = (minor: bigint): bigint => (minor < 0n ? -minor : minor);

const toEntry = (record: FileRecord): Entry => ({
  rows: [record],
  receipt: record.receipt,
  reference: record.reference,
  amountMinor: absolute(record.amountMinor),
  state: record.state,
  direction: record.direction,
  reversed: false,
});

/** The rules of a side by itself (cases/README.md, Alone). */
export const settleAlone = (side: Side): { readonly entries: Entry[]; readonly alone: Alone[] } => {
  const alone: Alone[] = [];
  const kept: FileRecord[] = [];
  const seen = new Set<string>();
  for (const record of [...side.records].sort(compareRecords)) {
    const decided = decideAlone(record, side, seen);
    if (decided === undefined) kept.push(record);
    else alone.push(decided);
  }
  return { entries: side.kind === "statement" ? joinReversals(kept) : kept.map(toEntry), alone };
};

const decideAlone = (record: FileRecord, side: Side, seen: Set<string>): Alone | undefined => {
  if (record.unreadable !== undefined) return { record, category: "unreadable", reason: `the row cannot be read: ${record.unreadable}` };
  if (side.kind !== "statement") return undefined;
  if (record.state !== "paid") return { record, category: "ignored", reason: `the row did not complete (${record.status ?? record.state}): it moved no money` };
  if (record.kind === "charge") return { record, category: "ignored", reason: "a charge of the provider: not a payment of its own" };
  if (record.kind === "internal") return { record, category: "ignored", reason: "the merchant's own money moved between accounts" };
  if (record.whole === undefined) return undefined;
  if (seen.has(record.whole)) return { record, category: "duplicate", reason: "the same row again, every cell equal" };
  seen.add(record.whole);
  return undefined;
};

/** A reversal joins the payment it names, if that is in the file: together they are one unpaid entry. */
const joinReversals = (records: readonly FileRecord[]): Entry[] => {
  const reversals = new Map<string, FileRecord[]>();
  for (const record of records) {
    if (record.kind !== "reversal" || record.reverses === undefined) continue;
    reversals.set(record.reverses, [...(reversals.get(record.reverses) ?? []), record]);
  }
  const entries: Entry[] = [];
  const joined = new Set<FileRecord>();
  for (const record of records) {
    if (record.kind === "reversal") continue;
    const back = record.receipt === undefined ? undefined : reversals.get(record.receipt);
    if (back === undefined || joined.has(back[0] ?? record)) {
      entries.push(toEntry(record));
      continue;
    }
    for (const reversal of back) joined.add(reversal);
    entries.push({ ...toEntry(record), rows: [record, ...back], state: "unpaid", reversed: true });
  }
  for (const record of records) if (record.kind === "reversal" && !joined.has(record)) entries.push(toEntry(record));
  return entries;
};
