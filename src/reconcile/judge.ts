import type { StatusClass } from "../transactions/status.ts";
import { type Alone, amountOf, areOfOneCurrency, type Entry, isReversedEntry, rowsOf, settleAlone } from "./entries.ts";
import { looseReference } from "./loose-reference.ts";
import type { PairedWith } from "./memory.ts";
import { type Earlier, type Pair, type Pairing, pairEntries, type Tie } from "./pair.ts";
import { findParts, noParts, type Parts } from "./parts.ts";
import { pairReason, tieReason } from "./reasons.ts";
import { receiptKey } from "./receipts.ts";
import type { FileRecord, Side, SideKind } from "./record.ts";

/** Rows that may belong to a row that found nothing. A person decides: nothing of it counts as matched. */
export type Suggestion = { readonly because: string; readonly records: readonly FileRecord[] };

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
  "other_period",
  "unreadable",
] as const;
export type Category = (typeof categories)[number];
export const isDifference = (category: Category): boolean => category !== "matched" && category !== "ignored" && category !== "other_period";

export type Result = {
  readonly category: Category;
  /** Ours, else theirs. */
  readonly reference: string | undefined;
  readonly ours: readonly FileRecord[];
  readonly theirs: readonly FileRecord[];
  /** In words. */
  readonly reason: string;
  readonly suggestions?: readonly Suggestion[] | undefined;
};
export type ReconcileOptions = {
  /** Days (YYYY-MM-DD) of our file: what is paid there on other days is another file's. */
  readonly period?: { readonly from: string; readonly to: string } | undefined;
  /** The day of an instant, in the zone of the files. */
  readonly dayOf?: ((at: string) => string | undefined) | undefined;
  /** What our file is called. */
  readonly file?: string | undefined;
  /** What an earlier run paired this row there with. */
  readonly pairedBefore?: ((theirs: FileRecord) => PairedWith | undefined) | undefined;
  /** Between which instants (ISO 8601 UTC) a row there without a date was made, as far as is known. */
  readonly boundsOf?: ((theirs: FileRecord) => Bounds) | undefined;
};
export type Bounds = { readonly notBefore?: string | undefined; readonly notAfter?: string | undefined };

/** Two sides after pairing, before anything is judged. */
export type PairedSides = {
  readonly ours: SideKind;
  readonly theirs: SideKind;
  readonly alone: { readonly here: readonly Alone[]; readonly there: readonly Alone[] };
  readonly thereEntries: readonly Entry[];
  readonly pairing: Pairing;
};

/** Pairs two sides by the table of test/cases/README.md. */
export const pairSides = (ours: Side, theirs: Side, options: ReconcileOptions = {}): PairedSides => {
  const here = settleAlone(ours);
  const there = settleAlone(theirs);
  return {
    ours: ours.kind,
    theirs: theirs.kind,
    alone: { here: here.alone, there: there.alone },
    thereEntries: there.entries,
    pairing: pairEntries(here.entries, there.entries, earlierOf(options)),
  };
};

const earlierOf = ({ file, pairedBefore, dayOf }: ReconcileOptions): Earlier | undefined => {
  if (pairedBefore === undefined) return undefined;
  // The same order may be exported with a date one day and without one the next.
  const day = (ours: Entry): string | undefined => (ours.at === undefined ? undefined : dayOf?.(ours.at));
  return {
    isPaired: (theirs) => pairedBefore(theirs) !== undefined,
    isOfDays(theirs, days) {
      const before = pairedBefore(theirs);
      if (before === undefined) return false;
      return "day" in before ? days.has(before.day) : before.file !== undefined && before.file === file && days.has(undefined);
    },
    dayOf: day,
    isUsedByAnother(ours, theirs) {
      const [own, before] = [day(ours), pairedBefore(theirs)];
      return own !== undefined && before !== undefined && "day" in before && own !== before.day;
    },
  };
};

/**
 * Judges two sides by the table of test/cases/README.md. `tell` gets every result, each record of both sides in exactly one of
 * them, except rows carried from earlier files that found nothing again.
 */
