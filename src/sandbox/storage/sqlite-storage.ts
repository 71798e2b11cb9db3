import { CliError } from "../../errors.ts";
import type { Database } from "../../storage/sqlite.ts";
import { type Core, type CoreDraft, denseKinds, type KindName, type Kinds, kindNames } from "../engine/entities.ts";
import type { Storage } from "../engine/tables.ts";
import { blocksSchema, blockTables } from "./blocks.ts";
import { createHotTables, isHot } from "./hot-tables.ts";
import { docOf, numberOf, type Prepared, parsed, prepare, recordsOf, schemaOf } from "./statements.ts";
import { createWalSync, type WalSync } from "./wal-sync.ts";

/** Lengths in characters. */
export type LogSizes = {
  /** So much of the log is kept before its oldest part is stored in blocks: a payment's whole life, for most. */
  readonly log: number;
  /** Such a part. Small enough that storing one holds nobody up. */
  readonly segment: number;
  /** A log that processes read from each other, or would leave behind, is stored when it is longer: whoever comes next has to read it. */
  readonly left: number;
};
const usualSizes: LogSizes = { log: 8_000_000, segment: 1_000_000, left: 64_000 };
/** So many times that does not wait for something to happen to what it has. */
const fullTimes = 3;

/** How the data is laid out. Another layout is another program's. */
const layout = 2;
/** What it writes is large: fewer pages are fewer calls. */
export const pageBytes = 16_384;
const cacheBytes = 16_000_000;

/** What has a table of one row each. */
const plainKinds = kindNames.filter((kind) => kind === "hold" || !isHot(kind));

const prepareFile = (database: Database): void => {
  // 16 MB of cache and a log of as much: enough for what is hot, the same whatever is kept.
  const page = numberOf(database.prepare("SELECT page_size AS n FROM pragma_page_size").get()) ?? pageBytes;
  database.exec(
    `PRAGMA cache_size = -${Math.round(cacheBytes / 1000)}; PRAGMA wal_autocheckpoint = ${Math.round(cacheBytes / page)}; PRAGMA temp_store = MEMORY`,
  );
  const kept = database.prepare("SELECT user_version AS n FROM pragma_user_version");
  if (numberOf(kept.get()) === layout) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const found = numberOf(kept.get());
    const isNew = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
    if (found !== layout && !isNew)
      throw new CliError("usage", "The sandbox's data was kept by another version of this program, and cannot be read.", {
        hint: "delete sandbox.db in its folder to begin anew, or name another folder with --data",
      });
    database.exec(`CREATE TABLE IF NOT EXISTS core (id INTEGER PRIMARY KEY CHECK (id = 1), doc TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS log (n INTEGER PRIMARY KEY, doc TEXT NOT NULL);${plainKinds.map(schemaOf).join("")}${blocksSchema}
      PRAGMA user_version = ${layout};`);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
};

/** A file's log is synced beside the event loop; where that can't be had, by each commit. */
const syncOf = (database: Database): WalSync | undefined => {
  const row = database.prepare("SELECT file AS doc FROM pragma_database_list WHERE name = 'main'").get();
  const file = docOf(row) ?? "";
  if (file === "") return undefined;
  try {
    const sync = createWalSync(`${file}-wal`);
    database.exec("PRAGMA synchronous = NORMAL");
    return sync;
  } catch {
    // Without a log of its own the file is synced as it was opened: with every commit.
    return undefined;
  }
};

/**
 * The sandbox's state in one SQLite file, which several processes may use at once. What nearly every payment writes goes into a
 * log, one row for all that share a commit, and from memory into blocks later, as it is by then: a payment that was made,
 * taken up and paid is one line of a row, not a dozen rows. Log and blocks together are the state, and change in one transaction.
 */
