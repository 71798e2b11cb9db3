import { groupBy } from "./group-by.ts";
import type { Layout, OrderLines } from "./layout.ts";
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
export const joinOrderRows = (records: readonly FileRecord[], { lines }: Layout): JoinedRows => {
  if (isDoubleEntry(records)) {
    const own = records.filter(({ direction }) => direction === "in");
    return { records: own, continued: 0, mirrored: records.length - own.length };
  }
  const added = lines === undefined ? records : joinLines(records, lines);
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

export const sumOf = (records: readonly { readonly amountMinor: bigint }[]): bigint => records.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** The row that may have the total of the others. */
export const splitTotal = <Row>(rows: readonly Row[], at: "first" | "last"): { readonly total: Row | undefined; readonly rest: readonly Row[] } =>
  at === "last" ? { total: rows.at(-1), rest: rows.slice(0, -1) } : { total: rows[0], rest: rows.slice(1) };

/** Each order where its first row stands. Rows that do not make a total stay rows. */
const joinLines = (records: readonly FileRecord[], { at, isSaid }: OrderLines): readonly FileRecord[] => {
  const orders = groupBy<FileRecord, unknown>(records, (record) => (record.unreadable === undefined ? (record.reference ?? record) : record));
  return [...orders.values()].flatMap((rows) => {
    const [first] = rows;
    if (rows.length === 1 || first === undefined) return rows;
    if (at === "all") return [{ ...first, amountMinor: sumOf(rows) }];
    const { total, rest } = splitTotal(rows, at);
    if (total === undefined || !(isSaid || total.amountMinor === sumOf(rest))) return rows;
    const { state, status } = rows.find((row) => row.status !== undefined) ?? total;
    return [total.status === undefined ? { ...total, state, status } : total];
  });
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

/** How many rows have the opposite amount of another row of their reference. */
export const countOpposites = (records: readonly FileRecord[]): number => {
  const nameOf = ({ reference = "" }: FileRecord, amountMinor: bigint): string => `${amountMinor} ${reference}`;
  const named = records.filter(({ reference, amountMinor }) => reference !== undefined && amountMinor !== 0n);
  const names = new Set(named.map((record) => nameOf(record, record.amountMinor)));
  return named.filter((record) => names.has(nameOf(record, -record.amountMinor))).length;
};