export const judgePaired = (sides: PairedSides, tell: (result: Result) => void, options: ReconcileOptions = {}): void => {
  const { pairing, alone } = sides;
  const used = createUsed(pairing, sides.thereEntries);
  const parts = sides.ours === "orders" ? findParts(pairing) : noParts;
  for (const pair of pairing.pairs) tell(judgePair(pair, parts));
  for (const tie of pairing.ties) tell(toTieResult(tie));
  for (const entry of pairing.oursLeft) if (entry.carried === undefined) tell(leftHere(entry, sides.ours, sides.theirs, used));
  for (const entry of pairing.theirsLeft) tell(leftThere(entry, { kind: sides.ours, used, parts }, options));
  for (const one of alone.here) tell(toAloneResult(one, "ours"));
  for (const one of alone.there) tell(toAloneResult(one, "theirs"));
};

/** Rows there that would be called missing here, and of which no date is known yet: their details may tell one. */
export const undatedLeft = (sides: PairedSides, options: ReconcileOptions): readonly Entry[] => {
  const used = createUsed(sides.pairing, sides.thereEntries);
  return sides.pairing.theirsLeft.filter(
    (entry) => entry.at === undefined && leftThere(entry, { kind: sides.ours, used, parts: noParts }, options).category === "missing_here",
  );
};

const judgePair = (pair: Pair, parts: Parts): Result => {
  const category = categoryOfPair(
    pair.ours.state,
    pair.theirs.state,
    amountOf(pair.ours) === amountOf(pair.theirs) && areOfOneCurrency(pair.ours, pair.theirs),
  );
  const { ours, theirs } = pair;
  const together = category === "amount_mismatch" ? parts.get(theirs) : undefined;
  const reason = `${pairReason(pair, category)}${together === undefined ? "" : `: ${together}`}`;
  return { category, reference: ours.reference ?? theirs.reference, ours: rowsOf(ours), theirs: rowsOf(theirs), reason };
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
  /** By a row of this very file: last month's rent of an earlier file is not this month's. */
  readonly referenceHere: (entry: Entry) => boolean;
  readonly receipt: (entry: Entry) => boolean;
  /** Money of the other direction there has this reference. */
  readonly otherWay: (entry: Entry) => boolean;
};
type Name = (entry: Entry) => string | undefined;
const signed = (isOut: boolean, text: string | undefined): string | undefined => (text === undefined ? undefined : `${isOut ? "-" : "+"}${text}`);
const referenceName: Name = ({ direction, reference }) => signed(direction === "out", reference);
const receiptName: Name = ({ direction, receipt }) => signed(direction === "out", receiptKey(receipt));
const otherWayName: Name = ({ direction, reference }) => signed(direction !== "out", reference);

