import { compareRecords } from "./entries.ts";
import { type Category, categories, isDifference, judgePaired, type PairedSides, pairSides, type ReconcileOptions, type Result } from "./judge.ts";
import { emptyRecord, type FileRecord, type Side } from "./record.ts";

export type Total = { rows: number; amountMinor: bigint };
/** `count` and `amountMinor` are over the rows of ours, and over theirs where a result has none of ours. */
export type CategorySum = { count: number; amountMinor: bigint; readonly ours: Total; readonly theirs: Total };
export type Summary = ReadonlyMap<Category, CategorySum>;
export type Compared = {
  /** Those that differ, in a fixed order. */
  readonly differing: readonly Result[];
  readonly summary: Summary;
};

/** Compares a file with what is there. Only what differs is kept: matched rows are counted. */
export const compareSides = (ours: Side, theirs: Side, options: ReconcileOptions = {}): Compared => comparePaired(pairSides(ours, theirs, options), options);

/** As `compareSides`, of what is paired already. */
export const comparePaired = (sides: PairedSides, options: ReconcileOptions = {}): Compared => {
  const sums = createSums();
  const differing: Result[] = [];
  const tell = (result: Result): void => {
    sums.add(result);
    if (isDifference(result.category)) differing.push(result);
  };
  judgePaired(sides, tell, options);
  return { differing: differing.sort(compareResults), summary: sums.summary() };
};

export const createSums = () => {
  const sums = new Map<Category, CategorySum>();
  return {
    add({ category, ours, theirs }: Result): void {
      const sum = sums.get(category) ?? { count: 0, amountMinor: 0n, ours: { rows: 0, amountMinor: 0n }, theirs: { rows: 0, amountMinor: 0n } };
      sums.set(category, sum);
      addRows(sum.ours, ours);
      addRows(sum.theirs, theirs);
      const counted = ours.length > 0 ? ours : theirs;
      sum.count += counted.length;
      for (const row of counted) sum.amountMinor += row.amountMinor;
    },
    summary: (): Summary => new Map([...sums].sort(([a], [b]) => categories.indexOf(a) - categories.indexOf(b))),
  };
};

const addRows = (total: Total, rows: readonly FileRecord[]): void => {
  total.rows += rows.length;
  for (const row of rows) total.amountMinor += row.amountMinor;
};

/** Rows by category, then by what they are, then by line: the same input gives the same output. */
const compareResults = (a: Result, b: Result): number =>
  categories.indexOf(a.category) - categories.indexOf(b.category) || compareRecords(firstOf(a), firstOf(b));
const firstOf = (result: Result): FileRecord => result.ours[0] ?? result.theirs[0] ?? emptyRecord;

export const countDifferences = (summary: Summary): number => {
  let count = 0;
  for (const [category, sum] of summary) if (isDifference(category)) count += sum.count;
  return count;
};
