import type { Database, Statement } from "../../storage/sqlite.ts";
import { denseKinds, type KindName } from "../engine/entities.ts";

/** One kind's statements, prepared once. */
export type Prepared = {
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
/** All are due equally long after they arrived, so they are due in the order of their places. */
const dueInOrder = (kind: KindName): boolean => kind === "kept";

/**
 * `seq` is the place among all, `pos` among the group. Where nothing is removed both are dense, so a page is found by its place
 * and a count is the highest place: neither grows with what is kept.
 */
export const schemaOf = (kind: KindName): string => `
  CREATE TABLE IF NOT EXISTS ${kind} (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, grp TEXT NOT NULL, pos INTEGER NOT NULL, due INTEGER, doc TEXT NOT NULL);
  ${ungrouped.has(kind) ? `DROP INDEX IF EXISTS ${kind}_group` : `CREATE INDEX IF NOT EXISTS ${kind}_group ON ${kind} (grp, pos)`};
  ${dueInOrder(kind) ? `DROP INDEX IF EXISTS ${kind}_due` : `CREATE INDEX IF NOT EXISTS ${kind}_due ON ${kind} (due, seq) WHERE due IS NOT NULL`};`;

export const prepare = (database: Database, kind: KindName): Prepared => {
  const dense = denseKinds.has(kind);
  const place = ungrouped.has(kind) ? "0" : `(SELECT coalesce(max(pos), 0) + 1 FROM ${kind} WHERE grp = ?2)`;
  const made = (sql: string): Statement => database.prepare(sql);
  return {
    get: made(`SELECT doc, seq AS n FROM ${kind} WHERE id = ?`),
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
    due: dueInOrder(kind)
      ? made(`SELECT doc FROM (SELECT doc, due FROM ${kind} ORDER BY seq LIMIT ?2) WHERE due <= ?1`)
      : made(`SELECT doc FROM ${kind} WHERE due IS NOT NULL AND due <= ? ORDER BY due, seq LIMIT ?`),
    nextDue: made(dueInOrder(kind) ? `SELECT due AS n FROM ${kind} ORDER BY seq LIMIT 1` : `SELECT min(due) AS n FROM ${kind} WHERE due IS NOT NULL`),
    trim: made(`DELETE FROM ${kind} WHERE seq <= (SELECT seq FROM ${kind} ORDER BY seq DESC LIMIT 1 OFFSET ?)`),
  };
};

export const docOf = (row: unknown): string | undefined =>
  typeof row === "object" && row !== null && "doc" in row && typeof row.doc === "string" ? row.doc : undefined;
export const numberOf = (row: unknown): number | undefined =>
  typeof row === "object" && row !== null && "n" in row && (typeof row.n === "number" || typeof row.n === "bigint") ? Number(row.n) : undefined;
/** What this program wrote, read back. */
export const parsed = <R>(doc: string): R => JSON.parse(doc) as R;
export const recordsOf = <R>(found: readonly unknown[]): readonly R[] =>
  found.flatMap((row) => {
    const doc = docOf(row);
    return doc === undefined ? [] : [parsed<R>(doc)];
  });
