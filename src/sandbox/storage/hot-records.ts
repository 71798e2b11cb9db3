import type { Entry, Hold, Kept, Transaction, WalletName } from "../engine/entities.ts";
import type { Counts, Flow, Placed } from "./blocks.ts";
import { createDueList, type DueList } from "./due-list.ts";
import { changesOf, entryLine, holdLine, keptLine, marks, transactionLine, walletNames } from "./lines.ts";

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
/** A wallet's entries: so many in blocks, then these. */
type Ledger = { stored: number; lines: string[] };
/** A hold; `undefined` once it was released. */
export type HoldSlot = { readonly record: Hold | undefined; readonly stored: boolean };
/** Rows of the log that go into blocks together. Places are among all that ever were. */
export type Segment = {
  /** Its last row. */
  row: number;
  chars: number;
  /** The place of the last transaction that was new in it. */
  transactions: number;
  readonly entries: Map<WalletName, number>;
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
  ledger(wallet: WalletName): { readonly stored: number; readonly lines: readonly string[] };
  putEntry(entry: Entry): void;
  hold(id: string): HoldSlot | undefined;
  holds(): ReadonlyMap<string, HoldSlot>;
  /** Its table has it as it is now, or has none. */
  settleHold(id: string, record: Hold | undefined): void;
  putHold(id: string, slot: HoldSlot): void;
  /** The line of a kept answer; empty where it was forgotten. */
  keptLine(id: string): string | undefined;
  kept(): ReadonlyMap<string, string>;
  putKept(kept: Kept): void;
  forgetKept(id: string): void;
  readonly due: DueList;
  /** The greatest id of a transaction so far. Ids grow with time, so a greater one is new. */
  greatestId(): string;
  /** What changed since `settle`, as the log has it; empty where nothing did. */
  pendingText(): string;
  /** The changes so far are written, in this row of the log. */
  settle(row: number, chars: number): void;
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

const noCounts = (): { all: number } & Record<Flow, number> => ({ all: 0, standard: 0, b2c: 0 });

/** `segmentMax`: so long is a segment at most, in characters, but for its last row. */
export const createHotRecords = (tables: Stored, segmentMax: number): HotRecords => {
  const transactions = new Map<string, Slot>();
  let fresh: Slot[] = [];
  const inBlocks = new Set<Slot>();
  let stored: Counts = tables.counts;
  let counted = noCounts();
  const ledgers = new Map<WalletName, Ledger>(walletNames.map((name) => [name, { stored: tables.entryCount(name), lines: [] }]));
  const ledgerOf = (wallet: WalletName): Ledger => {
    const found = ledgers.get(wallet);
    if (found === undefined) throw new Error(`There is no wallet ${wallet}.`);
    return found;
  };
  const holds = new Map<string, HoldSlot>();
  const kept = new Map<string, string>();
  const due = createDueList();
  for (const { record, place } of tables.waiting) due.set(record.id, record.dueMs, place);
  let { greatestId } = tables;
  /** Lines of the log to be; a transaction's is made when all of its changes are known. */
  let pending: (string | Slot)[] = [];
  let pendingMarked = 0;
  let touchedKept: string[] = [];
  let touchedHolds: string[] = [];
  const segments: Segment[] = [];
  let chars = 0;
  let undos: (() => void)[] = [];

  const addTransaction = (record: Transaction, before: Placed | undefined): void => {
    const { id } = record;
    const place = before?.place ?? stored.all + fresh.length + 1;
    const slot: Slot = { id, record, logged: before?.record, place, stored: before !== undefined, pending: true };
    transactions.set(id, slot);
    pending.push(slot);
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
      pending.push(slot);
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
  const setKept = (id: string, line: string, text: string): void => {
    const before = kept.get(id);
    kept.set(id, line);
    touchedKept.push(id);
    pending.push(text);
    undos.push(() => putBack(kept, id, before));
  };
  const lineOf = (slot: Slot): string =>
    slot.logged === undefined ? `${marks.tx}${transactionLine(slot.record)}` : `${marks.changed}${slot.id} ${changesOf(slot.logged, slot.record)}`;

  const openSegment = (): Segment => {
    const last = segments.at(-1);
    if (last !== undefined && last.chars < segmentMax) return last;
    const next: Segment = { row: 0, chars: 0, transactions: 0, entries: new Map(), kept: [], holds: [] };
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
    putEntry: (entry) => {
      const line = entryLine(entry);
      ledgerOf(entry.group).lines.push(line);
      pending.push(`${marks.entry}${walletNames.indexOf(entry.group)}${line}`);
    },
    hold: (id) => holds.get(id),
    holds: () => holds,
    putHold: (id, slot) => {
      const before = holds.get(id);
      holds.set(id, slot);
      touchedHolds.push(id);
      pending.push(slot.record === undefined ? `${marks.released}${id}` : `${marks.hold}${holdLine(slot.record)}`);
      undos.push(() => putBack(holds, id, before));
    },
    keptLine: (id) => kept.get(id),
    kept: () => kept,
    putKept: (record) => {
      const line = keptLine(record);
      setKept(record.id, line, marks.kept + line);
    },
    forgetKept: (id) => setKept(id, "", marks.forgotten + id),
    due,
    greatestId: () => greatestId,
    pendingText: () => pending.map((one) => (typeof one === "string" ? one : lineOf(one))).join("\n"),
    settleHold: (id, record) => {
      if (record === undefined) holds.delete(id);
      else holds.set(id, { record, stored: true });
    },
    settle: (row, size) => {
      for (const one of pending) {
        if (typeof one === "string") continue;
        one.logged = one.record;
        one.pending = false;
      }
      const segment = openSegment();
      segment.row = row;
      segment.chars += size;
      segment.transactions = stored.all + fresh.length;
      for (const [wallet, ledger] of ledgers) segment.entries.set(wallet, ledger.stored + ledger.lines.length);
      segment.kept.push(...touchedKept);
      segment.holds.push(...touchedHolds);
      chars += size;
      touchedKept = [];
      touchedHolds = [];
      pending = [];
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
      for (const [wallet, ledger] of ledgers) {
        const last = segment.entries.get(wallet) ?? ledger.stored;
        ledger.lines = ledger.lines.slice(last - ledger.stored);
        ledger.stored = last;
      }
      for (const id of segment.kept) kept.delete(id);
    },
    mark: () => {
      undos.length = 0;
      pendingMarked = pending.length;
    },
    undo: () => {
      while (undos.length > 0) undos.pop()?.();
      for (const one of pending.splice(pendingMarked)) {
        const wallet = typeof one === "string" && one.startsWith(marks.entry) ? walletNames[Number(one[1])] : undefined;
        if (wallet !== undefined) ledgerOf(wallet).lines.pop();
      }
    },
  };
};
