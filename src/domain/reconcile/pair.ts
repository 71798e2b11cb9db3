import type { StatusClass } from "../status.ts";
import { compareRecords, type Entry } from "./entries.ts";
import { emptyRecord } from "./record.ts";

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

/** Case, spaces and punctuation dropped; undefined where nothing is left. */
export const looseReference = (reference: string): string | undefined => {
  const loose = reference
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  return loose === "" ? undefined : loose;
};

const compareEntries = (a: Entry, b: Entry): number =>
  rank[a.state] - rank[b.state] ||
  (a.amountMinor < b.amountMinor ? -1 : a.amountMinor > b.amountMinor ? 1 : 0) ||
  compareRecords(a.rows[0] ?? emptyRecord, b.rows[0] ?? emptyRecord);

/** Money in never pairs with money out, and two different receipts are two payments. */
const mayPair = (ours: Entry, theirs: Entry): boolean =>
  (ours.direction === theirs.direction || ours.direction === "unknown" || theirs.direction === "unknown") &&
  (ours.receipt === undefined || theirs.receipt === undefined || ours.receipt === theirs.receipt);

type Pool = { ours: Set<Entry>; theirs: Set<Entry>; pairs: Pair[]; ties: Tie[] };
type Key = (entry: Entry) => string | undefined;

/** Pairs the entries of two sides, each used once, by the steps of cases/README.md. */
export const pairEntries = (ours: readonly Entry[], theirs: readonly Entry[]): Pairing => {
  const pool: Pool = { ours: new Set(ours), theirs: new Set(theirs), pairs: [], ties: [] };
  eachGroup(
    pool,
    (entry) => entry.receipt,
    (a, b) => pairExactly(pool, a, b, "receipt"),
  );
  eachGroup(
    pool,
    (entry) => entry.reference,
    (a, b) => pairExactly(pool, a, b, "reference"),
  );
  eachGroup(pool, looseKey, (a, b) => pairNarrowed(pool, a, b, "loose"));
  eachGroup(pool, cutKey, (a, b) => {
    const whole = (entry: Entry): boolean => lengthOf(entry.reference) > cutLength;
    pairNarrowed(
      pool,
      a.filter(whole),
      b.filter((entry) => !whole(entry)),
      "cut",
    );
    pairNarrowed(
      pool,
      a.filter((entry) => !whole(entry)),
      b.filter(whole),
      "cut",
    );
  });
  tieBlanks(pool);
  return { pairs: pool.pairs, ties: pool.ties, oursLeft: [...pool.ours], theirsLeft: [...pool.theirs] };
};

const looseKey: Key = (entry) => (entry.reference === undefined ? undefined : looseReference(entry.reference));
/** Only a reference of exactly 12 characters can be a cut one; longer ones meet it by their first 12. */
const cutKey: Key = ({ reference }) => {
  if (reference === undefined) return undefined;
  if (reference.length < cutLength) return undefined;
  const characters = [...reference];
  return characters.length < cutLength ? undefined : characters.slice(0, cutLength).join("");
};
const lengthOf = (text: string | undefined): number => (text === undefined ? 0 : [...text].length);

/** Calls `work` with what is still free on both sides under each key they share. */
const eachGroup = (pool: Pool, key: Key, work: (ours: Entry[], theirs: Entry[]) => void): void => {
  const groups = new Map<string, { ours: Entry[]; theirs: Entry[] }>();
  for (const entry of pool.ours) {
    const name = key(entry);
    if (name === undefined) continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { ours: [entry], theirs: [] });
    else group.ours.push(entry);
  }
  for (const entry of pool.theirs) {
    const name = key(entry);
    if (name !== undefined) groups.get(name)?.theirs.push(entry);
  }
  for (const { ours, theirs } of groups.values()) if (theirs.length > 0) work(ours, theirs);
};

const take = (pool: Pool, ours: Entry, theirs: Entry, how: How): void => {
  pool.ours.delete(ours);
  pool.theirs.delete(theirs);
  pool.pairs.push({ ours, theirs, how });
};

/** Inside one reference paid goes before open before ended, then equal amounts. */
const pairExactly = (pool: Pool, ours: Entry[], theirs: Entry[], how: How): void => {
  const [only] = ours;
  const [onlyThere] = theirs;
  if (ours.length === 1 && theirs.length === 1 && only !== undefined && onlyThere !== undefined) {
    if (mayPair(only, onlyThere)) take(pool, only, onlyThere, how);
    return;
  }
  const a = [...ours].sort(compareEntries);
  const b = [...theirs].sort(compareEntries);
  for (const stateHere of ["paid", "open", "unpaid"] as const) {
    for (const stateThere of ["paid", "open", "unpaid"] as const) {
      const here = a.filter((entry) => entry.state === stateHere && pool.ours.has(entry));
      const there = b.filter((entry) => entry.state === stateThere && pool.theirs.has(entry));
      if (here.length === 0 || there.length === 0) continue;
      pairClass(pool, here, there, how, true);
      pairClass(pool, here, there, how, false);
    }
  }
};