const createUsed = ({ pairs, oursLeft, theirsLeft }: Pairing, there: readonly Entry[]): Used => {
  const left = [...oursLeft, ...theirsLeft];
  // What is paired by its receipt, with a row of another reference or of none, may have the name of an account that many share.
  const isOther = ({ ours, theirs, how }: Pair): boolean =>
    ours.reference === undefined || (how === "receipt" && looseReference(ours.reference) !== looseReference(theirs.reference ?? ""));
  const bothOf = (pair: Pair): readonly Entry[] => [pair.ours, isOther(pair) ? { ...pair.theirs, reference: undefined } : pair.theirs];
  const paired = left.length === 0 ? [] : pairs.flatMap(bothOf);
  const pairedHere = oursLeft.length === 0 ? [] : pairs.filter(({ ours }) => ours.carried === undefined).flatMap(bothOf);
  const references = namesIn(paired, referenceName, namesIn(left, referenceName));
  const referencesHere = namesIn(pairedHere, referenceName, namesIn(oursLeft, referenceName));
  const receipts = namesIn(paired, receiptName, namesIn(left, receiptName));
  const directed = there.filter(({ direction }) => direction !== "unknown");
  const otherWay = namesIn(directed, referenceName, namesIn(oursLeft, otherWayName));
  const has = (names: ReadonlySet<string>, name: string | undefined): boolean => name !== undefined && names.has(name);
  return {
    reference: (entry) => has(references, referenceName(entry)),
    referenceHere: (entry) => has(referencesHere, referenceName(entry)),
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

type Said = (category: Category, reason: string) => Result;
const leftHere = (entry: Entry, ours: SideKind, theirs: SideKind, used: Used): Result => {
  const { reference, receipt } = entry;
  const say: Said = (category, reason) => ({ category, reference, ours: rowsOf(entry), theirs: [], reason });
  if (entry.state === "unpaid")
    return say("ignored", isReversedEntry(entry) ? "paid and reversed: nothing is owed there" : "ended unpaid here: there is nothing to find");
  // Assumed: a receipt that a pair has is the same payment again, though its balance or time be written otherwise.
  if (used.receipt(entry)) return say("duplicate_here", `receipt ${receipt ?? ""} comes a second time here`);
  if (ours === "orders" && used.referenceHere(entry))
    return say("duplicate_here", "this reference is listed again here, and its payment already belongs to another row");
  if (entry.amountMinor === 0n) return say("ignored", "the row asks for no money");
  const where = theirs === "service" ? "no transaction" : "no row";
  const name = `${reference === undefined ? "this amount" : `reference ${reference}`}${receipt === undefined ? "" : ` or receipt ${receipt}`}`;
  return say("missing_there", `${where} there for ${name}${used.otherWay(entry) ? otherWayReason(entry, theirs) : ""}`);
};

/** Said because whoever looks up the reference there does find something. */
const otherWayReason = (entry: Entry, theirs: SideKind): string => {
  const what = theirs === "service" ? "transaction" : "row";
  return entry.direction === "out"
    ? `; the ${what} of this reference there is a payment in, and this row is money out`
    : `; the ${what} of this reference there is a payout (money out), and this row is money in`;
};

type Left = { readonly kind: SideKind; readonly used: Used; readonly parts: Parts };
const leftThere = (entry: Entry, { kind, used, parts }: Left, options: ReconcileOptions): Result => {
  const { reference, receipt, status = entry.state } = entry;
  const say: Said = (category, reason) => ({ category, reference, ours: [], theirs: rowsOf(entry), reason });
  if (entry.state === "unpaid")
    return say("ignored", isReversedEntry(entry) ? "paid and reversed there: there is nothing to find" : `${status} there: there is nothing to find`);
  if (entry.state === "open") return say("open_there", `${status} there: not decided yet, and nothing here`);
  const isOfUsed = kind === "orders" && used.reference(entry);
  const earlier = pairedInOtherFile(entry, isOfUsed, options);
  if (earlier !== undefined) return say("other_period", earlier);
  if (used.receipt(entry)) return say("duplicate_there", `receipt ${receipt ?? ""} comes a second time there`);
  if (isOfUsed || parts.has(entry)) return say("duplicate_there", parts.get(entry) ?? `paid there a second time under ${reference ?? "this reference"}`);
  const other = otherDay(entry, options);
  if (other !== undefined) return say("other_period", other);
  const what = kind === "orders" ? "no order" : "no row";
  const dated = entry.at === undefined && options.period !== undefined ? " (no date known there: it may be of other days than this file)" : "";
  return say("missing_here", `${entry.direction === "out" ? "paid out" : "paid"} there, ${what} here${dated}`);
};

/** Why a row there belongs to a file of an earlier run; undefined if it may belong to this one. */
const pairedInOtherFile = (entry: Entry, isOfUsed: boolean, { file, period, pairedBefore }: ReconcileOptions): string | undefined => {
  const before = pairedBefore?.(entry);
  if (before === undefined) return undefined;
  // It was this file's, and an order of its reference is still here: that one has another payment by now.
  if ("file" in before && before.file !== undefined && before.file === file)
    return isOfUsed ? undefined : "an earlier run paired it with a row that is not in this file any more";
  if ("file" in before || period === undefined) return "an earlier run paired it with a row of another file";
  const { day } = before;
  return day < period.from || day > period.to ? `an earlier run paired it with a row of ${day}` : undefined;
};

/** Why a row there is of other days than the file; undefined if it is of them, or if no date tells. */
const otherDay = (entry: Entry, { period, dayOf, boundsOf }: ReconcileOptions): string | undefined => {
  if (period === undefined) return undefined;
  const own = `the file's own days (${period.from} to ${period.to})`;
  const dayAt = (at: string | undefined): string | undefined => (at === undefined ? undefined : dayOf?.(at));
  const day = dayAt(entry.at);
  if (day !== undefined) return day < period.from || day > period.to ? `of ${day}, outside ${own}` : undefined;
  const { notBefore, notAfter } = boundsOf?.(entry) ?? {};
  const [first, last] = [dayAt(notBefore), dayAt(notAfter)];
  if (last !== undefined && last < period.from) return `known here since ${last}, before ${own}`;
  return first !== undefined && first > period.to ? `made after ${first}, later than ${own}` : undefined;
};
