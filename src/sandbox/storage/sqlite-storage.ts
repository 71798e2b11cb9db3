import type { Database, Statement } from "../../store/sqlite.ts";
import { type Core, denseKinds, type KindName, type Kinds, kindNames } from "../engine/entities.ts";
import type { Storage } from "../engine/tables.ts";

/** One kind's statements, prepared once. */
type Prepared = {
  readonly get: Statement;
  readonly put: Statement;
  readonly remove: Statement;
  readonly pageAll: Statement;
  readonly pageGroup: Statement;
  readonly countAll: Statement;
  readonly countGroup: Statement;
  readonly due: Statement;
  readonly nextDue: Statement;
  readonly trim: Statement;
};

/** Kinds that are found by id or as a whole: no place in a group is kept for them. */
const ungrouped: ReadonlySet<KindName> = new Set(["kept", "strike", "request"]);

/**
 * `seq` is the place among all, `pos` among the group. Where nothing is removed both are dense, so a page is found by its place
 * and a count is the highest place: neither grows with what is kept.
 */
const schemaOf = (kind: KindName): string => `
  CREATE TABLE IF NOT EXISTS ${kind} (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, grp TEXT NOT NULL, pos INTEGER NOT NULL, due INTEGER, doc TEXT NOT NULL);
  ${ungrouped.has(kind) ? `DROP INDEX IF EXISTS ${kind}_group` : `CREATE INDEX IF NOT EXISTS ${kind}_group ON ${kind} (grp, pos)`};
  CREATE INDEX IF NOT EXISTS ${kind}_due ON ${kind} (due, seq) WHERE due IS NOT NULL;`;

const prepare = (database: Database, kind: KindName): Prepared => {
  const dense = denseKinds.has(kind);
  const place = ungrouped.has(kind) ? "0" : `(SELECT coalesce(max(pos), 0) + 1 FROM ${kind} WHERE grp = ?2)`;
  const made = (sql: string): Statement => database.prepare(sql);
  return {
    get: made(`SELECT doc FROM ${kind} WHERE id = ?`),
    put: made(
      `INSERT INTO ${kind} (id, grp, pos, due, doc) VALUES (?1, ?2, ${place}, ?3, ?4)
       ON CONFLICT (id) DO UPDATE SET due = excluded.due, doc = excluded.doc`,
    ),
    remove: made(`DELETE FROM ${kind} WHERE id = ?`),
    pageAll: dense
      ? made(`SELECT doc FROM ${kind} WHERE seq <= (SELECT coalesce(max(seq), 0) FROM ${kind}) - ?1 ORDER BY seq DESC LIMIT ?2`)
      : made(`SELECT doc FROM ${kind} ORDER BY seq DESC LIMIT ?2 OFFSET ?1`),
    pageGroup: dense
      ? made(`SELECT doc FROM ${kind} WHERE grp = ?1 AND pos <= (SELECT coalesce(max(pos), 0) FROM ${kind} WHERE grp = ?1) - ?2 ORDER BY pos DESC LIMIT ?3`)
      : made(`SELECT doc FROM ${kind} WHERE grp = ?1 ORDER BY pos DESC LIMIT ?3 OFFSET ?2`),
    countAll: made(dense ? `SELECT coalesce(max(seq), 0) AS n FROM ${kind}` : `SELECT count(*) AS n FROM ${kind}`),
    countGroup: made(dense ? `SELECT coalesce(max(pos), 0) AS n FROM ${kind} WHERE grp = ?` : `SELECT count(*) AS n FROM ${kind} WHERE grp = ?`),
    due: made(`SELECT doc FROM ${kind} WHERE due IS NOT NULL AND due <= ? ORDER BY due, seq LIMIT ?`),
    nextDue: made(`SELECT min(due) AS n FROM ${kind} WHERE due IS NOT NULL`),
    trim: made(`DELETE FROM ${kind} WHERE seq <= (SELECT seq FROM ${kind} ORDER BY seq DESC LIMIT 1 OFFSET ?)`),
  };
};

const docOf = (row: unknown): string | undefined =>
  typeof row === "object" && row !== null && "doc" in row && typeof row.doc === "string" ? row.doc : undefined;
const numberOf = (row: unknown): number | undefined =>
  typeof row === "object" && row !== null && "n" in row && (typeof row.n === "number" || typeof row.n === "bigint") ? Number(row.n) : undefined;
