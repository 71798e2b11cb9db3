import { findContacts } from "./contacts.ts";
import { type Keys, none } from "./keys.ts";
import { type PlainPairs, pairPlainly } from "./plain-pairs.ts";
import {
  type Category,
  categoryOfPair,
  createSums,
  judgePair,
  leftHere,
  leftThere,
  nothingUsed,
  type ReconcileOptions,
  type Result,
  reconcileInto,
  type Summary,
} from "./reconcile.ts";
import type { FileRecord } from "./record.ts";
import type { RowColumns, StoredSide } from "./stored-side.ts";

/** What becomes of a row: counted already, part of a pair that is told of, left over for sure, or left to the exact rules. */
const counted = 0;
const told = 1;
const left = 2;
const exact = 3;

/**
 * The same as `reconcileInto`, with sums, for sides that are not held whole: rows that pair plainly and rows that nothing touches are decided
 * by their columns, and what is left by the exact rules. `emit` gets every result but those matched or ignored.
 */
export const reconcileStored = async (
  ours: StoredSide,
  theirs: StoredSide,
  keys: Keys,
  emit: (result: Result) => void,
  options: ReconcileOptions = {},
): Promise<Summary> => {
  const sums = createSums();
  const tell = (result: Result): void => {
    sums.add(result);
    if (result.category !== "matched" && result.category !== "ignored") emit(result);
  };
  const pairs = pairPlainly(ours, theirs, keys);
  const tally = createTally();
  const fates = decideFates(ours, theirs, keys, pairs, tally);
  tally.addTo(sums);

  const restOurs: FileRecord[] = [];
  const restTheirs: FileRecord[] = [];
  const toldOurs = new Map<number, { readonly record: FileRecord; readonly row: number }>();
  await ours.collect(
    (row) => fates.ours[row] !== counted,
    (record, row) => {
      if (fates.ours[row] === exact) restOurs.push(record);
      else if (fates.ours[row] === left) tell(leftHere(record, ours.kind, theirs.kind, nothingUsed));
      else toldOurs.set(pairs.partners[row] ?? none, { record, row });
    },
  );
  await theirs.collect(
    (row) => fates.theirs[row] !== counted,
    (record, row) => {
      const mine = toldOurs.get(row);
      if (fates.theirs[row] === exact) restTheirs.push(record);
      else if (fates.theirs[row] === left) tell(leftThere(record, ours.kind, nothingUsed, options));
      else if (mine !== undefined) tell(judgePair({ ours: mine.record, theirs: record, how: pairs.how(mine.row) }));
    },
  );
  reconcileInto({ kind: ours.kind, records: restOurs }, { kind: theirs.kind, records: restTheirs }, tell, options);
  return sums.summary();
};

type Fates = { readonly ours: Uint8Array; readonly theirs: Uint8Array };

const decideFates = (ours: StoredSide, theirs: StoredSide, keys: Keys, pairs: PlainPairs, tally: Tally): Fates => {
  const [here, there] = [ours.rows, theirs.rows];
  const fates = { ours: new Uint8Array(here.count()), theirs: new Uint8Array(there.count()) };
  const isFreeOurs = (row: number): boolean => pairs.partners[row] === none && named(here, row);
  const isFreeTheirs = (row: number): boolean => pairs.taken[row] === 0 && named(there, row);
  const contacts = findContacts(ours, theirs, keys, isFreeOurs, isFreeTheirs);
  for (let row = 0; row < here.count(); row += 1) {
    const other = pairs.partners[row] ?? none;
    if (other !== none) {
      const same = Math.abs(here.amount(row)) === Math.abs(there.amount(other));
      if (categoryOfPair(here.state(row), there.state(other), same) === "matched") tally.add("matched", here.amount(row), there.amount(other));
      else {
        fates.ours[row] = told;
        fates.theirs[other] = told;
      }
    } else if (here.nature(row) === "ignored") tally.add("ignored", here.amount(row), undefined);
    else if (here.nature(row) !== "plain" || contacts.ours[row] === 1 || !isSingle(here, row, keys)) fates.ours[row] = exact;
    else if (here.state(row) === "unpaid") tally.add("ignored", here.amount(row), undefined);
    else fates.ours[row] = left;
  }
  for (let row = 0; row < there.count(); row += 1) {
    if (pairs.taken[row] === 1) continue;
    const reference = there.reference(row);
    const ended = there.state(row) === "unpaid";
    const besidePair = ended && reference !== none && pairs.settled[reference] === 1;
    if (there.nature(row) === "ignored") tally.add("ignored", undefined, there.amount(row));
    else if (there.nature(row) !== "plain" || contacts.theirs[row] === 1 || !(besidePair || isSingle(there, row, keys))) fates.theirs[row] = exact;
    else if (ended) tally.add("ignored", undefined, there.amount(row));
    else fates.theirs[row] = left;
  }
  return fates;
};

/** Could it be paired at all? */
const named = (rows: RowColumns, row: number): boolean => rows.nature(row) === "plain" || rows.nature(row) === "exact";

/** No other row of either side has its receipt or its reference. */
const isSingle = (rows: RowColumns, row: number, { receipts, references }: Keys): boolean => {
  const [receipt, reference] = [rows.receipt(row), rows.reference(row)];
  return (receipt === none || receipts.all(receipt) === 1) && (reference === none || references.all(reference) === 1);
};

/** Beyond this a sum of doubles is put away as a whole number (hundredths; one amount is at most 2 ** 51). */
const carryAt = 2 ** 51;

const createExactSum = () => {
  let whole = 0n;
  let part = 0;
  let rows = 0;
  return {
    add(amount: number): void {
      rows += 1;
      part += amount;
      if (Math.abs(part) < carryAt) return;
      whole += BigInt(part);
      part = 0;
    },
    total: () => ({ rows, amountMinor: whole + BigInt(part) }),
  };
};

type Tally = ReturnType<typeof createTally>;
/** Rows that are only counted: a million of them make no objects. */
const createTally = () => {
  const sides = () => ({ ours: createExactSum(), theirs: createExactSum(), counted: createExactSum() });
  const held = { matched: sides(), ignored: sides() };
  return {
    add(category: keyof typeof held, ours: number | undefined, theirs: number | undefined): void {
      const sum = held[category];
      if (ours !== undefined) sum.ours.add(ours);
      if (theirs !== undefined) sum.theirs.add(theirs);
      sum.counted.add(ours ?? theirs ?? 0);
    },
    addTo(sums: ReturnType<typeof createSums>): void {
      for (const category of ["matched", "ignored"] as const satisfies readonly Category[]) {
        const sum = held[category];
        sums.addTotals(category, sum.ours.total(), sum.theirs.total(), sum.counted.total());
      }
    },
  };
};
