import type { Entry, Hold, Kept, Transaction, WalletName } from "../engine/entities.ts";
import type { Counts, Flow, Placed } from "./blocks.ts";
import { createDueList, type DueList } from "./due-list.ts";
import { createHotLedger, type HotLedger } from "./hot-ledger.ts";
import { forgottenLine, keptIdOf, keptLine, type Pending, walletNames } from "./lines.ts";

/** Kinds that nearly every payment writes. They are kept in a log first, and in blocks later, many at once. */
export type HotKinds = { tx: Transaction; entry: Entry; hold: Hold; kept: Kept };

/** A transaction that is in the log, or changed since its block was written. */
export type Slot = {
  readonly id: string;
  record: Transaction;
  /** As log or block have it; absent where neither does yet. */
  logged: Transaction | undefined;
  /** Its place among all of its kind, which also decides between those due at the same moment. */
  readonly place: number;
  /** A block has it, and is to be brought up to date. */
  readonly stored: boolean;
  /** It is among the changes since the last commit. */
  pending: boolean;
};
/** A hold; `undefined` once it was released. */
export type HoldSlot = { readonly record: Hold | undefined; readonly stored: boolean };
/** Rows of the log that go into blocks together. Places are among all that ever were. */
export type Segment = {
  /** Its last row. */
  row: number;
  chars: number;
  /** The place of the last transaction that was new in it. */
  transactions: number;
  /** The place of the last entry of each wallet. */
  entries: readonly number[];
  readonly kept: string[];
  readonly holds: string[];
};

/** What is in the log, by id and in order of arrival, with everything that is due. Nothing of it is the only copy. */
export type HotRecords = {
  transaction(id: string): Slot | undefined;
  /** New since the blocks were written, oldest first. */
  fresh(): readonly Slot[];
  /** What blocks have otherwise. */
  changedInBlocks(): ReadonlySet<Placed>;
  /** Is something about to happen to a new transaction up to this place? */
  openBefore(place: number): boolean;
  /** Of all and of each flow, in blocks and here. */
  counts(): { readonly stored: Counts; readonly fresh: Counts };
  /** `before`: what a block has, where one has it. */
  putTransaction(record: Transaction, before: Placed | undefined): void;
  ledger(wallet: WalletName): HotLedger;
  ledgers(): readonly HotLedger[];
  hold(id: string): HoldSlot | undefined;
  holds(): ReadonlyMap<string, HoldSlot>;
  /** Its table has it as it is now, or has none. */
  settleHold(id: string, record: Hold | undefined): void;
  putHold(id: string, slot: HoldSlot): void;
  /** The line of a kept answer, or of one that was forgotten. */
  keptLine(id: string): string | undefined;
  kept(): ReadonlyMap<string, string>;
  putKept(kept: Kept): void;
  forgetKept(id: string): void;
  readonly due: DueList;
  /** The greatest id of a transaction so far. Ids grow with time, so a greater one is new. */
  greatestId(): string;
  /** What changed since `settle`. */
  pending(): Pending;
  /** The changes so far are written, in this row of the log; `entries` with this text. */
  settle(row: number, chars: number, entries: Pending["entries"]): void;
  /** How long the log is. */
  chars(): number;
  /** What the log has, oldest first. */
  segments(): readonly Segment[];
  /** The oldest of them is in blocks now. */
  stored(): void;
  /** A moment that `undo` goes back to. */
  mark(): void;
  undo(): void;
};

export type Stored = {
  readonly counts: Counts;
  readonly waiting: Iterable<Placed>;
  readonly greatestId: string;
  readonly entryCount: (wallet: WalletName) => number;
};

const nothingPending = (): { slots: Slot[]; holds: Hold[]; released: string[]; kept: string[] } => ({ slots: [], holds: [], released: [], kept: [] });
const noCounts = (): { all: number } & Record<Flow, number> => ({ all: 0, standard: 0, b2c: 0 });

