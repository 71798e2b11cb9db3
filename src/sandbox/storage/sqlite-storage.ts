import type { Database } from "../../store/sqlite.ts";
import { type Core, type CoreDraft, denseKinds, type KindName, type Kinds, kindNames } from "../engine/entities.ts";
import type { Storage } from "../engine/tables.ts";
import { createHotRecords, type HotRecord, type HotRecords, isHot } from "./hot-records.ts";
import { createHotTables } from "./hot-tables.ts";
import { docOf, numberOf, type Prepared, parsed, prepare, recordsOf, schemaOf } from "./statements.ts";

/** So many changes are kept in the log before they are stored in their tables: a payment's whole life, for most. */
const logMax = 16_384;
/** A log that processes read from each other, or would leave behind, is stored sooner: whoever comes next has to read it. */
const logLeftMax = 256;

/**
 * The sandbox's state in one SQLite file, which several processes may use at once. What nearly every payment writes goes into a
 * log, one row for all that share a commit, and from memory into its tables later, as it is by then: a payment that was made,
 * taken up and paid is one row, not a dozen. Log and tables together are the state, and change in one transaction.
 */
export const createSqliteStorage = (database: Database): Storage => {
  // 16 MB of cache and a log of as much: enough for what is hot, the same whatever is kept.
  database.exec("PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY");
  database.exec("BEGIN IMMEDIATE");
  database.exec(`CREATE TABLE IF NOT EXISTS core (id INTEGER PRIMARY KEY CHECK (id = 1), doc TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS log (n INTEGER PRIMARY KEY, doc TEXT NOT NULL);${kindNames.map(schemaOf).join("")}`);
  database.exec("COMMIT");
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
  const tables = createHotTables(database, of);
  let marked = false;
  /** A mark costs nothing until something is written after it. */
  let wanted = false;
  let seenVersion: number | undefined;
  let core: Core | undefined;
  /** The core of this step, once it was changed. */
  let draft: CoreDraft | undefined;
  let dirty = false;
  let hot: HotRecords = createHotRecords({ count: () => 0, waiting: [], greatestId: "" });
  let logged = 0;
  let storesNext = false;
  const nowState = () => ({ core, hot, moment: hot.moment() });
  let atBegin = nowState();
  let atMark = atBegin;
  const backTo = (state: ReturnType<typeof nowState>): void => {
    core = state.core;
    hot = state.hot;
    hot.undoTo(state.moment);
  };
  const release = (): void => {
    if (marked) marks.release.run();
    marked = false;
    wanted = false;
  };
  const writing = (kind: KindName): Prepared => {
    if (wanted) {
      marks.mark.run();
      marked = true;
      wanted = false;
    }
    return of(kind);
  };
  const load = (): void => {
    const doc = docOf(readCore.get());
    core = doc === undefined ? undefined : parsed<Core>(doc);
    hot = tables.load();
    logged = hot.settle();
    // At the start nobody waits for it: it is stored with what comes, or at the end.
    storesNext = seenVersion !== undefined && logged > logLeftMax;
  };
  const storedOf = (size: number): { readonly count: number; readonly left: number } | undefined => {
    const all = hot.list("tx", undefined).fresh.length;
    if (storesNext || size > 4 * logMax) return tables.store(hot, all);
    const count = size > logMax ? hot.storable() : 0;
    return count === 0 ? undefined : tables.store(hot, count);
  };
  const commit = (): void => {
    release();
    if (dirty && core !== undefined) writeCore.run(JSON.stringify(core));
    dirty = false;
    const changes = hot.changed().size;
    const stored = changes > 0 ? storedOf(logged + changes) : undefined;
    if (stored === undefined && changes > 0) tables.log(hot.changed());
    ends.commit.run();
    hot.settle();
    logged += changes;
    if (stored === undefined) return;
    hot.forget(stored.count);
    logged = stored.left;
    storesNext = false;
  };

  const storage: Storage = {
    core: () => core,
    setCore: (next) => {
      core = next;
      dirty = true;
    },
    draftCore: () => {
      if (draft === undefined || core !== draft) {
        if (core === undefined) throw new Error("There is no core to change.");
        draft = { ...core, wallets: { ...core.wallets } };
        core = draft;
        dirty = true;
      }
      return draft;
    },
    get: (kind, id) => {
      if (isHot(kind)) return tables.get(hot, kind, id) as Kinds[typeof kind] | undefined;
      const doc = docOf(of(kind).get.get(id));
      return doc === undefined ? undefined : parsed<Kinds[typeof kind]>(doc);
    },
    put: (kind, record) => {
      if (isHot(kind)) tables.put(hot, kind, record as HotRecord);
      else writing(kind).put.run(record.id, record.group, record.dueMs ?? null, JSON.stringify(record));
    },
    remove: (kind, id) => {
      if (isHot(kind)) tables.remove(hot, kind, id);
      else writing(kind).remove.run(id);
    },
    page: (kind, query) => {
      if (isHot(kind)) return tables.page(hot, kind, query) as readonly Kinds[typeof kind][];
      const { group, offset = 0, limit } = query;
      return recordsOf(group === undefined ? of(kind).pageAll.all(offset, limit) : of(kind).pageGroup.all(group, offset, limit));
    },
    count: (kind, group) => {
      if (isHot(kind)) return tables.count(hot, kind, group);
      return numberOf(group === undefined ? of(kind).countAll.get() : of(kind).countGroup.get(group)) ?? 0;
    },
    due: (kind, atMs, limit) => (kind === "tx" ? (tables.due(hot, atMs, limit) as readonly Kinds[typeof kind][]) : recordsOf(of(kind).due.all(atMs, limit))),
    nextDueMs: (kind) => (kind === "tx" ? hot.due.first() : numberOf(of(kind).nextDue.get())),
    trim: (kind, keep) => {
      if (!denseKinds.has(kind)) writing(kind).trim.run(keep);
    },
    clear: () => {
      for (const kind of kindNames) writing(kind);
      for (const name of [...kindNames, "log", "core"]) database.exec(`DELETE FROM ${name}`);
      core = undefined;
      hot = tables.load();
      dirty = false;
    },
    begin: (mode) => {
      begins[mode].run();
      // The first read fixes the moment that a read transaction sees.
      const now = numberOf(version.get());
      if (now !== seenVersion || core === undefined) {
        load();
        seenVersion = numberOf(version.get());
      }
      atBegin = nowState();
      atMark = atBegin;
      draft = undefined;
      dirty = false;
      marked = false;
      wanted = false;
    },
    commit,
    rollback: () => {
      marked = false;
      wanted = false;
      backTo(atBegin);
      hot.settle();
      dirty = false;
      ends.rollback.run();
    },
    mark: () => {
      release();
      wanted = true;
      draft = undefined;
      atMark = nowState();
    },
    undo: () => {
      if (marked) marks.undo.run();
      backTo(atMark);
    },
    close: () => {
      try {
        if (logged > logLeftMax) {
          storage.begin("write");
          tables.store(hot, hot.list("tx", undefined).fresh.length);
          ends.commit.run();
        }
      } catch {
        // The log has it all; the next one stores it.
      } finally {
        database.close();
      }
    },
  };
  return storage;
};
