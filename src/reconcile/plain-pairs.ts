import { type Keys, none } from "./keys.ts";
import type { StoredSide } from "./stored-side.ts";

export type PlainPairs = {
  /** By row of ours: the row there it is paired with, -1 where the exact rules have to say. */
  readonly partners: Int32Array;
  /** By row there: 1 where it is paired. */
  readonly taken: Uint8Array;
  /** By number of a reference: 1 where the rows there of this reference that ended unpaid stand beside a pair. */
  readonly settled: Uint8Array;
  readonly how: (row: number) => "receipt" | "reference";
};

/**
 * Pairs those rows that no rule could pair otherwise: one here and one there have the receipt or the reference, and nothing else
 * bears either, but for rows there that ended unpaid under the same reference (paid goes before ended, and one of
 * ours is used once). It is what the steps by receipt and by reference (pair.ts) do with such rows; all others are left to them.
 */
export const pairPlainly = (ours: StoredSide, theirs: StoredSide, { receipts, references }: Keys): PlainPairs => {
  const [here, there] = [ours.rows, theirs.rows];
  // An ended row that shares its receipt with another row makes its reference no plain one.
  for (let row = 0; row < there.count(); row += 1) {
    const [receipt, reference] = [there.receipt(row), there.reference(row)];
    if (receipt === none || reference === none || there.state(row) !== "unpaid") continue;
    if (receipts.all(receipt) > 1) references.spoil(reference);
  }
  const mayPair = (mine: number, other: number): boolean => {
    const [from, to] = [here.direction(mine), there.direction(other)];
    if (from !== to && from !== "unknown" && to !== "unknown") return false;
    const [a, b] = [here.receipt(mine), there.receipt(other)];
    return a === none || b === none || a === b;
  };
  const byReference = (reference: number): number => {
    if (references.alive(reference) === 1) return references.firstAlive(reference);
    return references.alive(reference) === 0 && references.ended(reference) === 1 ? references.firstEnded(reference) : none;
  };
  /** The names of a row there are its own and `mine`'s. */
  const isOnly = (other: number, mine: number): boolean => {
    const [receipt, reference] = [there.receipt(other), there.reference(other)];
    if (receipt !== none && (receipts.theirs(receipt) !== 1 || (receipts.ours(receipt) > 0 && receipt !== here.receipt(mine)))) return false;
    if (reference === none || reference === here.reference(mine)) return true;
    return references.ours(reference) === 0 && references.theirs(reference) === 1;
  };
  const partnerOf = (mine: number): number => {
    if (here.nature(mine) !== "plain") return none;
    const [receipt, reference] = [here.receipt(mine), here.reference(mine)];
    if (receipt !== none && (receipts.ours(receipt) !== 1 || receipts.theirs(receipt) > 1)) return none;
    if (reference !== none && references.ours(reference) !== 1) return none;
    const named = reference === none ? none : byReference(reference);
    if (named === none && reference !== none && references.theirs(reference) > 0) return none;
    const same = receipt === none ? none : receipts.firstThere(receipt);
    if (same !== none && named !== none && same !== named) return none;
    const other = same === none ? named : same;
    if (other === none || there.nature(other) !== "plain" || !mayPair(mine, other) || !isOnly(other, mine)) return none;
    return other;
  };
  const partners = new Int32Array(here.count());
  const taken = new Uint8Array(there.count());
  const settled = new Uint8Array(references.count());
  for (let row = 0; row < partners.length; row += 1) {
    const other = partnerOf(row);
    partners[row] = other;
    if (other === none) continue;
    taken[other] = 1;
    if (here.reference(row) !== none) settled[here.reference(row)] = 1;
  }
  const how = (row: number) => (here.receipt(row) !== none && here.receipt(row) === there.receipt(partners[row] ?? none) ? "receipt" : "reference");
  return { partners, taken, settled, how };
};
