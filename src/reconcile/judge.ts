import type { StatusClass } from "../transactions/status.ts";
import { type Alone, amountOf, type Entry, isReversedEntry, rowsOf, settleAlone } from "./entries.ts";
import { type Pair, type Pairing, pairEntries, type Tie } from "./pair.ts";
import { pairReason, tieReason } from "./reasons.ts";
import type { FileRecord, Side, SideKind } from "./record.ts";

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
export type ReconcileOptions = {
  /** Days (YYYY-MM-DD) of our file: what is missing here outside of them is another file's. */
  readonly period?: { readonly from: string; readonly to: string } | undefined;
  /** The day of an instant, in the zone of the files. */
  readonly dayOf?: ((at: string) => string | undefined) | undefined;
};

/**
 * Compares two sides by the table of test/cases/README.md. `tell` gets every result, each record of both sides in exactly one of
 * them.
 */
export const judgeSides = (ours: Side, theirs: Side, tell: (result: Result) => void, options: ReconcileOptions = {}): void => {
  const here = settleAlone(ours);
  const there = settleAlone(theirs);
  const pairing = pairEntries(here.entries, there.entries);
  const used = createUsed(pairing, there.entries);
  for (const pair of pairing.pairs) tell(judgePair(pair));
  for (const tie of pairing.ties) tell(toTieResult(tie));
  for (const entry of pairing.oursLeft) tell(leftHere(entry, ours.kind, theirs.kind, used));
  for (const entry of pairing.theirsLeft) tell(leftThere(entry, ours.kind, used, options));
  for (const one of here.alone) tell(toAloneResult(one, "ours"));
  for (const one of there.alone) tell(toAloneResult(one, "theirs"));
};

const judgePair = (pair: Pair): Result => {
  const category = categoryOfPair(pair.ours.state, pair.theirs.state, amountOf(pair.ours) === amountOf(pair.theirs));
  const { ours, theirs } = pair;
  return { category, reference: ours.reference ?? theirs.reference, ours: rowsOf(ours), theirs: rowsOf(theirs), reason: pairReason(pair, category) };
};

/** The first that fits (cases/README.md). */
const categoryOfPair = (ours: StatusClass, theirs: StatusClass, sameAmount: boolean): Category => {
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

/** What the pairs have used already. Every name goes with its direction: a refund is no second payment. */
type Used = {
  readonly reference: (entry: Entry) => boolean;
  readonly receipt: (entry: Entry) => boolean;
  /** Money of the other direction there has this reference. */
  readonly otherWay: (entry: Entry) => boolean;
};
type Name = (entry: Entry) => string | undefined;
const signed = (isOut: boolean, text: string | undefined): string | undefined => (text === undefined ? undefined : `${isOut ? "-" : "+"}${text}`);
const referenceName: Name = ({ direction, reference }) => signed(direction === "out", reference);
const receiptName: Name = ({ direction, receipt }) => signed(direction === "out", receipt);
const otherWayName: Name = ({ direction, reference }) => signed(direction !== "out", reference);

const createUsed = ({ pairs, oursLeft, theirsLeft }: Pairing, there: readonly Entry[]): Used => {
  const left = [...oursLeft, ...theirsLeft];
  const paired = left.length === 0 ? [] : pairs.flatMap(({ ours, theirs }) => [ours, theirs]);
  const references = namesIn(paired, referenceName, namesIn(left, referenceName));
  const receipts = namesIn(paired, receiptName, namesIn(left, receiptName));
  const directed = there.filter(({ direction }) => direction !== "unknown");
  const otherWay = namesIn(directed, referenceName, namesIn(oursLeft, otherWayName));
  const has = (names: ReadonlySet<string>, name: string | undefined): boolean => name !== undefined && names.has(name);
  return {
    reference: (entry) => has(references, referenceName(entry)),
    receipt: (entry) => has(receipts, receiptName(entry)),
    otherWay: (entry) => has(otherWay, otherWayName(entry)),
  };
};

/** The names of these entries; with `wanted`, only those: the names of a million pairs are not kept for a few rows left over. */
const namesIn = (entries: readonly Entry[], nameOf: Name, wanted?: ReadonlySet<string>): ReadonlySet<string> => {
  const names = new Set<string>();
  if (wanted?.size === 0) return names;
  for (const entry of entries) {
    const name = nameOf(entry);
    if (name !== undefined && (wanted === undefined || wanted.has(name))) names.add(name);
  }
  return names;
};

const leftHere = (entry: Entry, ours: SideKind, theirs: SideKind, used: Used): Result => {
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

const leftThere = (entry: Entry, ours: SideKind, used: Used, { period, dayOf }: ReconcileOptions): Result => {
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
