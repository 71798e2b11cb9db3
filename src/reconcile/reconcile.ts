import { countOf } from "../money/grouped.ts";
import { amountOf, compareRecords } from "./entries.ts";
import { type Category, categories, isDifference, judgePaired, type PairedSides, pairSides, type ReconcileOptions, type Result } from "./judge.ts";
import type { Pairing } from "./pair.ts";
import { emptyRecord, type FileRecord, type Side } from "./record.ts";
import { addSuggestions } from "./suggestions.ts";

/** `amountMinor` adds the amounts as they are; `paidMinor` those that were paid, money out being negative on either side. */
export type Total = { rows: number; amountMinor: bigint; paidMinor: bigint };
/** `count` and `amountMinor` are over the rows of ours, and over theirs where a result has none of ours. */
export type CategorySum = { count: number; amountMinor: bigint; readonly ours: Total; readonly theirs: Total };
export type Summary = ReadonlyMap<Category, CategorySum>;
export type Compared = {
  /** Those that differ, in a fixed order. */
  readonly differing: readonly Result[];
  readonly summary: Summary;
  /** Rows that earlier files left open and that found nothing again. They are in no result and no sum. */
  readonly carried: readonly FileRecord[];
  /** Those that are open no more: they are in a result. */
  readonly pairedCarried: readonly FileRecord[];
  /** By how many hours nearly all times there are off from those of the same rows here, if they are. */
  readonly hoursOff?: number | undefined;
};

const laterMax = 1000;

/** Compares a file with what is there. Only what differs is kept: matched rows are counted. */
export const compareSides = (ours: Side, theirs: Side, options: ReconcileOptions = {}): Compared => comparePaired(pairSides(ours, theirs, options), options);

/** As `compareSides`, of what is paired already. */
export const comparePaired = (sides: PairedSides, options: ReconcileOptions = {}): Compared => {
  const sums = createSums();
  const differing: Result[] = [];
  const pairedCarried: FileRecord[] = [];
  const later: FileRecord[] = [];
  const tell = (result: Result): void => {
    sums.add(result);
    if (isDifference(result.category)) differing.push(result);
    // A settlement comes days after what it pays; the service lists the payments themselves.
    else if (result.category === "other_period" && sides.theirs === "statement" && later.length < laterMax) later.push(...result.theirs);
    if (result.category === "open_there" || result.category === "ambiguous") return;
    for (const row of result.ours) if (row.carried !== undefined) pairedCarried.push(row);
  };
  judgePaired(sides, tell, options);
  const carried = sides.pairing.oursLeft.filter((entry) => entry.carried !== undefined);
  const hoursOff = hoursBetween(sides.pairing.pairs);
  return { differing: addSuggestions(differing.sort(compareResults), later), summary: sums.summary(), carried, pairedCarried, hoursOff };
};

const timesMax = 1000;
const nearMinutes = 10;
/** Payments follow orders by minutes, or by times that differ from row to row: the same whole hours again and again are another zone's. */
const hoursBetween = (pairs: Pairing["pairs"]): number | undefined => {
  const found = new Map<number, number>();
  let known = 0;
  for (const { ours, theirs } of pairs) {
    if (known === timesMax) break;
    if ((ours.at?.length ?? 0) <= 10 || (theirs.at?.length ?? 0) <= 10) continue;
    known += 1;
    const minutes = (Date.parse(theirs.at ?? "") - Date.parse(ours.at ?? "")) / 60_000;
    const hours = Math.round(minutes / 60);
    if (Math.abs(minutes - hours * 60) <= nearMinutes) found.set(hours, (found.get(hours) ?? 0) + 1);
  }
  for (const [hours, count] of found) if (known > 2 && count * 4 >= known * 3 && hours !== 0 && Math.abs(hours) <= 14) return hours;
  return undefined;
};

export const createSums = () => {
  const sums = new Map<Category, CategorySum>();
  return {
    add({ category, ours, theirs }: Result): void {
      const sum = sums.get(category) ?? { count: 0, amountMinor: 0n, ours: emptyTotal(), theirs: emptyTotal() };
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

const emptyTotal = (): Total => ({ rows: 0, amountMinor: 0n, paidMinor: 0n });
const addRows = (total: Total, rows: readonly FileRecord[]): void => {
  total.rows += rows.length;
  for (const row of rows) {
    total.amountMinor += row.amountMinor;
    if (row.state === "paid") total.paidMinor += row.direction === "out" ? -amountOf(row) : amountOf(row);
  }
};

/** What was paid here less what was paid there, over everything that differs. */
export const differenceOf = ({ ours, theirs }: Pick<CategorySum, "ours" | "theirs">): bigint => ours.paidMinor - theirs.paidMinor;

/** Money out there that no row here asks for: it is missing here too, and no customer's payment. */
export const payoutsNotAskedFor = ({ differing }: Pick<Compared, "differing">): Total => {
  const total = emptyTotal();
  for (const { category, theirs } of differing)
    if (category === "missing_here")
      addRows(
        total,
        theirs.filter(({ direction }) => direction === "out"),
      );
  return total;
};

/** Rows by category, then by what they are, then by line: the same input gives the same output. */
const compareResults = (a: Result, b: Result): number =>
  categories.indexOf(a.category) - categories.indexOf(b.category) || compareRecords(firstOf(a), firstOf(b));
const firstOf = (result: Result): FileRecord => result.ours[0] ?? result.theirs[0] ?? emptyRecord;

/**
 * Said where nothing pairs though both sides have rows: then a column was believed that is not what the other side means by a
 * reference. Empty where something pairs, or a side has too few rows to say so.
 */
export const nothingPairs = ({ summary, differing }: Pick<Compared, "summary" | "differing">): readonly string[] => {
  if (
    (["matched", "missed_callback", "status_conflict", "amount_mismatch", "ambiguous", "open_there"] as const).some(
      (each) => (summary.get(each)?.ours.rows ?? 0) > 0,
    )
  )
    return [];
  const shown = (side: "ours" | "theirs"): readonly string[] =>
    differing
      .flatMap((result) => (result.category === (side === "ours" ? "missing_there" : "missing_here") ? result[side] : []))
      .map(({ reference, receipt }) => reference ?? receipt ?? "none");
  const [here, there] = [shown("ours"), shown("theirs")];
  if (here.length < 2 || there.length < 2) return [];
  return [
    `Nothing pairs: no reference or receipt here (such as ${here.slice(0, 2).join(", ")}) is there (such as ${there.slice(0, 2).join(", ")}). If another column holds them, name it with --columns or --against-columns.`,
  ];
};

/** Said because rows near midnight count among those of another day, where nobody looks for them. */
export const otherZone = ({ hoursOff = 0 }: Pick<Compared, "hoursOff">): readonly string[] =>
  hoursOff === 0
    ? []
    : [
        `Times: those there are ${countOf(Math.abs(hoursOff), "hour")} ${hoursOff < 0 ? "before" : "after"} those of the same rows here, again and again. If a file is in another zone, name it with --zone (--against-zone for the second file).`,
      ];

export const countDifferences = (summary: Summary): number => {
  let count = 0;
  for (const [category, sum] of summary) if (isDifference(category)) count += sum.count;
  return count;
};
