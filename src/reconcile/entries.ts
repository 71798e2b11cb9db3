import { groupBy } from "./group-by.ts";
import { receiptKey } from "./receipts.ts";
import type { FileRecord, Side, SideKind } from "./record.ts";

/** What takes part in pairing: a record, or a payment with the reversals that take it back (`joined`). No copy of a million rows. */
export type Entry = FileRecord;
/** A record that is settled without looking at the other side. */
export type Alone = { readonly record: FileRecord; readonly category: "ignored" | "duplicate" | "unreadable"; readonly reason: string };

export const rowsOf = (entry: Entry): readonly FileRecord[] => entry.joined ?? [entry];
export const isReversedEntry = (entry: Entry): boolean => entry.joined !== undefined;
/** A row that names no currency is in that of the other. */
export const areOfOneCurrency = (a: FileRecord, b: FileRecord): boolean => a.currency === undefined || b.currency === undefined || a.currency === b.currency;
/** Hundredths without sign: the direction has it. */
export const amountOf = (entry: Entry): bigint => (entry.amountMinor < 0n ? -entry.amountMinor : entry.amountMinor);

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

/** The rules of a side by itself (cases/README.md, Alone). */
export const settleAlone = (side: Side): { readonly entries: readonly Entry[]; readonly alone: readonly Alone[] } => {
  const seen = new Set<string>();
  const alone: Alone[] = [];
  for (const record of side.records) {
    const decided = decideAlone(record, side, seen);
    if (decided !== undefined) alone.push(decided);
  }
  // A list of a million rows is not held twice.
  const gone = new Set(alone.map(({ record }) => record));
  const entries = gone.size === 0 ? side.records : side.records.filter((record) => !gone.has(record));
  return { entries: side.kind === "statement" ? joinReversals(entries) : entries, alone };
};

const decideAlone = (record: FileRecord, side: Side, seen: Set<string>): Alone | undefined => {
  const alone = aloneOf(record, side.kind);
  if (alone !== undefined || side.kind !== "statement" || record.whole === undefined) return alone;
  if (seen.has(record.whole)) return { record, category: "duplicate", reason: "the same row again, every cell equal" };
  seen.add(record.whole);
  return undefined;
};

/** What a row is by itself, whatever else its side has. */
export const aloneOf = (record: FileRecord, kind: SideKind): Alone | undefined => {
  if (record.unreadable !== undefined) return { record, category: "unreadable", reason: `the row cannot be read: ${record.unreadable}` };
  if (kind !== "statement") return undefined;
  if (record.state !== "paid") return { record, category: "ignored", reason: `the row did not complete (${record.status ?? record.state}): it moved no money` };
  if (record.amountMinor === 0n) return { record, category: "ignored", reason: "the row moved no money" };
  if (record.kind === "charge") return { record, category: "ignored", reason: "a charge of the provider: not a payment of its own" };
  if (record.kind === "internal") return { record, category: "ignored", reason: "the merchant's own money moved between accounts" };
  return undefined;
};

/** What a reversal takes back: the payment of a receipt, or the one of the same reference and the whole amount. */
const takenBack = ({ reverses, reference, amountMinor }: FileRecord): string | undefined => {
  const receipt = receiptKey(reverses);
  if (receipt !== undefined) return `receipt ${receipt}`;
  return reference === undefined ? undefined : `${-amountMinor} ${reference}`;
};

/** A reversal joins the payment it takes back, if that is in the file: together they are one unpaid entry. A part that is paid back stays. */
const joinReversals = (records: readonly FileRecord[]): readonly Entry[] => {
  const reversals = records.filter(({ kind }) => kind === "reversal").sort(compareRecords);
  if (reversals.length === 0) return records;
  const payments = new Map<string, FileRecord[]>();
  for (const reversal of reversals) payments.set(takenBack(reversal) ?? "", []);
  for (const record of records) {
    if (record.kind === "reversal") continue;
    payments.get(`receipt ${receiptKey(record.receipt) ?? ""}`)?.push(record);
    if (record.kind === "payment" && record.state === "paid") payments.get(`${record.amountMinor} ${record.reference ?? ""}`)?.push(record);
  }
  // Should two rows have the receipt that is reversed, it is the same one of them in any order of rows: the last of these lists.
  for (const list of payments.values()) list.sort((a, b) => compareRecords(b, a));
  const back = groupBy(reversals, (reversal) => {
    const list = payments.get(takenBack(reversal) ?? "");
    return receiptKey(reversal.reverses) === undefined ? list?.pop() : list?.at(-1);
  });
  back.delete(undefined);
  const joined = new Set([...back.values()].flat());
  return records.flatMap((record) => {
    if (joined.has(record)) return [];
    const own = back.get(record);
    return own === undefined ? [record] : [{ ...record, state: "unpaid", joined: [record, ...own] }];
  });
};
