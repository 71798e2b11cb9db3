import { createTexts } from "../transactions/texts.ts";
import { type Keys, none } from "./keys.ts";
import { cutReference, looseReference } from "./pair.ts";
import type { StoredSide } from "./stored-side.ts";

/** Marks, on both sides, the unpaired rows that the steps after receipt and reference (pair.ts) could bring together: 1 for each. */
export type Contacts = { readonly ours: Uint8Array; readonly theirs: Uint8Array };

type Free = (row: number) => boolean;

/**
 * Two rows touch where their references are the same without case, spaces and punctuation, or begin with the same 12
 * characters, or where one of ours has no name and one there its amount. A row that touches none of the other side is left
 * over whatever the rules do.
 */
export const findContacts = (ours: StoredSide, theirs: StoredSide, { references }: Keys, freeOurs: Free, freeTheirs: Free): Contacts => {
  const [here, there] = [ours.rows, theirs.rows];
  const touched = { ours: new Uint8Array(here.count()), theirs: new Uint8Array(there.count()) };
  const names = createTexts();
  const blanks = new Set<number>();
  const idsOf = (reference: number): readonly [number, number] => {
    const text = references.textOf(reference);
    const loose = looseReference(text);
    const cut = cutReference(text);
    return [loose === undefined ? none : names.idOf(`l${loose}`), cut === undefined ? none : names.idOf(`c${cut}`)];
  };
  for (let row = 0; row < here.count(); row += 1) {
    if (!freeOurs(row)) continue;
    if (here.reference(row) !== none) idsOf(here.reference(row));
    else if (here.receipt(row) === none) {
      blanks.add(Math.abs(here.amount(row)));
      touched.ours[row] = 1;
    }
  }
  const known = names.count();
  const met = new Uint8Array(known);
  if (known > 0 || blanks.size > 0) {
    for (let row = 0; row < there.count(); row += 1) {
      if (!freeTheirs(row)) continue;
      if (blanks.has(Math.abs(there.amount(row)))) touched.theirs[row] = 1;
      if (there.reference(row) === none) continue;
      for (const id of idsOf(there.reference(row))) {
        if (id === none || id >= known) continue;
        met[id] = 1;
        touched.theirs[row] = 1;
      }
    }
    for (let row = 0; row < here.count(); row += 1) {
      if (!freeOurs(row) || here.reference(row) === none) continue;
      for (const id of idsOf(here.reference(row))) if (id !== none && met[id] === 1) touched.ours[row] = 1;
    }
  }
  return touched;
};