/** What this program wrote, read back. */
const parsed = <R>(doc: string): R => JSON.parse(doc) as R;

/** The sandbox's state in one SQLite file, which several processes may use at once. */
export const createSqliteStorage = (database: Database): Storage => {
  // 16 MB of cache and a log of as much: enough for what is hot, the same whatever is kept.
  database.exec("PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY");
  database.exec("BEGIN IMMEDIATE");
  database.exec(`CREATE TABLE IF NOT EXISTS core (id INTEGER PRIMARY KEY CHECK (id = 1), doc TEXT NOT NULL);${kindNames.map(schemaOf).join("")}`);
  database.exec("COMMIT");
  const prepared = new Map<KindName, Prepared>();
  const of = (kind: KindName): Prepared => {
    const there = prepared.get(kind) ?? prepare(database, kind);
    prepared.set(kind, there);
    return there;
  };
  const readCore = database.prepare("SELECT doc FROM core WHERE id = 1");
  const writeCore = database.prepare("INSERT INTO core (id, doc) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc");
  const version = database.prepare("PRAGMA data_version");
  const readVersion = (): string => JSON.stringify(version.get(), (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  const begins = { read: database.prepare("BEGIN"), write: database.prepare("BEGIN IMMEDIATE") };
  const ends = { commit: database.prepare("COMMIT"), rollback: database.prepare("ROLLBACK") };
  const marks = { mark: database.prepare("SAVEPOINT step"), undo: database.prepare("ROLLBACK TO step"), release: database.prepare("RELEASE step") };
  let marked = false;
  /** A mark costs nothing until something is written after it. */
  let wanted = false;
  let seenVersion = "";
  let core: Core | undefined;
  let coreBefore: Core | undefined;
  let coreAtMark: Core | undefined;
  let dirty = false;
  const rows = <R>(found: readonly unknown[]): readonly R[] =>
    found.flatMap((row) => {
      const doc = docOf(row);
      return doc === undefined ? [] : [parsed<R>(doc)];
    });
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

  return {
    core: () => core,
    setCore: (next) => {
      core = next;
      dirty = true;
    },
    get: (kind, id) => {
      const doc = docOf(of(kind).get.get(id));
      return doc === undefined ? undefined : parsed<Kinds[typeof kind]>(doc);
    },
    put: (kind, record) => {
      writing(kind).put.run(record.id, record.group, record.dueMs ?? null, JSON.stringify(record));
    },
    remove: (kind, id) => {
      writing(kind).remove.run(id);
    },
    page: (kind, { group, offset = 0, limit }) =>
      rows(group === undefined ? of(kind).pageAll.all(offset, limit) : of(kind).pageGroup.all(group, offset, limit)),
    count: (kind, group) => numberOf(group === undefined ? of(kind).countAll.get() : of(kind).countGroup.get(group)) ?? 0,
    due: (kind, atMs, limit) => rows(of(kind).due.all(atMs, limit)),
    nextDueMs: (kind) => numberOf(of(kind).nextDue.get()),
    trim: (kind, keep) => {
      if (!denseKinds.has(kind)) writing(kind).trim.run(keep);
    },
    clear: () => {
      for (const kind of kindNames) writing(kind);
      for (const kind of kindNames) database.exec(`DELETE FROM ${kind}`);
      database.exec("DELETE FROM core");
      core = undefined;
      dirty = false;
    },
    begin: (mode) => {
      begins[mode].run();
      // The first read fixes the moment that a read transaction sees.
      const now = readVersion();
      if (now !== seenVersion || core === undefined) {
        const doc = docOf(readCore.get());
        core = doc === undefined ? undefined : parsed<Core>(doc);
        seenVersion = readVersion();
      }
      coreBefore = core;
      coreAtMark = core;
      dirty = false;
      marked = false;
      wanted = false;
    },
    commit: () => {
      release();
      if (dirty && core !== undefined) writeCore.run(JSON.stringify(core));
      dirty = false;
      ends.commit.run();
    },
    rollback: () => {
      marked = false;
      wanted = false;
      core = coreBefore;
      dirty = false;
      ends.rollback.run();
    },
    mark: () => {
      release();
      wanted = true;
      coreAtMark = core;
    },
    undo: () => {
      if (marked) marks.undo.run();
      core = coreAtMark;
    },
    close: () => database.close(),
  };
};
