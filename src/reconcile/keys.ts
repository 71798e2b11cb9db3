import { createTexts } from "../transactions/texts.ts";

export type Place = "ours" | "theirs";
/**
 * Who has a receipt or a reference, on both sides. Counts stop at 2, which stands for "several". A row there that ended unpaid
 * is counted apart: it takes nothing from the payment beside it.
 */
export type KeyTable = ReturnType<typeof createKeyTable>;
/** Receipts and references of the two sides that are compared. */
export type Keys = { readonly receipts: KeyTable; readonly references: KeyTable };

export const createKeys = (): Keys => ({ receipts: createKeyTable(), references: createKeyTable() });

export const none = -1;

const createKeyTable = () => {
  const texts = createTexts();
  let counts = new Uint8Array(1024 * 3);
  let firsts = new Int32Array(1024 * 3);
  const slotOf = (text: string): number => {
    const id = texts.idOf(text);
    if (id * 3 + 3 > counts.length) {
      const [oldCounts, oldFirsts] = [counts, firsts];
      counts = new Uint8Array(oldCounts.length * 2);
      counts.set(oldCounts);
      firsts = new Int32Array(oldFirsts.length * 2);
      firsts.set(oldFirsts);
    }
    return id;
  };
  const count = (id: number, kind: number): number => counts[id * 3 + kind] ?? 0;
  const first = (id: number, kind: number): number => (count(id, kind) === 0 ? none : (firsts[id * 3 + kind] ?? none));
  const spoil = (id: number): void => {
    counts[id * 3] = 2;
  };
  return {
    /** Notes that row `index` of a side has this text; gives its number. */
    note(text: string, place: Place, ended: boolean, index: number): number {
      const id = slotOf(text);
      const slot = id * 3 + (place === "ours" ? 0 : ended ? 2 : 1);
      const before = counts[slot] ?? 0;
      if (before === 0) firsts[slot] = index;
      if (before < 2) counts[slot] = before + 1;
      return id;
    },
    /** What has this text is left to the exact rules. */
    spoil,
    spoilText: (text: string): void => spoil(slotOf(text)),
    textOf: texts.textOf,
    count: texts.count,
    ours: (id: number): number => count(id, 0),
    /** Rows there that did not end unpaid. */
    alive: (id: number): number => count(id, 1),
    ended: (id: number): number => count(id, 2),
    theirs: (id: number): number => count(id, 1) + count(id, 2),
    all: (id: number): number => count(id, 0) + count(id, 1) + count(id, 2),
    firstAlive: (id: number): number => first(id, 1),
    firstEnded: (id: number): number => first(id, 2),
    /** The only row there, alive or ended. */
    firstThere: (id: number): number => (count(id, 1) > 0 ? first(id, 1) : first(id, 2)),
  };
};
