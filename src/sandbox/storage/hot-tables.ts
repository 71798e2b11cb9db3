import type { Database } from "../../storage/sqlite.ts";
import type { Entry, Hold, Kept, KindName, Transaction, WalletName } from "../engine/entities.ts";
import type { PageQuery } from "../engine/tables.ts";
import { createBlocks, type Flow } from "./blocks.ts";
import { createHotRecords, type HotKinds, type HotRecords } from "./hot-records.ts";
import { type Changes, changed, isForgotten, keptIdOf, keptOf, logText, readLogText, walletNames } from "./lines.ts";
import { docOf, numberOf, type Prepared, parsed, recordsOf } from "./statements.ts";

/** One kind of hot records over log and blocks. */
type HotTable<R> = {
  get(id: string): R | undefined;
  put(record: R): void;
  remove(id: string): void;
  page(query: PageQuery): readonly R[];
  count(group: string | undefined): number;
};
export type HotTables = { readonly [K in keyof HotKinds]: HotTable<HotKinds[K]> } & {
  /** What is in log and blocks, as other processes left it; `anew` where a commit of this one failed. */
  load(anew: boolean): HotRecords;
  /** Nothing yet. */
  none(): HotRecords;
  /** Goes back to what was in use before a `load`. */
  use(hot: HotRecords): void;
  /** What blocks are known to have is looked at again. */
  refresh(): void;
  due(atMs: number, limit: number): readonly Transaction[];
  keptDueMs(): number | undefined;
  dropKept(atMs: number): void;
  /** The changes so far, as one more row of the log. */
  log(): void;
  /** Writes the oldest segment of the log into blocks. */
  store(): void;
};

export const isHot = (kind: KindName): kind is keyof HotKinds => kind === "tx" || kind === "entry" || kind === "hold" || kind === "kept";
const flowOf = (group: string | undefined): Flow | undefined => (group === "b2c" || group === "standard" ? group : undefined);
const never = (): never => {
  throw new Error("Nothing of that kind is ever removed or looked for by its id.");
};

/** Oldest first as they are kept, newest first as they are shown: places from + 1 to `to` of a page. */
const placesOf = (total: number, { offset = 0, limit }: PageQuery): { readonly from: number; readonly to: number } => {
  const to = Math.max(0, total - offset);
  return { from: limit < 0 ? 0 : Math.max(0, to - limit), to };
};

