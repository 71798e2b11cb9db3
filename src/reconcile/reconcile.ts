import type { StatusClass } from "../transactions/status.ts";
import { type Alone, amountOf, compareRecords, type Entry, isReversedEntry, rowsOf, settleAlone } from "./entries.ts";
import { type Pair, type Pairing, pairEntries, type Tie } from "./pair.ts";
import { pairReason, tieReason } from "./reasons.ts";
import { emptyRecord, type FileRecord, type Side, type SideKind } from "./record.ts";

/** rules.md, `tx reconcile --json`, in the order they are shown. */
export const categories = [
  "matched",
  "missed_callback",
  "status_conflict",
  "amount_mismatch",
  "missing_there",
  "missing_here",
  "duplicate_here",
  "duplicate_there",
  "ambiguous",
  "open_there",
  "ignored",
  "unreadable",
] as const;
export type Category = (typeof categories)[number];
export const isDifference = (category: Category): boolean => category !== "matched" && category !== "ignored";

export type Result = {
  readonly category: Category;
  /** Ours, else theirs. */
  readonly reference: string | undefined;
  readonly ours: readonly FileRecord[];
  readonly theirs: readonly FileRecord[];
  /** In words. */
  readonly reason: string;
};
export type Total = { readonly rows: number; readonly amountMinor: bigint };
/** `count` and `amountMinor` are over the rows of ours, and over theirs where a result has none of ours. */
export type CategorySum = { readonly count: number; readonly amountMinor: bigint; readonly ours: Total; readonly theirs: Total };
export type Summary = ReadonlyMap<Category, CategorySum>;

export type ReconcileOptions = {
  /** Days (YYYY-MM-DD) of our file: what is missing here outside of them is another file's. */
  readonly period?: { readonly from: string; readonly to: string } | undefined;
  /** The day of an instant, in the zone of the files. */
  readonly dayOf?: ((at: string) => string | undefined) | undefined;
};

/**
 * Compares two sides by the table of test/cases/README.md. `tell` gets every result, each record of both sides in exactly one of
 * them; the order is the same whatever order the rows came in.
 */
export const reconcileInto = (ours: Side, theirs: Side, tell: (result: Result) => void, options: ReconcileOptions = {}): void => {
  const here = settleAlone(ours);
  const there = settleAlone(theirs);
  const pairing = pairEntries(here.entries, there.entries);
  const used = createUsed(pairing, there.entries);
  for (const [index, one] of pairing.ours.entries()) {
    const other = pairing.theirs[index];
    const how = pairing.how[index];
    if (other !== undefined && how !== undefined) tell(judgePair({ ours: one, theirs: other, how }));
  }
  for (const tie of pairing.ties) tell(toTieResult(tie));
  for (const entry of pairing.oursLeft) tell(leftHere(entry, ours.kind, theirs.kind, used));
  for (const entry of pairing.theirsLeft) tell(leftThere(entry, ours.kind, used, options));
  for (const one of here.alone) tell(toAloneResult(one, "ours"));
  for (const one of there.alone) tell(toAloneResult(one, "theirs"));
};

export const judgePair = (pair: Pair): Result => {
  const category = categoryOfPair(pair.ours.state, pair.theirs.state, amountOf(pair.ours) === amountOf(pair.theirs));
  const { ours, theirs } = pair;
  return { category, reference: ours.reference ?? theirs.reference, ours: rowsOf(ours), theirs: rowsOf(theirs), reason: pairReason(pair, category) };
};

/** The first that fits (cases/README.md). */
export const categoryOfPair = (ours: StatusClass, theirs: StatusClass, sameAmount: boolean): Category => {
  if (theirs === "open") return "open_there";
  if (theirs === "unpaid") return ours === "unpaid" ? "matched" : "status_conflict";
  if (!sameAmount) return "amount_mismatch";
  if (ours === "paid") return "matched";
  return ours === "open" ? "missed_callback" : "status_conflict";
};

const toTieResult = (tie: Tie): Result => {
  const ours = tie.ours.flatMap(rowsOf);
  const theirs = tie.theirs.flatMap(rowsOf);
  const firstReference = (rows: readonly FileRecord[]): string | undefined => rows.find((row) => row.reference !== undefined)?.reference;
  return { category: "ambiguous", reference: firstReference(ours) ?? firstReference(theirs), ours, theirs, reason: tieReason(tie) };
};