export const createSqliteStorage = (database: Database, sizes: LogSizes = usualSizes): Storage => {
  prepareFile(database);
  const sync = syncOf(database);
  const prepared = new Map<KindName, Prepared>();
  const of = (kind: KindName): Prepared => {
    const there = prepared.get(kind) ?? prepare(database, kind);
    prepared.set(kind, there);
    return there;
  };
  const readCore = database.prepare("SELECT doc FROM core WHERE id = 1");
  const writeCore = database.prepare("INSERT INTO core (id, doc) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc");
  const version = database.prepare("SELECT data_version AS n FROM pragma_data_version");
  const begins = { read: database.prepare("BEGIN"), write: database.prepare("BEGIN IMMEDIATE") };
  const ends = { commit: database.prepare("COMMIT"), rollback: database.prepare("ROLLBACK") };
  const marks = { mark: database.prepare("SAVEPOINT step"), undo: database.prepare("ROLLBACK TO step"), release: database.prepare("RELEASE step") };
  const tables = createHotTables(database, () => of("hold"), sizes.segment);
  let marked = false;
  /** A mark costs nothing until something is written after it. */
  let wanted = false;
  let seenVersion: number | undefined;
  let core: Core | undefined;
  /** The core of this step, once it was changed. */
  let draft: CoreDraft | undefined;
  let dirty = false;
  /** Something was written since the transaction began, in memory or in the file. */
  let touched = false;
  let failed = false;
  /** Nothing was changed since the mark: another is the same. */
  let clean = false;
  const touch = (): void => {
    touched = true;
    clean = false;
  };
  let hot = tables.none();
  let storesNext = false;
  let atMark = { core, hot };
  const release = (): void => {
    if (marked) marks.release.run();
    marked = false;
    wanted = false;
  };
  const writing = (): void => {
    touch();
    if (!wanted) return;
    marks.mark.run();
    marked = true;
    wanted = false;
  };
  const load = (): void => {
    const doc = docOf(readCore.get());
    core = doc === undefined ? undefined : parsed<Core>(doc);
    hot = tables.load(failed);
    failed = false;
    // At the start nobody waits for it: it is stored with what comes, or at the end.
    storesNext = seenVersion !== undefined && hot.chars() > sizes.left;
  };
  /** Is the oldest part of the log to be stored: nothing is about to happen to it, or too much waits? */
  const stores = (): boolean => {
    const [oldest, next] = hot.segments();
    if (oldest === undefined) return false;
    if (storesNext || hot.chars() > fullTimes * sizes.log) return true;
    return next !== undefined && hot.chars() > sizes.log && !hot.openBefore(oldest.transactions);
  };
  const commit = (): void => {
    release();
    if (dirty && core !== undefined) writeCore.run(JSON.stringify(core));
    tables.log();
    while (stores()) tables.store();
    storesNext = false;
    ends.commit.run();
    if (touched) sync?.written();
    dirty = false;
    touched = false;
  };

  const storage: Storage = {
    core: () => core,
    setCore: (next) => {
      core = next;
      dirty = true;
      touch();
    },
    draftCore: () => {
      if (draft === undefined || core !== draft) {
        if (core === undefined) throw new Error("There is no core to change.");
        draft = { ...core, wallets: { ...core.wallets } };
        storage.setCore(draft);
      }
      return draft;
    },
    get: (kind, id) => {
      if (isHot(kind)) return tables[kind].get(id) as Kinds[typeof kind] | undefined;
      const doc = docOf(of(kind).get.get(id));
      return doc === undefined ? undefined : parsed<Kinds[typeof kind]>(doc);
    },
    put: (kind, record) => {
      touch();
      if (isHot(kind)) {
        (tables[kind].put as (record: Kinds[typeof kind]) => void)(record);
        return;
      }
      writing();
      of(kind).put.run(record.id, record.group, record.dueMs ?? null, JSON.stringify(record));
    },
    remove: (kind, id) => {
      touch();
      if (isHot(kind)) {
        tables[kind].remove(id);
        return;
      }
      writing();
      of(kind).remove.run(id);
    },
    page: (kind, query) => {
      if (isHot(kind)) return tables[kind].page(query) as readonly Kinds[typeof kind][];
      const { group, offset = 0, limit } = query;
      return recordsOf(group === undefined ? of(kind).pageAll.all(offset, limit) : of(kind).pageGroup.all(group, offset, limit));
    },
    count: (kind, group) => {
      if (isHot(kind)) return tables[kind].count(group);
      return numberOf(group === undefined ? of(kind).countAll.get() : of(kind).countGroup.get(group)) ?? 0;
    },
    due: (kind, atMs, limit) => (kind === "tx" ? (tables.due(atMs, limit) as readonly Kinds[typeof kind][]) : recordsOf(of(kind).due.all(atMs, limit))),
    nextDueMs: (kind) => (kind === "tx" ? hot.due.first() : kind === "kept" ? tables.keptDueMs() : numberOf(of(kind).nextDue.get())),
    forgetKept: (atMs) => {
      writing();
      tables.dropKept(atMs);
    },
    trim: (kind, keep) => {
      if (denseKinds.has(kind)) return;
      writing();
      of(kind).trim.run(keep);
    },
    clear: () => {
      writing();
      for (const name of [...plainKinds, ...blockTables, "log", "core"]) database.exec(`DELETE FROM ${name}`);
      core = undefined;
      dirty = false;
      hot = tables.load(true);
    },
    begin: (mode) => {
      begins[mode].run();
      // The first read fixes the moment that a read transaction sees.
      const now = numberOf(version.get());
      if (now !== seenVersion || core === undefined || failed) {
        load();
        seenVersion = numberOf(version.get());
      }
      hot.mark();
      atMark = { core, hot };
      draft = undefined;
      dirty = false;
      touched = false;
      marked = false;
      wanted = true;
      clean = true;
    },
    commit,
    synced: () => sync?.synced(),
    rollback: () => {
      marked = false;
      wanted = false;
      dirty = false;
      // Nothing in memory is the only copy: what was changed is read again.
      failed = failed || touched;
      ends.rollback.run();
    },
    mark: () => {
      if (clean) return;
      clean = true;
      release();
      wanted = true;
      draft = undefined;
      hot.mark();
      atMark = { core, hot };
    },
    undo: () => {
      clean = true;
      draft = undefined;
      ({ core } = atMark);
      dirty = core !== undefined;
      if (hot !== atMark.hot) {
        ({ hot } = atMark);
        tables.use(hot);
      }
      hot.undo();
      if (!marked) return;
      marks.undo.run();
      tables.refresh();
    },
    close: () => {
      try {
        if (hot.chars() > sizes.left) {
          storage.begin("write");
          while (hot.segments().length > 0) tables.store();
          ends.commit.run();
        }
      } catch {
        // The log has it all; the next one stores it.
      } finally {
        sync?.close();
        database.close();
      }
    },
  };
  return storage;
};
