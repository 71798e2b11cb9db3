import type { Database } from "../../storage/sqlite.ts";
import type { Entry, Kept, Transaction, WalletName } from "../engine/entities.ts";
import { createKeptIndex, hashOf } from "./kept-index.ts";
import { entriesOf, entryOf, isForgotten, keptIdOf, keptOf, transactionLine, transactionOf } from "./lines.ts";
import { docOf, numberOf } from "./statements.ts";

/**
 * Where hot records stay for good: many lines a row, as one row for each would cost more than all else that a payment does. A row is
 * named by the place of its last line, so that any page is found at once, and its first id finds any transaction, as ids grow.
 */
export const blocksSchema = `
  CREATE TABLE IF NOT EXISTS tx_block (n INTEGER PRIMARY KEY, first TEXT NOT NULL, standard INTEGER NOT NULL, b2c INTEGER NOT NULL, due INTEGER, doc TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS tx_block_first ON tx_block (first);
  CREATE INDEX IF NOT EXISTS tx_block_standard ON tx_block (standard);
  CREATE INDEX IF NOT EXISTS tx_block_b2c ON tx_block (b2c);
  CREATE INDEX IF NOT EXISTS tx_block_due ON tx_block (due) WHERE due IS NOT NULL;
  CREATE TABLE IF NOT EXISTS entry_block (seq INTEGER PRIMARY KEY, wallet TEXT NOT NULL, n INTEGER NOT NULL, doc TEXT NOT NULL);
  CREATE UNIQUE INDEX IF NOT EXISTS entry_block_n ON entry_block (wallet, n);
  CREATE TABLE IF NOT EXISTS kept_block (n INTEGER PRIMARY KEY AUTOINCREMENT, due INTEGER NOT NULL, hashes BLOB NOT NULL, doc TEXT NOT NULL);`;
export const blockTables = ["tx_block", "entry_block", "kept_block"] as const;

/** Small enough that one record of many is found quickly. */
const transactionsMax = 64;
const entriesMin = 128;
const keptMax = 64;

export type Flow = Transaction["group"];
/** So many of all, and of each flow. */
export type Counts = { readonly all: number } & Readonly<Record<Flow, number>>;
/** A transaction and its place among all, from 1. */
export type Placed = { readonly place: number; readonly record: Transaction };

/** Entries that shared a commit: how many, and their values as JSON. */
export type Chunk = { readonly count: number; readonly text: string };

export type Blocks = {
  counts(): Counts;
  greatestId(): string;
  find(id: string): Placed | undefined;
  /** Those to which something happens. */
  waiting(): readonly Placed[];
  /** Places from + 1 to `to` among all or those of a flow, oldest first. */
  transactions(flow: Flow | undefined, from: number, to: number): readonly Transaction[];
  /** Adds new ones after all that are there. */
  addTransactions(records: readonly Transaction[]): void;
  replaceTransactions(changed: readonly Placed[]): void;
  entryCount(wallet: WalletName): number;
  entries(wallet: WalletName, from: number, to: number): readonly Entry[];
  addEntries(wallet: WalletName, stored: number, chunks: readonly Chunk[]): void;
  findKept(id: string): Kept | undefined;
  addKept(lines: readonly string[]): void;
  /** When the oldest kept answers may go. */
  keptDueMs(): number | undefined;
  dropKept(atMs: number): void;
  /** Takes in what other processes wrote since; `anew` where something of this one was not written after all. */
  refresh(anew?: boolean): void;
};