const toAloneResult = ({ record, category, reason }: Alone, side: "ours" | "theirs"): Result => ({
  category: category === "duplicate" ? (side === "ours" ? "duplicate_here" : "duplicate_there") : category,
  reference: record.reference,
  ours: side === "ours" ? [record] : [],
  theirs: side === "theirs" ? [record] : [],
  reason,
});

/** References and receipts that a pair has used, by direction: a refund is no second payment. */
type Used = {
  readonly reference: (entry: Entry) => boolean;
  readonly receipt: (entry: Entry) => boolean;
  /** Money of the other direction there has this reference. */
  readonly otherWay: (entry: Entry) => boolean;
};
/** For what shares neither reference nor receipt with anything. */
export const nothingUsed: Used = { reference: () => false, receipt: () => false, otherWay: () => false };
const nameOf = (entry: Entry, text: string): string => (entry.direction === "out" ? `-${text}` : `+${text}`);
/** Only what is left over is asked about, so only its names are looked for among the pairs. */
const createUsed = (pairing: Pairing, there: readonly Entry[]): Used => {
  const asked = new Set<string>();
  for (const entry of [...pairing.oursLeft, ...pairing.theirsLeft]) {
    if (entry.reference !== undefined) asked.add(nameOf(entry, entry.reference));
    if (entry.receipt !== undefined) asked.add(nameOf(entry, entry.receipt));
  }
  const references = new Set<string>();
  const receipts = new Set<string>();
  const look = (entry: Entry): void => {
    if (entry.reference !== undefined && asked.has(nameOf(entry, entry.reference))) references.add(nameOf(entry, entry.reference));
    if (entry.receipt !== undefined && asked.has(nameOf(entry, entry.receipt))) receipts.add(nameOf(entry, entry.receipt));
  };
  if (asked.size > 0) for (const side of [pairing.ours, pairing.theirs]) for (const entry of side) look(entry);
  const turned = (entry: Entry): string => `${entry.direction === "out" ? "+" : "-"}${entry.reference ?? ""}`;
  const wanted = new Set<string>();
  for (const entry of pairing.oursLeft) if (entry.reference !== undefined) wanted.add(turned(entry));
  const otherWay = new Set<string>();
  if (wanted.size > 0) {
    for (const entry of there) {
      if (entry.reference === undefined || entry.direction === "unknown") continue;
      const name = nameOf(entry, entry.reference);
      if (wanted.has(name)) otherWay.add(name);
    }
  }
  return {
    otherWay: (entry) => entry.reference !== undefined && otherWay.has(turned(entry)),
    reference: (entry) => entry.reference !== undefined && references.has(nameOf(entry, entry.reference)),
    receipt: (entry) => entry.receipt !== undefined && receipts.has(nameOf(entry, entry.receipt)),
  };
};

export const leftHere = (entry: Entry, ours: SideKind, theirs: SideKind, used: Used): Result => {
  const base = { reference: entry.reference, ours: rowsOf(entry), theirs: [] };
  if (entry.state === "unpaid") {
    return {
      ...base,
      category: "ignored",
      reason: isReversedEntry(entry) ? "paid and reversed: nothing is owed there" : "ended unpaid here: there is nothing to find",
    };
  }
  // Assumed: a receipt that a pair has is the same payment again, though its balance or time be written otherwise.
  if (used.receipt(entry)) return { ...base, category: "duplicate_here", reason: `receipt ${entry.receipt ?? ""} comes a second time here` };
  if (ours === "orders" && used.reference(entry)) {
    return { ...base, category: "duplicate_here", reason: "this reference is listed again here, and its payment already belongs to another row" };
  }
  const where = theirs === "service" ? "no transaction" : "no row";
  const name = entry.reference === undefined ? "this amount" : `reference ${entry.reference}`;
  const receipt = entry.receipt === undefined ? "" : ` or receipt ${entry.receipt}`;
  const flow = used.otherWay(entry) ? otherWayReason(entry, theirs) : "";
  return { ...base, category: "missing_there", reason: `${where} there for ${name}${receipt}${flow}` };
};