/** Hot records over the blocks that they are stored in. */
export const createHotTables = (database: Database, holdTable: () => Prepared, segmentMax: number): HotTables => {
  const readLog = database.prepare("SELECT n, doc FROM log ORDER BY n");
  const addLog = database.prepare("INSERT INTO log (n, doc) VALUES (?, ?)");
  const shortenLog = database.prepare("DELETE FROM log WHERE n <= ?");
  const blocks = createBlocks(database);
  const nothing = { counts: { all: 0, standard: 0, b2c: 0 }, waiting: [], greatestId: "", entryCount: () => 0 };
  let hot = createHotRecords(nothing, segmentMax);
  /** The log's last. */
  let row = 0;

  const replayChanges = (changes: Changes): void => {
    const [id] = changes;
    const slot = hot.transaction(id);
    const before = slot === undefined ? blocks.find(id) : undefined;
    const record = slot?.record ?? before?.record;
    if (record === undefined) throw new Error("The sandbox's log changes a transaction that is not there.");
    hot.putTransaction(changed(record, changes), before);
  };
  const replay = (text: string): void => {
    const entries: [WalletName, string][] = [];
    readLogText(text, {
      transaction: (record) => hot.putTransaction(record, undefined),
      changes: replayChanges,
      entries: (wallet, found) => void entries.push([wallet, found]),
      hold: (record) => hot.putHold(record.id, { record, stored: false }),
      released: (id) => hot.putHold(id, { record: undefined, stored: hot.hold(id)?.stored !== false }),
      kept: (line) => (isForgotten(line) ? hot.forgetKept(keptIdOf(line)) : hot.putKept(keptOf(line))),
    });
    hot.settle(row, text.length, entries);
  };
  const storedHold = (id: string): Hold | undefined => {
    const doc = docOf(holdTable().get.get(id));
    return doc === undefined ? undefined : parsed<Hold>(doc);
  };
  const wholeHolds = (group: string | undefined): readonly Hold[] => {
    const older = recordsOf<Hold>(group === undefined ? holdTable().pageAll.all(0, -1) : holdTable().pageGroup.all(group, 0, -1));
    const added = [...hot.holds().values()].flatMap(({ record }) => (record !== undefined && (group === undefined || record.group === group) ? [record] : []));
    return [...added.reverse(), ...older.filter((one) => hot.hold(one.id) === undefined)];
  };
  /** New ones of a flow, places from + 1 to `to` among `count` of them, newest first: looked for from the end, where pages are. */
  const newest = (flow: Flow | undefined, count: number, from: number, to: number): readonly Transaction[] => {
    if (from >= to) return [];
    const found: Transaction[] = [];
    const slots = hot.fresh();
    for (let at = slots.length - 1, place = count; place > from; at -= 1) {
      const record = slots[at]?.record;
      if (record === undefined) break;
      if (flow !== undefined && record.group !== flow) continue;
      if (place <= to) found.push(record);
      place -= 1;
    }
    return found;
  };
  const transactionPage = (query: PageQuery): readonly Transaction[] => {
    const flow = flowOf(query.group);
    const { stored, fresh } = hot.counts();
    const inBlocks = stored[flow ?? "all"];
    const { from, to } = placesOf(inBlocks + fresh[flow ?? "all"], query);
    const added = newest(flow, fresh[flow ?? "all"], Math.max(0, from - inBlocks), Math.max(0, to - inBlocks));
    const older = blocks.transactions(flow, from, Math.min(to, inBlocks)).map((one) => hot.transaction(one.id)?.record ?? one);
    return [...added, ...older.reverse()];
  };
  const entryPage = (query: PageQuery): readonly Entry[] => {
    const wallet = walletNames.find((name) => name === query.group);
    if (wallet === undefined) throw new Error("Entries are listed by their wallet.");
    const ledger = hot.ledger(wallet);
    const { from, to } = placesOf(ledger.total(), query);
    const stored = ledger.stored();
    return [...blocks.entries(wallet, from, Math.min(to, stored)), ...ledger.entries(Math.max(from, stored), to)].reverse();
  };
  const entryCount = (group: string | undefined): number => {
    const names: readonly WalletName[] = group === undefined ? walletNames : walletNames.filter((name) => name === group);
    return names.reduce((sum, name) => sum + hot.ledger(name).total(), 0);
  };
  const findKept = (id: string): Kept | undefined => {
    const line = hot.keptLine(id);
    if (line === undefined) return blocks.findKept(id);
    return isForgotten(line) ? undefined : keptOf(line);
  };
  const storeHold = (id: string): void => {
    const slot = hot.hold(id);
    if (slot === undefined) return;
    const { record, stored } = slot;
    if (record === undefined && stored) holdTable().remove.run(id);
    else if (record !== undefined && !stored) holdTable().put.run(id, record.group, null, JSON.stringify(record));
    hot.settleHold(id, record);
  };

  return {
    tx: {
      get: (id) => hot.transaction(id)?.record ?? (id > hot.greatestId() ? undefined : blocks.find(id)?.record),
      put: (record) =>
        hot.putTransaction(record, hot.transaction(record.id) !== undefined || record.id > hot.greatestId() ? undefined : blocks.find(record.id)),
      remove: never,
      page: transactionPage,
      count: (group) => {
        const { stored, fresh } = hot.counts();
        const flow = flowOf(group) ?? "all";
        return stored[flow] + fresh[flow];
      },
    },
    entry: { get: never, put: (record) => hot.ledger(record.group).put(record), remove: never, page: entryPage, count: entryCount },
    hold: {
      get: (id) => {
        const slot = hot.hold(id);
        return slot === undefined ? storedHold(id) : slot.record;
      },
      put: (record) => hot.putHold(record.id, { record, stored: hot.hold(record.id)?.stored ?? false }),
      remove: (id) => hot.putHold(id, { record: undefined, stored: hot.hold(id)?.stored ?? true }),
      page: (query) => wholeHolds(query.group).slice(query.offset ?? 0, (query.offset ?? 0) + query.limit),
      count: (group) => wholeHolds(group).length,
    },
    kept: { get: findKept, put: (record) => hot.putKept(record), remove: (id) => hot.forgetKept(id), page: never, count: never },
    load: (anew) => {
      blocks.refresh(anew);
      const stored = { counts: blocks.counts(), waiting: blocks.waiting(), greatestId: blocks.greatestId(), entryCount: blocks.entryCount };
      hot = createHotRecords(stored, segmentMax);
      row = 0;
      for (const found of readLog.iterate()) {
        const text = docOf(found) ?? "";
        row = numberOf(found) ?? 0;
        replay(text);
      }
      return hot;
    },
    none: () => hot,
    use: (next) => {
      hot = next;
    },
    refresh: () => blocks.refresh(true),
    due: (atMs, limit) => hot.due.due(atMs, limit).flatMap((id) => hot.transaction(id)?.record ?? blocks.find(id)?.record ?? []),
    keptDueMs: () => {
      const [first] = hot.kept().values();
      return blocks.keptDueMs() ?? (first === undefined || isForgotten(first) ? undefined : keptOf(first).dueMs);
    },
    dropKept: (atMs) => {
      blocks.dropKept(atMs);
      for (const [id, line] of hot.kept()) if (!isForgotten(line) && (keptOf(line).dueMs ?? atMs + 1) <= atMs) hot.forgetKept(id);
    },
    log: () => {
      const pending = hot.pending();
      const text = logText(pending);
      if (text === "") return;
      row += 1;
      addLog.run(row, text);
      hot.settle(row, text.length, pending.entries);
    },
    store: () => {
      const [segment] = hot.segments();
      if (segment === undefined) return;
      const { stored } = hot.counts();
      if (hot.changedInBlocks().size > 0) blocks.replaceTransactions([...hot.changedInBlocks()]);
      blocks.addTransactions(
        hot
          .fresh()
          .slice(0, segment.transactions - stored.all)
          .map(({ record }) => record),
      );
      hot.ledgers().forEach((ledger, at) => {
        blocks.addEntries(ledger.wallet, ledger.stored(), ledger.chunksTo(segment.entries[at] ?? 0));
      });
      const kept = [...new Set(segment.kept)].flatMap((id) => hot.keptLine(id) ?? []);
      blocks.addKept(kept);
      for (const id of new Set(segment.holds)) storeHold(id);
      shortenLog.run(segment.row);
      hot.stored();
    },
  };
};
