import type { StatusClass } from "../transactions/status.ts";
import { amountOf, areOfOneCurrency, compareRecords, type Entry } from "./entries.ts";
import { groupBy } from "./group-by.ts";
import { looseReference } from "./loose-reference.ts";
import { receiptKey } from "./receipts.ts";
import { eachGroup, type Group, type Key } from "./shared-keys.ts";

export type How = "receipt" | "reference" | "loose" | "cut" | "blank";
export type Pair = { readonly ours: Entry; readonly theirs: Entry; readonly how: How };
/** Several that are as good as each other: nothing is picked. */
export type Tie = { readonly ours: readonly Entry[]; readonly theirs: readonly Entry[]; readonly how: How };
export type Pairing = {
  readonly pairs: readonly Pair[];
  readonly ties: readonly Tie[];
  readonly oursLeft: readonly Entry[];
  readonly theirsLeft: readonly Entry[];
};

/** The provider keeps so many characters of an account reference (cases/README.md, truncated-cp1252). */
const cutLength = 12;
const rank: Readonly<Record<StatusClass, number>> = { paid: 0, open: 1, unpaid: 2 };

const compareEntries = (a: Entry, b: Entry): number => {
  const states = rank[a.state] - rank[b.state];
  if (states !== 0) return states;
  const [x, y] = [amountOf(a), amountOf(b)];
  return x < y ? -1 : x > y ? 1 : compareRecords(a, b);
};

/** What earlier runs paired (reconcile/memory.ts). */
export type Earlier = {
  /** A row there that an earlier run paired. */
  readonly isPaired: (theirs: Entry) => boolean;
  /** It was paired with a row of one of these days; undefined: with one of this file, without a date. */
  readonly isOfDays: (theirs: Entry, days: ReadonlySet<string | undefined>) => boolean;
  readonly dayOf: (ours: Entry) => string | undefined;
  /** It was paired with another row than this one: each row is used once, also over several days. */
  readonly isUsedByAnother: (ours: Entry, theirs: Entry) => boolean;
};
const nothingEarlier: Earlier = { isPaired: () => false, isOfDays: () => false, dayOf: () => undefined, isUsedByAnother: () => false };

/** Those that no earlier run paired, or one of this very file did: the same file read again finds the same pairs. */
const freshOf = ({ earlier }: Pool, ours: readonly Entry[], theirs: readonly Entry[]): readonly Entry[] => {
  if (!theirs.some(earlier.isPaired)) return theirs;
  const days = new Set(ours.map(earlier.dayOf));
  return theirs.filter((entry) => !earlier.isPaired(entry) || earlier.isOfDays(entry, days));
};

/** Money in never pairs with money out, and two different receipts are two payments. */
const areAlike = (ours: Entry, theirs: Entry): boolean =>
  (ours.direction === theirs.direction || ours.direction === "unknown" || theirs.direction === "unknown") && areReceiptsOfOne(ours.receipt, theirs.receipt);
const areReceiptsOfOne = (ours: string | undefined, theirs: string | undefined): boolean => {
  if (ours === undefined || theirs === undefined || ours === theirs) return true;
  const [here, there] = [receiptKey(ours), receiptKey(theirs)];
  return here === undefined || there === undefined || here === there;
};

/** Working state: entries that are not paired yet, and the pairs and ties so far. */
type Pool = { ours: readonly Entry[]; theirs: readonly Entry[]; readonly pairs: Pair[]; readonly ties: Tie[]; readonly earlier: Earlier };

/** Pairs the entries of two sides, each used once, by the steps of cases/README.md. */
export const pairEntries = (ours: readonly Entry[], theirs: readonly Entry[], earlier: Earlier = nothingEarlier): Pairing => {
  const pool: Pool = { ours, theirs, pairs: [], ties: [], earlier };
  const step = (key: Key, work: (group: Group) => Group): void => {
    const left = eachGroup(pool, key, work);
    pool.ours = left.ours;
    pool.theirs = left.theirs;
  };
  step(
    ({ receipt }) => receiptKey(receipt),
    (group) => pairExactly(pool, group, "receipt"),
  );
  step(
    ({ reference }) => reference,
    (group) => pairExactly(pool, group, "reference"),
  );
  step(looseKey, (group) => pairNarrowed(pool, group, "loose"));
  step(cutKey, (group) => pairCut(pool, group));
  tieBlanks(pool);
  return { pairs: pool.pairs, ties: pool.ties, oursLeft: pool.ours, theirsLeft: pool.theirs };
};

/** The same receipt is the same payment, whatever an earlier run made of it. */
const mayPair = ({ earlier }: Pool, how: How, ours: Entry, theirs: Entry): boolean =>
  areAlike(ours, theirs) && (how === "receipt" || !earlier.isUsedByAnother(ours, theirs));