const linesOf = (row: unknown): string[] => (docOf(row) ?? "").split("\n");
const column = (row: unknown, name: string): number => (typeof row === "object" && row !== null ? Number(Reflect.get(row, name) ?? 0) : 0);
const chunked = <T>(list: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
const earliestDue = (records: readonly Transaction[]): number | null =>
  records.reduce<number | null>((least, { dueMs }) => (dueMs === undefined || (least !== null && least <= dueMs) ? least : dueMs), null);

/** A block that was read: its lines, and those of its records that were looked at. */
type Read = { readonly n: number; readonly lines: string[]; readonly records: Transaction[] };
/** So many blocks stay read: those that are asked for again and again, and the next page. */
const readMax = 32;

const transactionBlocks = (database: Database) => {
  const newest = database.prepare("SELECT n, standard, b2c FROM tx_block ORDER BY n DESC LIMIT 1");
  const get = database.prepare("SELECT doc FROM tx_block WHERE n = ?");
  const byId = database.prepare("SELECT n FROM tx_block WHERE first <= ? ORDER BY first DESC LIMIT 1");
  const byPlace = database.prepare("SELECT n FROM tx_block WHERE n >= ? ORDER BY n LIMIT 1");
  const due = database.prepare("SELECT n FROM tx_block WHERE due IS NOT NULL ORDER BY n");
  // By the index of its own places: by `n` alone, the way to the newest page would lead past all of the others.
  const between = (place: "n" | Flow) =>
    database.prepare(
      `SELECT n, ${place} AS place FROM tx_block WHERE ${place} BETWEEN ?1 AND (SELECT min(${place}) FROM tx_block WHERE ${place} >= ?2)
       AND +n <= (SELECT n FROM tx_block WHERE ${place} >= ?2 ORDER BY ${place}, n LIMIT 1) ORDER BY ${place}, +n`,
    );
  const betweens = { all: between("n"), standard: between("standard"), b2c: between("b2c") };
  const insert = database.prepare("INSERT INTO tx_block (n, first, standard, b2c, due, doc) VALUES (?, ?, ?, ?, ?, ?)");
  const update = database.prepare("UPDATE tx_block SET due = ?2, doc = ?3 WHERE n = ?1");
  const reads = new Map<number, Read>();
  const blockAt = (n: number): Read => {
    const found = reads.get(n) ?? { n, lines: linesOf(get.get(n)), records: [] };
    reads.delete(n);
    reads.set(n, found);
    const [oldest = n] = reads.keys();
    if (reads.size > readMax) reads.delete(oldest);
    return found;
  };
  const recordAt = (block: Read, at: number): Transaction => {
    const record = block.records[at] ?? transactionOf(block.lines[at] ?? "");
    block.records[at] = record;
    return record;
  };
  const placed = (block: Read, at: number): Placed => ({ place: block.n - block.lines.length + at + 1, record: recordAt(block, at) });
  const counts = (): Counts => {
    const row = newest.get();
    return { all: column(row, "n"), standard: column(row, "standard"), b2c: column(row, "b2c") };
  };
  return {
    counts,
    forgetReads: () => reads.clear(),
    greatestId: () => {
      const { all } = counts();
      const block = all === 0 ? undefined : blockAt(all);
      return block === undefined ? "" : recordAt(block, block.lines.length - 1).id;
    },
    find: (id: string): Placed | undefined => {
      const n = numberOf(byId.get(id));
      if (n === undefined) return undefined;
      const block = blockAt(n);
      const at = block.lines.findIndex((line) => line.startsWith(`${id} `, 1));
      return at === -1 ? undefined : placed(block, at);
    },
    waiting: (): readonly Placed[] =>
      due.all().flatMap((row) => {
        const block = blockAt(column(row, "n"));
        return block.lines.flatMap((_, at) => {
          const one = placed(block, at);
          return one.record.dueMs === undefined ? [] : [one];
        });
      }),
    transactions: (flow: Flow | undefined, from: number, to: number): readonly Transaction[] => {
      if (from >= to) return [];
      const found: Transaction[] = [];
      for (const row of betweens[flow ?? "all"].all(from + 1, to)) {
        const block = blockAt(column(row, "n"));
        const places = [...block.lines.keys()].filter((at) => flow === undefined || (block.lines[at]?.[0] === "b") === (flow === "b2c"));
        const first = column(row, "place") - places.length;
        for (const at of places.slice(Math.max(0, from - first), Math.max(0, to - first))) found.push(recordAt(block, at));
      }
      return found;
    },
    addTransactions: (records: readonly Transaction[]): void => {
      let { all, standard, b2c } = counts();
      for (const block of chunked(records, transactionsMax)) {
        const payouts = block.filter((one) => one.group === "b2c").length;
        all += block.length;
        standard += block.length - payouts;
        b2c += payouts;
        insert.run(all, block[0]?.id ?? "", standard, b2c, earliestDue(block), block.map(transactionLine).join("\n"));
      }
    },
    replaceTransactions: (changed: readonly Placed[]): void => {
      const inOrder = [...changed].sort((left, right) => left.place - right.place);
      for (let at = 0; at < inOrder.length; ) {
        const n = numberOf(byPlace.get(inOrder[at]?.place ?? 0));
        if (n === undefined) throw new Error("A transaction of the sandbox is not where it was.");
        const lines = [...blockAt(n).lines];
        for (let one = inOrder[at]; one !== undefined && one.place <= n; one = inOrder[at]) {
          lines[one.place - (n - lines.length) - 1] = transactionLine(one.record);
          at += 1;
        }
        reads.delete(n);
        update.run(n, earliestDue(lines.map(transactionOf)), lines.join("\n"));
      }
    },
  };
};

const entryBlocks = (database: Database) => {
  const count = database.prepare("SELECT coalesce(max(n), 0) AS n FROM entry_block WHERE wallet = ?");
  const between = database.prepare(
    "SELECT n, doc FROM entry_block WHERE wallet = ?1 AND n >= ?2 AND n <= (SELECT min(n) FROM entry_block WHERE wallet = ?1 AND n >= ?3) ORDER BY n",
  );
  const insert = database.prepare("INSERT INTO entry_block (wallet, n, doc) VALUES (?, ?, ?)");
  return {
    entryCount: (wallet: WalletName): number => numberOf(count.get(wallet)) ?? 0,
    entries: (wallet: WalletName, from: number, to: number): readonly Entry[] =>
      from >= to
        ? []
        : between.all(wallet, from + 1, to).flatMap((row) => {
            const values = linesOf(row).flatMap(entriesOf);
            const first = column(row, "n") - values.length;
            return values.slice(Math.max(0, from - first), Math.max(0, to - first)).map((one) => entryOf(wallet, one));
          }),
    addEntries: (wallet: WalletName, stored: number, chunks: readonly Chunk[]): void => {
      let last = stored;
      let texts: string[] = [];
      let count = 0;
      chunks.forEach((chunk, at) => {
        texts.push(chunk.text);
        count += chunk.count;
        if (count < entriesMin && at < chunks.length - 1) return;
        last += count;
        insert.run(wallet, last, texts.join("\n"));
        texts = [];
        count = 0;
      });
    },
  };
};

const keptBlocks = (database: Database) => {
  const rows = database.prepare("SELECT n, hashes FROM kept_block WHERE n > ? ORDER BY n");
  const ends = database.prepare("SELECT min(n) AS first, max(n) AS last FROM kept_block");
  const get = database.prepare("SELECT doc FROM kept_block WHERE n = ?");
  const insert = database.prepare("INSERT INTO kept_block (due, hashes, doc) VALUES (?, ?, ?)");
  const newest = database.prepare("SELECT max(n) AS n FROM kept_block");
  const nextDue = database.prepare("SELECT oldest.due AS n FROM kept_block AS oldest ORDER BY oldest.n LIMIT 1");
  const drop = database.prepare("DELETE FROM kept_block WHERE due <= ?");
  let index = createKeptIndex();
  let known = { first: 0, last: 0 };
  const refresh = (anew = false): void => {
    const row = ends.get();
    const found = { first: column(row, "first"), last: column(row, "last") };
    if (anew || (found.first !== known.first && known.first !== 0)) {
      index = createKeptIndex();
      known = { first: 0, last: 0 };
    }
    if (found.last === known.last) return;
    for (const one of rows.all(known.last)) {
      const blob: unknown = typeof one === "object" && one !== null ? Reflect.get(one, "hashes") : undefined;
      if (!(blob instanceof Uint8Array)) continue;
      // A copy, as the bytes need not begin where eight of them may.
      for (const hash of new Float64Array(blob.slice().buffer)) index.add(hash, column(one, "n"));
    }
    known = found;
  };
  return {
    refresh,
    findKept: (id: string): Kept | undefined => {
      const block = index.find(hashOf(id));
      if (block === undefined) return undefined;
      const line = linesOf(get.get(block)).findLast((one) => keptIdOf(one) === id);
      return line === undefined || isForgotten(line) ? undefined : keptOf(line);
    },
    addKept: (lines: readonly string[]): void => {
      for (const block of chunked(lines, keptMax)) {
        const hashes = Float64Array.from(block, (line) => hashOf(keptIdOf(line)));
        // All may go equally long after they came: the last one last.
        const last = block.findLast((line) => !isForgotten(line));
        const due = last === undefined ? 0 : (keptOf(last).dueMs ?? 0);
        insert.run(due, new Uint8Array(hashes.buffer), block.join("\n"));
        const n = numberOf(newest.get()) ?? 0;
        for (const hash of hashes) index.add(hash, n);
        known = { first: known.first === 0 ? n : known.first, last: n };
      }
    },
    keptDueMs: () => numberOf(nextDue.get()),
    dropKept: (atMs: number): void => {
      if (Number(drop.run(atMs).changes) > 0) refresh();
    },
  };
};

export const createBlocks = (database: Database): Blocks => {
  const transactions = transactionBlocks(database);
  const kept = keptBlocks(database);
  return {
    ...transactions,
    ...entryBlocks(database),
    ...kept,
    refresh: (anew) => {
      transactions.forgetReads();
      kept.refresh(anew);
    },
  };
};
