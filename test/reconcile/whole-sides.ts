import type { Keys, Place } from "../../src/reconcile/keys.ts";
import { createSums, type Result, reconcileInto, type Summary } from "../../src/reconcile/reconcile.ts";
import type { FileRecord, Side, SideKind } from "../../src/reconcile/record.ts";
import { createRowColumns, type StoredSide } from "../../src/reconcile/stored-side.ts";

/** Compares two sides by the exact rules alone, and gives every result, also of what matched. */
export const compareWhole = (ours: Side, theirs: Side): { readonly results: Result[]; readonly summary: Summary } => {
  const results: Result[] = [];
  const sums = createSums();
  reconcileInto(ours, theirs, (result) => {
    sums.add(result);
    results.push(result);
  });
  return { results, summary: sums.summary() };
};

/** A side as a command holds it, of records that are at hand. */
export const storedSide = (kind: SideKind, place: Place, records: readonly FileRecord[], keys: Keys): StoredSide => {
  const rows = createRowColumns(kind, place, keys);
  for (const record of records) rows.add(record);
  return {
    kind,
    rows,
    collect: async (isWanted, onRecord) => {
      for (const [index, record] of records.entries()) if (isWanted(index)) onRecord(record, index);
    },
  };
};
