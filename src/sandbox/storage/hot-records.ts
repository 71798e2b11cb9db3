import type { KindName, Kinds } from "../engine/entities.ts";
import { createDueHeap, type DueHeap } from "./due-heap.ts";

/** Kinds that nearly every payment writes. They are kept in a log first, and in their tables later, many at once. */
export type HotKind = "tx" | "entry" | "hold" | "kept";
export type HotRecord = Kinds[HotKind];
const hotKinds: ReadonlySet<KindName> = new Set<HotKind>(["tx", "entry", "hold", "kept"]);
export const isHot = (kind: KindName): kind is HotKind => hotKinds.has(kind);

/** One record that is in the log and not yet in its table, as it is now. */
export type Slot = {
  readonly kind: HotKind;
  readonly id: string;
  /** Absent where it was removed, or where the text will do. */
  record: HotRecord | undefined;
  /** As last logged, `null` where it was removed; empty where it changed since. */
  text: string;
  /** Its table has it too, and is to be brought up to date. */
  readonly stored: boolean;
  /** Its place among all of its kind, which decides between those due at the same moment. */
  readonly place: number;
};
/** Where the records of a list stand: so many in the table, then these. */
export type List = { stored: number; fresh: Slot[] };

/** What is in the log, by id and in order of arrival, with everything that is due. Nothing of it is the only copy. */
export type HotRecords = {
  find(kind: HotKind, id: string): Slot | undefined;
  /** Slots of a kind in order of arrival. */
  all(kind: HotKind): Iterable<Slot>;
  /** A list of transactions (all of them where no group is named) or of a wallet's entries. */
  list(kind: "tx" | "entry", group: string | undefined): List;
  /** A record whose id has no slot yet. `place`: where its table has it, if it has. */
  add(kind: HotKind, record: HotRecord, place?: number): void;
  replace(slot: Slot, record: HotRecord | undefined): void;
  /** Marks as removed what only the table has. */
  hide(kind: HotKind, id: string): void;
  readonly due: DueHeap;
  /** The greatest id of a transaction so far. Ids grow with time, so a greater one is new. */
  greatestId(): string;
  /** Slots that changed since `settle`. */
  changed(): ReadonlySet<Slot>;
  /** The changes so far are to stay; how many there were. */
  settle(): number;
  /** So many transactions, the oldest, go to their table next: those that nothing is about to happen to, if they are enough; all, where too many wait. */
  storable(): number;
  /** What stays in the log when so many transactions go: the others, and the holds of payouts among them. */
  staying(transactions: number): readonly Slot[];
  /** So many transactions are in their table now, and all the rest that does not stay in theirs. */
  forget(transactions: number): void;
  /** A moment that `undoTo` goes back to. */
  moment(): number;
  undoTo(moment: number): void;
};

/** Fewer transactions than this are not worth storing by themselves. */
const storedMin = 1_024;
/** More than this do not wait for something to happen to them. */
const freshMax = 8_192;

/** What the tables have. */
export type Stored = {
  /** How many records of a list. Asked once, when the list is first used. */
  readonly count: (kind: "tx" | "entry", group: string | undefined) => number;
  /** Transactions to which something happens. */
  readonly waiting: Iterable<{ readonly id: string; readonly dueMs: number; readonly place: number }>;
  readonly greatestId: string;
};

export const createHotRecords = (tables: Stored): HotRecords => {
  const byId: Readonly<Record<HotKind, Map<string, Slot>>> = { tx: new Map(), entry: new Map(), hold: new Map(), kept: new Map() };
  const lists = new Map<string, List>();
  const list = (kind: "tx" | "entry", group: string | undefined): List => {
    const name = `${kind} ${group ?? ""}`;
    let there = lists.get(name);
    if (there === undefined) {
      there = { stored: tables.count(kind, group), fresh: [] };
      lists.set(name, there);
    }
    return there;
  };
  const due = createDueHeap();
  for (const { id, dueMs, place } of tables.waiting) due.set(id, dueMs, place);
  let { greatestId } = tables;
  let undos: (() => void)[] = [];
  const touched = new Set<Slot>();
  const filed = (kind: HotKind, group: string): readonly List[] =>
    kind === "tx" ? [list("tx", undefined), list("tx", group)] : kind === "entry" ? [list("entry", group)] : [];

  const add = (kind: HotKind, id: string, record: HotRecord | undefined, place: number | undefined): void => {
    const stored = place !== undefined;
    const lists = stored || record === undefined ? [] : filed(kind, record.group);
    const slot: Slot = { kind, id, record, text: "", stored, place: place ?? (lists[0] === undefined ? 0 : lists[0].stored + lists[0].fresh.length + 1) };
    // An entry is never looked for by its id.
    if (kind !== "entry") byId[kind].set(id, slot);
    for (const one of lists) one.fresh.push(slot);
    const dueBefore = kind === "tx" ? due.get(id) : undefined;
    if (kind === "tx") {
      due.set(id, record?.dueMs, slot.place);
      if (id > greatestId) greatestId = id;
    }
    touched.add(slot);
    undos.push(() => {
      byId[kind].delete(id);
      touched.delete(slot);
      for (const one of lists) one.fresh.pop();
      if (kind === "tx") due.set(id, dueBefore, slot.place);
    });
  };
  const staying = (transactions: number): readonly Slot[] => {
    const { fresh } = list("tx", undefined);
    if (transactions === fresh.length) return [];
    return [...fresh.slice(transactions), ...[...byId.hold.values()].filter((slot) => slot.record !== undefined && !slot.stored)];
  };
  return {
    find: (kind, id) => byId[kind].get(id),
    all: (kind) => byId[kind].values(),
    list,
    add: (kind, record, place) => add(kind, record.id, record, place),
    hide: (kind, id) => add(kind, id, undefined, 0),
    replace: (slot, record) => {
      const { record: before, text } = slot;
      slot.record = record;
      slot.text = "";
      touched.add(slot);
      if (slot.kind === "tx") due.set(slot.id, record?.dueMs, slot.place);
      undos.push(() => {
        slot.record = before;
        slot.text = text;
        if (slot.kind === "tx") due.set(slot.id, before?.dueMs, slot.place);
      });
    },
    due,
    greatestId: () => greatestId,
    changed: () => touched,
    settle: () => {
      const { size } = touched;
      touched.clear();
      undos = [];
      return size;
    },
    storable: () => {
      const { fresh } = list("tx", undefined);
      if (fresh.length >= freshMax) return fresh.length;
      const open = fresh.findIndex(({ record }) => record?.dueMs !== undefined);
      return open === -1 ? fresh.length : open < storedMin ? 0 : open;
    },
    staying,
    forget: (transactions) => {
      const stay = new Set(staying(transactions));
      for (const slots of Object.values(byId)) for (const [id, slot] of slots) if (!stay.has(slot)) slots.delete(id);
      for (const one of lists.values()) {
        const left = one.fresh.filter((slot) => stay.has(slot));
        one.stored += one.fresh.length - left.length;
        one.fresh = left;
      }
    },
    moment: () => undos.length,
    undoTo: (moment) => {
      while (undos.length > moment) undos.pop()?.();
    },
  };
};
