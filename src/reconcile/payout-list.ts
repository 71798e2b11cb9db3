import { amountOf } from "./entries.ts";
import { looseReference } from "./loose-reference.ts";
import { receiptKey } from "./receipts.ts";
import type { FileRecord, Side } from "./record.ts";

export type ProvedPayouts = { readonly side: Side /** Rows of it that money out there has. */; readonly proofs: number };

/**
 * Orders whose amounts are positive are money in, unless the other side proves that they are a list of payouts: at least half of
 * the rows have the receipt or the reference, and the amount, of money out there, and none has those of money in. Undefined if
 * that is not so, or if the file itself tells directions by signs.
 */
export const provePayouts = (ours: Side, theirs: Side): ProvedPayouts | undefined => {
  const out = ours.kind === "orders" ? amountsByName(theirs, "out") : new Map<string, ReadonlySet<bigint>>();
  if (out.size === 0) return undefined;
  const rows = ours.records.filter(({ unreadable, state }) => unreadable === undefined && state !== "unpaid");
  if (rows.length === 0 || rows.some(({ direction }) => direction !== "in")) return undefined;
  const proofs = rows.filter((row) => namesOf(row).some((name) => out.get(name)?.has(amountOf(row)) === true)).length;
  if (proofs * 2 < rows.length) return undefined;
  const paidIn = amountsByName(theirs, "in");
  if (rows.some((row) => namesOf(row).some((name) => paidIn.has(name)))) return undefined;
  const records = ours.records.map((record): FileRecord => (record.unreadable === undefined ? { ...record, direction: "out" } : record));
  return { side: { ...ours, records }, proofs };
};

const namesOf = ({ receipt, reference }: FileRecord): readonly string[] => {
  const key = receiptKey(receipt);
  return [...(key === undefined ? [] : [`receipt ${key}`]), ...(reference === undefined ? [] : [`reference ${looseReference(reference) ?? reference}`])];
};

const amountsByName = (side: Side, direction: "in" | "out"): ReadonlyMap<string, ReadonlySet<bigint>> => {
  const amounts = new Map<string, Set<bigint>>();
  for (const record of side.records) {
    if (record.direction !== direction || record.unreadable !== undefined) continue;
    for (const name of namesOf(record)) {
      const known = amounts.get(name);
      if (known === undefined) amounts.set(name, new Set([amountOf(record)]));
      else known.add(amountOf(record));
    }
  }
  return amounts;
};
