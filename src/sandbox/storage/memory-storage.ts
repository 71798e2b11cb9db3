import { type Core, denseKinds, type KindName, type Kinds, kindNames } from "../engine/entities.ts";
import type { Storage } from "../engine/tables.ts";

type Undo = () => void;
type Place<R> = { record: R; readonly at: number };
type Drawer<R> = {
  readonly byId: Map<string, Place<R>>;
  /** In order of arrival; removed ones leave a hole in kinds that are not dense. */
  rows: (string | undefined)[];
  readonly groups: Map<string, string[]>;
  /** Ids with a due moment. */
  readonly due: Map<string, number>;
};
const emptyDrawer = <R>(): Drawer<R> => ({ byId: new Map(), rows: [], groups: new Map(), due: new Map() });
type Cabinet = { [K in KindName]: Drawer<Kinds[K]> };
const emptyCabinet = (): Cabinet => ({
  tx: emptyDrawer(),
  entry: emptyDrawer(),
  hold: emptyDrawer(),
  collection: emptyDrawer(),
  disbursement: emptyDrawer(),
  delivery: emptyDrawer(),
  kept: emptyDrawer(),
  strike: emptyDrawer(),
  request: emptyDrawer(),
});

/** Storage for a sandbox that is thrown away: the same port, nothing on disk. */
export const createMemoryStorage = (): Storage => {
  let cabinet = emptyCabinet();
  let core: Core | undefined;
  let undos: Undo[] = [];
  let markAt = 0;
  const drawerOf = <K extends KindName>(kind: K): Drawer<Kinds[K]> => cabinet[kind];
  const undoTo = (length: number): void => {
    while (undos.length > length) undos.pop()?.();
  };
  const setDue = (drawer: Drawer<unknown>, id: string, dueMs: number | undefined): void => {
    if (dueMs === undefined) drawer.due.delete(id);
    else drawer.due.set(id, dueMs);
  };
  const idsOf = (drawer: Drawer<unknown>, group: string | undefined): readonly (string | undefined)[] =>
    group === undefined ? drawer.rows : (drawer.groups.get(group) ?? []);

  const storage: Storage = {
    core: () => core,
    setCore: (next) => {
      const before = core;
      undos.push(() => {
        core = before;
      });
      core = next;
    },
    get: (kind, id) => drawerOf(kind).byId.get(id)?.record,
    put: (kind, record) => {
      const drawer = drawerOf(kind);
      const there = drawer.byId.get(record.id);
      const dueBefore = drawer.due.get(record.id);
      setDue(drawer, record.id, record.dueMs);
      if (there !== undefined) {
        const before = there.record;
        there.record = record;
        undos.push(() => {
          there.record = before;
          setDue(drawer, record.id, dueBefore);
        });
        return;
      }
      drawer.byId.set(record.id, { record, at: drawer.rows.length });
      drawer.rows.push(record.id);
      const group = drawer.groups.get(record.group) ?? [];
      group.push(record.id);
      drawer.groups.set(record.group, group);
      undos.push(() => {
        drawer.byId.delete(record.id);
        drawer.rows.pop();
        group.pop();
        setDue(drawer, record.id, undefined);
      });
    },
    remove: (kind, id) => {
      const drawer = drawerOf(kind);
      const place = drawer.byId.get(id);
      if (place === undefined) return;
      const group = drawer.groups.get(place.record.group) ?? [];
      const groupBefore = [...group];
      const rowsBefore = drawer.rows;
      const dueBefore = drawer.due.get(id);
      drawer.byId.delete(id);
      drawer.due.delete(id);
      drawer.rows = drawer.rows.filter((row) => row !== id);
      drawer.groups.set(
        place.record.group,
        group.filter((row) => row !== id),
      );
      undos.push(() => {
        drawer.byId.set(id, place);
        drawer.rows = rowsBefore;
        drawer.groups.set(place.record.group, groupBefore);
        setDue(drawer, id, dueBefore);
      });
    },
    page: (kind, { group, offset = 0, limit }) => {
      const drawer = drawerOf(kind);
      const ids = idsOf(drawer, group);
      const end = Math.max(0, ids.length - offset);
      const found: Kinds[typeof kind][] = [];
      for (let at = end - 1; at >= 0 && found.length < limit; at -= 1) {
        const id = ids[at];
        const place = id === undefined ? undefined : drawer.byId.get(id);
        if (place !== undefined) found.push(place.record);
      }
      return found;
    },
    count: (kind, group) => idsOf(drawerOf(kind), group).length,
    due: (kind, atMs, limit) => {
      const drawer = drawerOf(kind);
      const ready = [...drawer.due].filter(([, dueMs]) => dueMs <= atMs);
      ready.sort((left, right) => left[1] - right[1] || (drawer.byId.get(left[0])?.at ?? 0) - (drawer.byId.get(right[0])?.at ?? 0));
      return ready.slice(0, limit).flatMap(([id]) => drawer.byId.get(id)?.record ?? []);
    },
    nextDueMs: (kind) => {
      let least: number | undefined;
      for (const dueMs of drawerOf(kind).due.values()) if (least === undefined || dueMs < least) least = dueMs;
      return least;
    },
    trim: (kind, keep) => {
      if (denseKinds.has(kind)) return;
      for (const id of drawerOf(kind).rows.slice(0, -keep)) if (id !== undefined) storage.remove(kind, id);
    },
    clear: () => {
      const before = cabinet;
      const coreBefore = core;
      cabinet = emptyCabinet();
      core = undefined;
      undos.push(() => {
        cabinet = before;
        core = coreBefore;
      });
    },
    begin: () => {
      undos = [];
      markAt = 0;
    },
    commit: () => {
      undos = [];
    },
    rollback: () => undoTo(0),
    mark: () => {
      markAt = undos.length;
    },
    undo: () => undoTo(markAt),
    close: () => {
      cabinet = emptyCabinet();
    },
  };
  void kindNames;
  return storage;
};
