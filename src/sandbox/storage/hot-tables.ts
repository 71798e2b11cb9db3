import type { Database } from "../../store/sqlite.ts";
import type { Entry, Settlement, Transaction, WalletName } from "../engine/entities.ts";
import type { PageQuery } from "../engine/tables.ts";
import { createHotRecords, type HotKind, type HotRecord, type HotRecords, type Slot } from "./hot-records.ts";
import { docOf, numberOf, type Prepared, parsed, recordsOf } from "./statements.ts";

/** Entries are only ever added and listed, so that many of a wallet share a row; `pos` is the place of its last. */
const blockMax = 128;
const walletNames: readonly WalletName[] = ["balance", "b2c", "b2cHeld", "global", "globalHeld"];

/** An entry without the names of its fields, as payments write more of these than of anything else. */
type Line = readonly [
  id: string,
  type: string,
  amount: number,
  balanceAfter: number,
  status: string,
  reference: string,
  description: string,
  createdMs: number,
  transactionId: string | null,
  settlement: Settlement | null,
];
/** One change in the log: the record and where its table has it, −1 where it does not yet; the id of one that was removed; or a wallet's entry. */
type Logged =
  | readonly [kind: Exclude<HotKind, "entry">, place: number, record: HotRecord]
  | readonly [kind: HotKind, id: string]
  | readonly ["entry", WalletName, Line];

export type HotTables = {
  /** Tables and log, as another process left them. */
  load(): HotRecords;
  /** One row with all of these. */
  log(slots: Iterable<Slot>): void;
  /** Brings the tables up to date with the oldest `count` of the new transactions and all else; so many changes are left in the log. */
  store(hot: HotRecords, count: number): { readonly count: number; readonly left: number };
  get(hot: HotRecords, kind: HotKind, id: string): HotRecord | undefined;
  put(hot: HotRecords, kind: HotKind, record: HotRecord): void;
  remove(hot: HotRecords, kind: HotKind, id: string): void;
  page(hot: HotRecords, kind: HotKind, query: PageQuery): readonly HotRecord[];
  count(hot: HotRecords, kind: HotKind, group: string | undefined): number;
  due(hot: HotRecords, atMs: number, limit: number): readonly HotRecord[];
};

const textOf = (slot: Slot): string => {
  if (slot.text !== "") return slot.text;
  const { record } = slot;
  slot.text = JSON.stringify(record === undefined ? null : isEntry(slot.kind, record) ? lineOf(record) : record);
  return slot.text;
};
const isEntry = (kind: HotKind, record: HotRecord): record is Entry => kind === "entry" && "balanceAfter" in record;
const lineOf = (entry: Entry): Line => [
  entry.id,
  entry.type,
  entry.amount,
  entry.balanceAfter,
  entry.status,
  entry.reference,
  entry.description,
  entry.createdMs,
  entry.transactionId ?? null,
  entry.settlement ?? null,
];
const entryOf = (group: WalletName, [id, type, amount, balanceAfter, status, reference, description, createdMs, transactionId, settlement]: Line): Entry => ({
  id,
  group,
  type,
  amount,
  balanceAfter,
  status,
  reference,
  description,
  createdMs,
  transactionId: transactionId ?? undefined,
  settlement: settlement ?? undefined,
});

