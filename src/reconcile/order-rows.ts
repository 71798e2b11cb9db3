import type { Layout } from "./layout.ts";
import type { FileRecord } from "./record.ts";

export type JoinedRows = {
  readonly records: readonly FileRecord[];
  /** Rows that continue an order above them. */
  readonly continued: number;
  /** Rows that only are the other side of the booking above them. */
  readonly mirrored: number;
};

/**
 * Several rows of one order as that order: its lines, where the other side proves that they add up to it, and a refund of all of it,
 * after which the order is no longer paid.
 */
export const joinOrderRows = (records: readonly FileRecord[], { linesAddUp }: Layout): JoinedRows => {
  if (isDoubleEntry(records)) {
    const own = records.filter(({ direction }) => direction === "in");
    return { records: own, continued: 0, mirrored: records.length - own.length };
  }
  const added = linesAddUp ? addLines(records) : records;
  return { records: takeRefunds(added), continued: records.length - added.length, mirrored: 0 };
};

const bookingsMin = 3;
/** A ledger with both sides of each booking: right under every row stands its opposite, of the same day. */
const isDoubleEntry = (records: readonly FileRecord[]): boolean =>
  records.length >= bookingsMin * 2 &&
  records.length % 2 === 0 &&
  records.every(({ reference, amountMinor, at, unreadable }, index) => {
    const other = records[index % 2 === 0 ? index + 1 : index - 1];
    return unreadable === undefined && amountMinor !== 0n && other?.reference === reference && other?.at === at && other?.amountMinor === -amountMinor;
  });

const addLines = (records: readonly FileRecord[]): readonly FileRecord[] => {
  const orders: FileRecord[] = [];
  const places = new Map<string, number>();
  for (const record of records) {
    const { reference } = record;
    const place = reference === undefined || record.unreadable !== undefined ? undefined : places.get(reference);
    const first = place === undefined ? undefined : orders[place];
    if (place !== undefined && first !== undefined) orders[place] = { ...first, amountMinor: first.amountMinor + record.amountMinor };
    else {
      if (reference !== undefined && record.unreadable === undefined) places.set(reference, orders.length);
      orders.push(record);
    }
  }
  return orders;
};

const takeRefunds = (records: readonly FileRecord[]): readonly FileRecord[] => {
  const refunds = new Map<string, FileRecord>();
  for (const record of records)
    if (record.direction === "out" && record.reference !== undefined && record.unreadable === undefined)
      refunds.set(`${-record.amountMinor} ${record.reference}`, record);
  if (refunds.size === 0 || refunds.size === records.length) return records;
  const used = new Set<FileRecord>();
  const orders = records.map((record) => {
    const refund = record.state === "paid" ? refunds.get(`${record.amountMinor} ${record.reference ?? ""}`) : undefined;
    if (refund === undefined || used.has(refund)) return record;
    used.add(refund);
    return { ...record, state: "unpaid", joined: [record, refund] } as const;
  });
  return orders.filter((record) => !used.has(record));
};