const looseKey: Key = ({ reference }) => (reference === undefined ? undefined : looseReference(reference));
/** Only a reference of exactly 12 characters can be a cut one; longer ones meet it by their first 12. */
const cutKey: Key = ({ reference = "" }) => {
  if (reference.length < cutLength) return undefined;
  const characters = [...reference];
  return characters.length < cutLength ? undefined : characters.slice(0, cutLength).join("");
};
const isLongerThanCut = ({ reference = "" }: Entry): boolean => [...reference].length > cutLength;

/** What has one is paired with its own receipt first; after that, it meets only what has none. */
const hasReceipt = ({ receipt }: Entry): boolean => receiptKey(receipt) !== undefined;

const states = ["paid", "open", "unpaid"] as const;
/** Inside one reference paid goes before open before ended, then equal amounts. */
const classes = states.flatMap((here) => states.flatMap((there) => [true, false].map((equal) => ({ here, there, equal }))));

const pairExactly = (pool: Pool, group: Group, how: How): Group => {
  const [only] = group.ours;
  const [onlyThere] = group.theirs;
  if (group.ours.length === 1 && group.theirs.length === 1 && only !== undefined && onlyThere !== undefined) {
    // Nearly all groups of a large file.
    if (!mayPair(pool, how, only, onlyThere)) return group;
    pool.pairs.push({ ours: only, theirs: onlyThere, how });
    return { ours: [], theirs: [] };
  }
  const ours = new Set([...group.ours].sort(compareEntries));
  const theirs = new Set([...group.theirs].sort(compareEntries));
  // A month's rent under the same reference is this month's payment: what an earlier run used comes last.
  const fresh = freshOf(pool, group.ours, [...theirs]);
  for (const candidates of fresh.length === theirs.size ? [fresh] : [fresh, [...theirs]]) {
    for (const { here, there, equal } of classes) {
      const oneClass = {
        here: [...ours].filter(({ state }) => state === here),
        there: candidates.filter((entry) => entry.state === there && theirs.has(entry)),
        equal,
        how,
      };
      if (oneClass.here.length === 0 || oneClass.there.length === 0) continue;
      for (const [one, other] of pairsOfClass(oneClass, (a, b) => mayPair(pool, how, a, b) && (!equal || areOfOneCurrency(a, b)))) {
        ours.delete(one);
        theirs.delete(other);
        pool.pairs.push({ ours: one, theirs: other, how });
      }
    }
  }
  return { ours: [...ours], theirs: [...theirs] };
};

type OneClass = { readonly here: readonly Entry[]; readonly there: readonly Entry[]; readonly equal: boolean; readonly how: How };
/** Pairs in order; with `equal`, only what has one amount. Lists of what can meet keep this linear where thousands share a reference. */
const pairsOfClass = ({ here, there, equal, how }: OneClass, mayMeet: (ours: Entry, theirs: Entry) => boolean): (readonly [Entry, Entry])[] => {
  const place = new Map(there.map((entry, index) => [entry, index]));
  const placeOf = (entry: Entry | undefined): number => (entry === undefined ? there.length : (place.get(entry) ?? there.length));
  const nameOf = (entry: Entry): string => (equal ? String(amountOf(entry)) : "");
  const free = new Map(
    [...groupBy(there.toReversed(), nameOf)].map(([name, entries]) => [
      name,
      [...groupBy(entries, (entry) => `${entry.direction} ${hasReceipt(entry)}`).values()],
    ]),
  );
  const pairs: (readonly [Entry, Entry])[] = [];
  for (const entry of here) {
    let best: { readonly list: Entry[]; readonly index: number } | undefined;
    for (const list of free.get(nameOf(entry)) ?? []) {
      if (how !== "receipt" && hasReceipt(entry) && list[0] !== undefined && hasReceipt(list[0])) continue;
      const index = list.findLastIndex((other) => mayMeet(entry, other));
      if (index >= 0 && placeOf(list[index]) < placeOf(best?.list[best.index])) best = { list, index };
    }
    const [other] = best?.list.splice(best.index, 1) ?? [];
    if (other !== undefined) pairs.push([entry, other]);
  }
  return pairs;
};

const without = (entries: readonly Entry[], gone: ReadonlySet<Entry>): readonly Entry[] => entries.filter((entry) => !gone.has(entry));

const pairCut = (pool: Pool, group: Group): Group => {
  const oneWay = { ours: group.ours.filter(isLongerThanCut), theirs: group.theirs.filter((entry) => !isLongerThanCut(entry)) };
  const otherWay = { ours: group.ours.filter((entry) => !isLongerThanCut(entry)), theirs: group.theirs.filter(isLongerThanCut) };
  const left = [pairNarrowed(pool, oneWay, "cut"), pairNarrowed(pool, otherWay, "cut")];
  return { ours: left.flatMap(({ ours }) => ours), theirs: left.flatMap(({ theirs }) => theirs) };
};

