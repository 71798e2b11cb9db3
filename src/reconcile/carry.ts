import { groupBy } from "./group-by.ts";
import type { PairedSides, ReconcileOptions, Result } from "./judge.ts";
import { type CarriedRow, carriedName, type Remembered } from "./memory.ts";
import type { Compared } from "./reconcile.ts";
import type { FileRecord, Side } from "./record.ts";

type OwnFile = { readonly file: string; readonly period: ReconcileOptions["period"] };

/**
 * A file with the rows that earlier files left open. One that the file has itself is dropped, and so is one that an earlier
 * version of this very file had for one of its days. `replaced`: the names of these.
 */
export const withCarried = (side: Side, carried: readonly CarriedRow[], own: OwnFile): { readonly side: Side; readonly replaced: readonly string[] } => {
  if (carried.length === 0) return { side, replaced: [] };
  const rows = new Map(carried.flatMap((row): [string, CarriedRow][] => [[carriedName(row.record) ?? "", row]]));
  const replaced: string[] = [];
  const drop = (name: string): void => {
    if (rows.delete(name)) replaced.push(name);
  };
  for (const { record, file, day } of carried) {
    if (file === own.file && own.period !== undefined && day >= own.period.from && day <= own.period.to) drop(carriedName(record) ?? "");
  }
  const byReference = groupBy(carried, ({ record }) => record.reference);
  for (const record of side.records) {
    if (record.receipt !== undefined) drop(carriedName(record) ?? "");
    for (const { record: open } of record.reference === undefined ? [] : (byReference.get(record.reference) ?? []))
      if (isSameRow(open, record)) drop(carriedName(open) ?? "");
  }
  return { side: { ...side, records: [...side.records, ...[...rows.values()].map(({ record }) => record)] }, replaced };
};

/** Two rows of one reference: the same order again, or this month's rent beside last month's. */
const isSameRow = (open: FileRecord, record: FileRecord): boolean => {
  if (open.id !== undefined && record.id !== undefined) return open.id === record.id;
  return open.at === undefined || record.at === undefined || open.at.slice(0, 10) === record.at.slice(0, 10);
};

type Ended = { readonly sides: PairedSides; readonly compared: Compared; readonly gone: readonly string[] };
type Run = OwnFile & Pick<ReconcileOptions, "dayOf"> & { readonly now: string };

/** What a run leaves for the next: the pairs, the rows here that stayed open, and the names of those that did not. */
export const openRowsOf = ({ sides, compared, gone }: Ended, run: Run) => {
  const open = compared.differing.filter(isOpen).flatMap(({ ours }) => ours.filter((record) => record.carried === undefined));
  const closed = compared.pairedCarried.flatMap((record) => carriedName(record) ?? []);
  const dayOfRun = run.dayOf?.(run.now) ?? run.now.slice(0, 10);
  const dayOf = (record: FileRecord): string | undefined => (record.at === undefined ? undefined : run.dayOf?.(record.at));
  return {
    paired: rememberedOf(sides, compared, { ...run, dayOf }),
    open: open.map((record): CarriedRow => ({ record, file: run.file, day: dayOf(record) ?? dayOfRun })),
    gone: [...gone, ...closed],
  };
};

const isOpen = ({ category, ours }: Result): boolean => (category === "missing_there" || category === "open_there") && ours.length > 0;

type Days = OwnFile & { readonly dayOf: (record: FileRecord) => string | undefined };
function* rememberedOf({ pairing }: PairedSides, { differing }: Compared, { file, period, dayOf }: Days): Iterable<Remembered> {
  for (const { ours, theirs } of pairing.pairs) {
    const day = dayOf(ours);
    if (theirs.id !== undefined && theirs.state !== "unpaid")
      yield { id: theirs.id, reference: theirs.reference, with: day === undefined ? { file } : { day } };
  }
  // A further payment of an order belongs to the days of its file.
  if (period === undefined) return;
  for (const { category, theirs } of differing) {
    if (category !== "duplicate_there") continue;
    for (const { id, reference } of theirs) if (id !== undefined) yield { id, reference, with: { day: period.from } };
  }
}