/** Pairs in order; with `equal`, only what has one amount. Lists by amount keep this linear where thousands share a reference. */
const pairClass = (pool: Pool, here: readonly Entry[], there: readonly Entry[], how: How, equal: boolean): void => {
  const free = new Map<string, Entry[]>();
  const nameOf = (entry: Entry): string => (equal ? String(entry.amountMinor) : "");
  for (const entry of there) {
    if (!pool.theirs.has(entry)) continue;
    const list = free.get(nameOf(entry));
    if (list === undefined) free.set(nameOf(entry), [entry]);
    else list.push(entry);
  }
  for (const list of free.values()) list.reverse();
  for (const entry of here) {
    if (!pool.ours.has(entry)) continue;
    const list = free.get(nameOf(entry));
    if (list === undefined) continue;
    for (let index = list.length - 1; index >= 0; index -= 1) {
      const other = list[index];
      if (other === undefined || !mayPair(entry, other)) continue;
      list.splice(index, 1);
      take(pool, entry, other, how);
      break;
    }
  }
};

/** Candidates are narrowed by equal amount; if several stay as good, all of them are one tie. */
const pairNarrowed = (pool: Pool, ours: readonly Entry[], theirs: readonly Entry[], how: How): void => {
  // Directions and receipts cut the group into parts that cannot pair with each other.
  for (const direction of ["in", "out", "unknown"] as const) {
    const here = ours.filter((entry) => entry.direction === direction);
    const there = theirs.filter((entry) => here.some((one) => mayPair(one, entry)));
    const fitting = here.filter((entry) => there.some((one) => mayPair(entry, one)));
    if (fitting.length > 0) narrow(pool, fitting, there, how);
  }
};

const narrow = (pool: Pool, ours: readonly Entry[], theirs: readonly Entry[], how: How): void => {
  const amounts = new Set(ours.map((entry) => entry.amountMinor));
  const oursApart: Entry[] = [];
  for (const amount of [...amounts].sort((a, b) => (a < b ? -1 : 1))) {
    const here = ours.filter((entry) => entry.amountMinor === amount);
    const there = theirs.filter((entry) => entry.amountMinor === amount && pool.theirs.has(entry));
    if (there.length === 0) oursApart.push(...here);
    else settle(pool, here, there, how);
  }
  const theirsApart = theirs.filter((entry) => pool.theirs.has(entry) && !amounts.has(entry.amountMinor));
  if (oursApart.length > 0 && theirsApart.length > 0) settle(pool, oursApart, theirsApart, how);
};

/** One and one is a pair. An attempt that ended without money is no candidate where one that did not stands beside it. */
const settle = (pool: Pool, ours: readonly Entry[], theirs: readonly Entry[], how: How): void => {
  const here = withoutEnded(ours);
  const there = withoutEnded(theirs);
  const [only] = here;
  const [onlyThere] = there;
  if (here.length === 1 && there.length === 1 && only !== undefined && onlyThere !== undefined) {
    if (mayPair(only, onlyThere)) take(pool, only, onlyThere, how);
    return;
  }
  tie(pool, here, there, how);
};

const withoutEnded = (entries: readonly Entry[]): readonly Entry[] => {
  const alive = entries.filter((entry) => entry.state !== "unpaid");
  return alive.length === 0 ? entries : alive;
};

const tie = (pool: Pool, ours: readonly Entry[], theirs: readonly Entry[], how: How): void => {
  for (const entry of ours) pool.ours.delete(entry);
  for (const entry of theirs) pool.theirs.delete(entry);
  pool.ties.push({ ours: [...ours].sort(compareEntries), theirs: [...theirs].sort(compareEntries), how });
};

/** A row of ours with neither reference nor receipt is never matched: it and the unclaimed rows of its amount there are one tie. */
const tieBlanks = (pool: Pool): void => {
  const byAmount = new Map<string, Entry[]>();
  for (const entry of pool.ours) {
    if (entry.reference !== undefined || entry.receipt !== undefined) continue;
    const name = `${entry.direction} ${entry.amountMinor}`;
    byAmount.set(name, [...(byAmount.get(name) ?? []), entry]);
  }
  if (byAmount.size === 0) return;
  const free = new Map<string, Entry[]>();
  for (const entry of pool.theirs) {
    for (const direction of entry.direction === "unknown" ? ["in", "out"] : [entry.direction]) {
      const name = `${direction} ${entry.amountMinor}`;
      if (byAmount.has(name)) free.set(name, [...(free.get(name) ?? []), entry]);
    }
  }
  for (const [name, ours] of [...byAmount].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const theirs = (free.get(name) ?? []).filter((entry) => pool.theirs.has(entry));
    if (theirs.length > 0) tie(pool, ours, theirs, "blank");
  }
};