/** Candidates are narrowed by equal amount; if several stay as good, all of them are one tie. */
const pairNarrowed = (pool: Pool, group: Group, how: How): Group => {
  const gone = new Set<Entry>();
  // Directions and receipts cut the group into parts that cannot pair with each other.
  for (const direction of ["in", "out", "unknown"] as const) {
    const here = group.ours.filter((entry) => entry.direction === direction);
    const free = group.theirs.filter((entry) => !gone.has(entry));
    const there = thoseThatMeet(free, here, (entry, one) => mayPair(pool, how, one, entry));
    const fitting = thoseThatMeet(here, there, (entry, one) => mayPair(pool, how, entry, one));
    if (fitting.length > 0) narrow(pool, { ours: fitting, theirs: there }, { how, gone });
  }
  return { ours: without(group.ours, gone), theirs: without(group.theirs, gone) };
};

/** The entries that can pair with any of the others. */
const thoseThatMeet = (entries: readonly Entry[], others: readonly Entry[], mayMeet: (entry: Entry, other: Entry) => boolean): readonly Entry[] => {
  const bare = others.filter((other) => !hasReceipt(other));
  return entries.filter((entry) => (hasReceipt(entry) ? bare : others).some((other) => mayMeet(entry, other)));
};

/** How entries are paired, and those that have had their turn. */
type Step = { readonly how: How; readonly gone: Set<Entry> };

const narrow = (pool: Pool, { ours, theirs }: Group, step: Step): void => {
  const nameOf = (entry: Entry): string => String(amountOf(entry));
  const here = groupBy(ours, nameOf);
  const there = groupBy(theirs, nameOf);
  const oursApart: Entry[] = [];
  for (const [amount, entries] of here) {
    const others = there.get(amount);
    if (others === undefined) for (const entry of entries) oursApart.push(entry);
    else settle(pool, { ours: entries, theirs: others }, step);
  }
  const theirsApart = theirs.filter((entry) => !here.has(nameOf(entry)));
  if (oursApart.length > 0 && theirsApart.length > 0) settle(pool, { ours: oursApart, theirs: theirsApart }, step);
};

/** One and one is a pair. An attempt that ended without money is no candidate where one that did not stands beside it. */
const settle = (pool: Pool, { ours, theirs }: Group, { how, gone }: Step): void => {
  const here = preferred(ours, (entry) => entry.state !== "unpaid");
  const alive = preferred(theirs, (entry) => entry.state !== "unpaid");
  const fresh = new Set(freshOf(pool, here, alive));
  const there = preferred(alive, (entry) => fresh.has(entry));
  const [only] = here;
  const [onlyThere] = there;
  if (here.length === 1 && there.length === 1 && only !== undefined && onlyThere !== undefined) {
    if (!mayPair(pool, how, only, onlyThere)) return;
    pool.pairs.push({ ours: only, theirs: onlyThere, how });
  } else tie(pool, here, there, how);
  for (const entry of [...here, ...there]) gone.add(entry);
};

/** Those that are better, if any is. */
const preferred = (entries: readonly Entry[], isBetter: (entry: Entry) => boolean): readonly Entry[] => {
  const better = entries.filter(isBetter);
  return better.length === 0 ? entries : better;
};

const tie = (pool: Pool, ours: readonly Entry[], theirs: readonly Entry[], how: How): void => {
  pool.ties.push({ ours: [...ours].sort(compareEntries), theirs: [...theirs].sort(compareEntries), how });
};

/** A row of ours with neither reference nor receipt is never matched: it and the unclaimed rows of its amount there are one tie. */
const tieBlanks = (pool: Pool): void => {
  const blanks = pool.ours.filter((entry) => entry.reference === undefined && !hasReceipt(entry));
  if (blanks.length === 0) return;
  const nameOf = (entry: Entry): string => `${entry.direction} ${amountOf(entry)}`;
  const unclaimed = groupBy(
    pool.theirs.filter((entry) => !pool.earlier.isPaired(entry)),
    nameOf,
  );
  const gone = new Set<Entry>();
  // Sorted, as a row there of no known direction goes to money in first, whatever the order of rows.
  for (const [name, ours] of [...groupBy(blanks, nameOf)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const names = new Set([name, name.replace(/^\w+/, "unknown")]);
    const theirs = [...names].flatMap((one) => unclaimed.get(one) ?? []).filter((entry) => !gone.has(entry));
    if (theirs.length === 0) continue;
    tie(pool, ours, theirs, "blank");
    for (const entry of [...ours, ...theirs]) gone.add(entry);
  }
  pool.ours = without(pool.ours, gone);
  pool.theirs = without(pool.theirs, gone);
};