/** Hot records over the tables that they are stored in. */
export const createHotTables = (database: Database, of: (kind: HotKind) => Prepared): HotTables => {
  const readLog = database.prepare("SELECT doc FROM log ORDER BY n");
  const addLog = database.prepare("INSERT INTO log (doc) VALUES (?)");
  const emptyLog = database.prepare("DELETE FROM log");
  const waiting = database.prepare("SELECT id, due, seq FROM tx WHERE due IS NOT NULL");
  const greatest = database.prepare("SELECT max(id) AS doc FROM tx");
  const blocks = database.prepare(
    "SELECT pos AS n, doc FROM entry WHERE grp = ?1 AND pos >= ?2 AND pos <= (SELECT min(pos) FROM entry WHERE grp = ?1 AND pos >= ?3) ORDER BY pos",
  );
  const countStored = (kind: HotKind, group: string | undefined): number =>
    numberOf(group === undefined ? of(kind).countAll.get() : of(kind).countGroup.get(group)) ?? 0;

  const replay = (hot: HotRecords, logged: Logged): void => {
    const [kind, at, what] = logged;
    if (logged[0] === "entry" && logged.length === 3) {
      hot.add("entry", entryOf(logged[1], logged[2]));
      return;
    }
    const record = what as HotRecord | undefined;
    const slot = hot.find(kind, record?.id ?? String(at));
    if (slot !== undefined) hot.replace(slot, record);
    else if (record === undefined) hot.hide(kind, String(at));
    else hot.add(kind, record, Number(at) < 0 ? undefined : Number(at));
  };
  /** Entries from the place after `from` up to `to`, oldest first. */
  const storedEntries = (wallet: WalletName, from: number, to: number): readonly Entry[] =>
    from >= to
      ? []
      : blocks.all(wallet, from + 1, to).flatMap((row) => {
          const found = parsed<Entry | readonly Line[]>(docOf(row) ?? "[]");
          // A row of one entry is of an earlier version.
          if ("id" in found) return [found];
          const first = (numberOf(row) ?? 0) - found.length;
          return found.slice(Math.max(0, from - first), Math.max(0, to - first)).map((line) => entryOf(wallet, line));
        });
  const entryPage = (hot: HotRecords, { group, offset = 0, limit }: PageQuery): readonly HotRecord[] => {
    const wallet = walletNames.find((name) => name === group);
    if (wallet === undefined) throw new Error("Entries are listed by their wallet.");
    const { stored, fresh } = hot.list("entry", wallet);
    const to = Math.max(0, stored + fresh.length - offset);
    const from = Math.max(0, to - limit);
    const added = fresh.slice(Math.max(0, from - stored), Math.max(0, to - stored));
    const records = added.map((slot) => slot.record ?? entryOf(wallet, parsed<Line>(slot.text)));
    return [...storedEntries(wallet, from, Math.min(to, stored)), ...records].reverse();
  };
  const transactionPage = (hot: HotRecords, { group, offset = 0, limit }: PageQuery): readonly HotRecord[] => {
    const { fresh } = hot.list("tx", group);
    const to = Math.max(0, fresh.length - offset);
    const added = recordsIn(fresh.slice(Math.max(0, to - limit), to)).reverse();
    const left = limit - added.length;
    if (left <= 0) return added;
    const skipped = Math.max(0, offset - fresh.length);
    const older = recordsOf<Transaction>(group === undefined ? of("tx").pageAll.all(skipped, left) : of("tx").pageGroup.all(group, skipped, left));
    return [...added, ...older.map((one) => hot.find("tx", one.id)?.record ?? one)];
  };
  /** Few, and looked at as a whole. */
  const wholeList = (hot: HotRecords, kind: HotKind, group: string | undefined): readonly HotRecord[] => {
    const older = recordsOf<HotRecord>(group === undefined ? of(kind).pageAll.all(0, -1) : of(kind).pageGroup.all(group, 0, -1));
    const added = recordsIn([...hot.all(kind)]).filter((one) => group === undefined || one.group === group);
    return [...added.reverse(), ...older.filter((one) => hot.find(kind, one.id) === undefined)];
  };
  const countOf = (hot: HotRecords, kind: HotKind, group: string | undefined): number => {
    if (kind === "hold" || kind === "kept") return wholeList(hot, kind, group).length;
    const { stored, fresh } = hot.list(kind, group);
    return stored + fresh.length;
  };
  const storeTransactions = (hot: HotRecords, fresh: readonly Slot[]): void => {
    const { insert, update } = of("tx");
    for (const slot of hot.all("tx")) if (slot.stored) update.run(slot.id, slot.record?.dueMs ?? null, textOf(slot));
    const places = new Map<string, number>();
    for (const slot of fresh) {
      const group = slot.record?.group ?? "";
      const place = (places.get(group) ?? hot.list("tx", group).stored) + 1;
      places.set(group, place);
      insert.run(slot.id, group, place, slot.record?.dueMs ?? null, textOf(slot));
    }
  };
  const log = (slots: Iterable<Slot>): void => {
    let text = "";
    for (const slot of slots) {
      const { kind, id, record } = slot;
      const at = kind === "entry" ? `"${record?.group ?? ""}"` : slot.stored ? slot.place : -1;
      text += text === "" ? "[" : ",";
      text += record === undefined ? `["${kind}",${JSON.stringify(id)}]` : `["${kind}",${at},${textOf(slot)}]`;
      // Entries are seldom looked at: the text will do.
      if (kind === "entry") slot.record = undefined;
    }
    addLog.run(`${text}]`);
  };
  const storeOne = (slot: Slot): void => {
    if (slot.stored) of(slot.kind).remove.run(slot.id);
    if (slot.record !== undefined) of(slot.kind).put.run(slot.id, slot.record.group, slot.record.dueMs ?? null, textOf(slot));
  };
  const storeEntries = (hot: HotRecords): void => {
    for (const wallet of walletNames) {
      const { stored, fresh } = hot.list("entry", wallet);
      for (let from = 0; from < fresh.length; from += blockMax) {
        const block = fresh.slice(from, from + blockMax);
        of("entry").insert.run(block[0]?.id ?? "", wallet, stored + from + block.length, null, `[${block.map(textOf).join(",")}]`);
      }
    }
  };

  return {
    load: () => {
      const hot = createHotRecords({ count: countStored, waiting: waiting.all().flatMap(waitingOf), greatestId: docOf(greatest.get()) ?? "" });
      for (const row of readLog.all()) for (const logged of parsed<readonly Logged[]>(docOf(row) ?? "[]")) replay(hot, logged);
      return hot;
    },
    log,
    store: (hot, count) => {
      const { fresh } = hot.list("tx", undefined);
      storeTransactions(hot, fresh.slice(0, count));
      storeEntries(hot);
      for (const slot of hot.all("kept")) storeOne(slot);
      // A payout's hold goes when it does: it stays in the log with it.
      for (const slot of hot.all("hold")) if (slot.stored || count === fresh.length) storeOne(slot);
      emptyLog.run();
      const left = hot.staying(count);
      if (left.length > 0) log(left);
      return { count, left: left.length };
    },
    get: (hot, kind, id) => {
      const slot = hot.find(kind, id);
      if (slot !== undefined) return slot.record;
      const doc = docOf(of(kind).get.get(id));
      return doc === undefined ? undefined : parsed<HotRecord>(doc);
    },
    put: (hot, kind, record) => {
      const slot = hot.find(kind, record.id);
      if (slot !== undefined) hot.replace(slot, record);
      else hot.add(kind, record, kind !== "tx" || record.id > hot.greatestId() ? undefined : numberOf(of(kind).get.get(record.id)));
    },
    remove: (hot, kind, id) => {
      const slot = hot.find(kind, id);
      if (slot === undefined) hot.hide(kind, id);
      else hot.replace(slot, undefined);
    },
    page: (hot, kind, query) => {
      const { offset = 0, limit } = query;
      if (kind === "tx") return transactionPage(hot, query);
      if (kind === "entry") return entryPage(hot, query);
      return wholeList(hot, kind, query.group).slice(offset, offset + limit);
    },
    count: countOf,
    due: (hot, atMs, limit) =>
      hot.due.due(atMs, limit).flatMap((id) => {
        const slot = hot.find("tx", id);
        const found = slot === undefined ? parsed<Transaction>(docOf(of("tx").get.get(id)) ?? "null") : slot.record;
        return found ?? [];
      }),
  };
};

const recordsIn = (slots: readonly Slot[]): HotRecord[] => slots.flatMap(({ record }) => record ?? []);
const waitingOf = (row: unknown): readonly { readonly id: string; readonly dueMs: number; readonly place: number }[] =>
  typeof row === "object" && row !== null && "id" in row && "due" in row && "seq" in row
    ? [{ id: String(row.id), dueMs: Number(row.due), place: Number(row.seq) }]
    : [];