/** Said because whoever looks up the reference there does find something. */
const otherWayReason = (entry: Entry, theirs: SideKind): string => {
  const what = theirs === "service" ? "transaction" : "row";
  return entry.direction === "out"
    ? `; the ${what} of this reference there is a payment in, and this row is money out`
    : `; the ${what} of this reference there is a payout (money out), and this row is money in`;
};

export const leftThere = (entry: Entry, ours: SideKind, used: Used, { period, dayOf }: ReconcileOptions): Result => {
  const base = { reference: entry.reference, ours: [], theirs: rowsOf(entry) };
  const status = entry.status ?? entry.state;
  if (entry.state === "unpaid") {
    return {
      ...base,
      category: "ignored",
      reason: isReversedEntry(entry) ? "paid and reversed there: there is nothing to find" : `${status} there: there is nothing to find`,
    };
  }
  if (entry.state === "open") return { ...base, category: "open_there", reason: `${status} there: not decided yet, and nothing here` };
  if (used.receipt(entry)) return { ...base, category: "duplicate_there", reason: `receipt ${entry.receipt ?? ""} comes a second time there` };
  if (ours === "orders" && used.reference(entry)) {
    return { ...base, category: "duplicate_there", reason: `paid there a second time under ${entry.reference ?? "this reference"}` };
  }
  const at = entry.at;
  const day = at === undefined ? undefined : dayOf?.(at);
  if (period !== undefined && day !== undefined && (day < period.from || day > period.to)) {
    return { ...base, category: "ignored", reason: `of ${day}, outside the file's own days (${period.from} to ${period.to})` };
  }
  const what = ours === "orders" ? "no order" : "no row";
  const dated = day === undefined ? " (no date known there: it may be of other days than this file)" : "";
  return { ...base, category: "missing_here", reason: `${entry.direction === "out" ? "paid out" : "paid"} there, ${what} here${dated}` };
};

type OpenSum = { count: number; amountMinor: bigint; ours: { rows: number; amountMinor: bigint }; theirs: { rows: number; amountMinor: bigint } };

export const createSums = () => {
  const sums = new Map<Category, OpenSum>();
  const sumOf = (category: Category): OpenSum => {
    const known = sums.get(category);
    if (known !== undefined) return known;
    const sum = { count: 0, amountMinor: 0n, ours: { rows: 0, amountMinor: 0n }, theirs: { rows: 0, amountMinor: 0n } };
    sums.set(category, sum);
    return sum;
  };
  return {
    /** Rows that are counted without a result: none of a kind without rows. */
    addTotals(category: Category, ours: Total, theirs: Total, counted: Total): void {
      if (ours.rows + theirs.rows === 0) return;
      const sum = sumOf(category);
      sum.ours.rows += ours.rows;
      sum.ours.amountMinor += ours.amountMinor;
      sum.theirs.rows += theirs.rows;
      sum.theirs.amountMinor += theirs.amountMinor;
      sum.count += counted.rows;
      sum.amountMinor += counted.amountMinor;
    },
    add({ category, ours, theirs }: Result): void {
      const sum = sumOf(category);
      for (const [rows, total] of [
        [ours, sum.ours],
        [theirs, sum.theirs],
      ] as const) {
        total.rows += rows.length;
        for (const row of rows) total.amountMinor += row.amountMinor;
      }
      const counted = ours.length > 0 ? ours : theirs;
      sum.count += counted.length;
      for (const row of counted) sum.amountMinor += row.amountMinor;
    },
    summary: (): Summary =>
      new Map(
        categories.flatMap((category) => {
          const sum = sums.get(category);
          return sum === undefined ? [] : [[category, sum] as const];
        }),
      ),
  };
};

/** Rows by category, then by what they are, then by line: the same input gives the same output. */
export const compareResults = (a: Result, b: Result): number =>
  categories.indexOf(a.category) - categories.indexOf(b.category) || compareRecords(firstOf(a), firstOf(b));
const firstOf = (result: Result): FileRecord => result.ours[0] ?? result.theirs[0] ?? emptyRecord;

export const countDifferences = (summary: Summary): number => {
  let count = 0;
  for (const [category, sum] of summary) if (isDifference(category)) count += sum.count;
  return count;
};