/** `segmentMax`: so long is a segment at most, in characters, but for its last row. */
export const createHotRecords = (tables: Stored, segmentMax: number): HotRecords => {
  const transactions = new Map<string, Slot>();
  let fresh: Slot[] = [];
  const inBlocks = new Set<Slot>();
  let stored: Counts = tables.counts;
  let counted = noCounts();
  const ledgers = walletNames.map((name) => createHotLedger(name, tables.entryCount(name)));
  const ledgerOf = (wallet: WalletName): HotLedger => {
    const found = ledgers.find((one) => one.wallet === wallet);
    if (found === undefined) throw new Error(`There is no wallet ${wallet}.`);
    return found;
  };
  const holds = new Map<string, HoldSlot>();
  const kept = new Map<string, string>();
  const due = createDueList();
  for (const { record, place } of tables.waiting) due.set(record.id, record.dueMs, place);
  let { greatestId } = tables;
  /** What the next row of the log is made of, when all changes are known. */
  let pending = nothingPending();
  let marked = { slots: 0, holds: 0, released: 0, kept: 0 };
  const segments: Segment[] = [];
  let chars = 0;
  let undos: (() => void)[] = [];

  const addTransaction = (record: Transaction, before: Placed | undefined): void => {
    const { id } = record;
    const place = before?.place ?? stored.all + fresh.length + 1;
    const slot: Slot = { id, record, logged: before?.record, place, stored: before !== undefined, pending: true };
    transactions.set(id, slot);
    pending.slots.push(slot);
    if (slot.stored) inBlocks.add(slot);
    else {
      fresh.push(slot);
      counted.all += 1;
      counted[record.group] += 1;
    }
    const greatestBefore = greatestId;
    if (id > greatestId) greatestId = id;
    due.set(id, record.dueMs, place);
    undos.push(() => {
      transactions.delete(id);
      due.set(id, before?.record.dueMs, place);
      greatestId = greatestBefore;
      inBlocks.delete(slot);
      if (before !== undefined) return;
      fresh.pop();
      counted.all -= 1;
      counted[record.group] -= 1;
    });
  };
  const changeTransaction = (slot: Slot, record: Transaction): void => {
    const { record: before, pending: wasPending } = slot;
    slot.record = record;
    due.set(slot.id, record.dueMs, slot.place);
    if (!wasPending) {
      slot.pending = true;
      pending.slots.push(slot);
    }
    undos.push(() => {
      slot.record = before;
      slot.pending = wasPending;
      due.set(slot.id, before.dueMs, slot.place);
    });
  };
  const putBack = <V>(map: Map<string, V>, id: string, before: V | undefined): void => {
    if (before === undefined) map.delete(id);
    else map.set(id, before);
  };
  const setKept = (id: string, line: string): void => {
    const before = kept.get(id);
    kept.set(id, line);
    pending.kept.push(line);
    undos.push(() => putBack(kept, id, before));
  };
  const openSegment = (): Segment => {
    const last = segments.at(-1);
    if (last !== undefined && last.chars < segmentMax) return last;
    const next: Segment = { row: 0, chars: 0, transactions: 0, entries: [], kept: [], holds: [] };
    segments.push(next);
    return next;
  };

  return {
    transaction: (id) => transactions.get(id),
    fresh: () => fresh,
    changedInBlocks: () => inBlocks,
    openBefore: (place) => {
      for (let at = 0; at < place - stored.all; at += 1) if (fresh[at]?.record.dueMs !== undefined) return true;
      return false;
    },
    counts: () => ({ stored, fresh: counted }),
    putTransaction: (record, before) => {
      const slot = transactions.get(record.id);
      if (slot === undefined) addTransaction(record, before);
      else changeTransaction(slot, record);
    },
    ledger: ledgerOf,
    ledgers: () => ledgers,
    hold: (id) => holds.get(id),
    holds: () => holds,
    putHold: (id, slot) => {
      const before = holds.get(id);
      holds.set(id, slot);
      if (slot.record === undefined) pending.released.push(id);
      else pending.holds.push(slot.record);
      undos.push(() => putBack(holds, id, before));
    },
    keptLine: (id) => kept.get(id),
    kept: () => kept,
    putKept: (record) => setKept(record.id, keptLine(record)),
    forgetKept: (id) => setKept(id, forgottenLine(id)),
    due,
    greatestId: () => greatestId,
    pending: () => ({
      ...pending,
      transactions: pending.slots,
      entries: ledgers.flatMap((ledger) => {
        const text = ledger.text();
        return text === "" ? [] : [[ledger.wallet, text] as const];
      }),
    }),
    settleHold: (id, record) => {
      if (record === undefined) holds.delete(id);
      else holds.set(id, { record, stored: true });
    },
    settle: (row, size, written) => {
      for (const slot of pending.slots) {
        slot.logged = slot.record;
        slot.pending = false;
      }
      for (const [wallet, text] of written) ledgerOf(wallet).written(text);
      const segment = openSegment();
      segment.row = row;
      segment.chars += size;
      segment.transactions = stored.all + fresh.length;
      segment.entries = ledgers.map((ledger) => ledger.total());
      segment.kept.push(...pending.kept.map(keptIdOf));
      segment.holds.push(...pending.holds.map(({ id }) => id), ...pending.released);
      chars += size;
      pending = nothingPending();
      undos = [];
    },
    segments: () => segments,
    chars: () => chars,
    stored: () => {
      const segment = segments.shift();
      if (segment === undefined) return;
      chars -= segment.chars;
      const gone = fresh.slice(0, segment.transactions - stored.all);
      fresh = fresh.slice(gone.length);
      for (const { id } of [...gone, ...inBlocks]) transactions.delete(id);
      inBlocks.clear();
      const payouts = gone.filter(({ record }) => record.group === "b2c").length;
      stored = { all: stored.all + gone.length, standard: stored.standard + gone.length - payouts, b2c: stored.b2c + payouts };
      counted = { all: counted.all - gone.length, standard: counted.standard - gone.length + payouts, b2c: counted.b2c - payouts };
      ledgers.forEach((ledger, at) => void ledger.storedTo(segment.entries[at] ?? ledger.stored()));
      for (const id of segment.kept) kept.delete(id);
    },
    mark: () => {
      undos.length = 0;
      const { slots, holds: put, released, kept: lines } = pending;
      marked = { slots: slots.length, holds: put.length, released: released.length, kept: lines.length };
      for (const ledger of ledgers) ledger.mark();
    },
    undo: () => {
      while (undos.length > 0) undos.pop()?.();
      pending.slots.length = marked.slots;
      pending.holds.length = marked.holds;
      pending.released.length = marked.released;
      pending.kept.length = marked.kept;
      for (const ledger of ledgers) ledger.undo();
    },
  };
};
