import { type Core, type CoreDraft, denseKinds, type KindName, type Kinds } from "../engine/entities.ts";
import type { Storage } from "../engine/tables.ts";
import { createDueList, type DueList } from "./due-list.ts";

type Drawer<R> = {
  /** In order of arrival. */
  readonly byId: Map<string, R>;
  /** Ids in order of arrival, for kinds of which nothing is removed. */
  readonly rows: string[];
  readonly groups: Map<string, string[]>;
  readonly due: DueList;
};
const emptyDrawer = <R>(): Drawer<R> => ({ byId: new Map(), rows: [], groups: new Map(), due: createDueList() });
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

/** Storage for a sandbox that is thrown away: the same port, nothing on disk. What was removed and is put back by an undo comes back as the newest. */
export const createMemoryStorage = (): Storage => {
  let cabinet = emptyCabinet();
  let core: Core | undefined;
  let undos: (() => void)[] = [];
  let markAt = 0;
  /** The core of this step, once it was changed. */
  let draft: CoreDraft | undefined;
  const drawerOf = <K extends KindName>(kind: K): Drawer<Kinds[K]> => cabinet[kind];
  const undoTo = (length: number): void => {
    while (undos.length > length) undos.pop()?.();
  };
  const insert = <K extends KindName>(kind: K, record: Kinds[K]): void => {
    const drawer = drawerOf(kind);
    drawer.byId.set(record.id, record);
    drawer.due.set(record.id, record.dueMs);
    if (!denseKinds.has(kind)) return;
    drawer.rows.push(record.id);
    const group = drawer.groups.get(record.group) ?? [];
    group.push(record.id);
    drawer.groups.set(record.group, group);
  };
  const uninsert = <K extends KindName>(kind: K, record: Kinds[K]): void => {
    const drawer = drawerOf(kind);
    drawer.byId.delete(record.id);
    drawer.due.set(record.id, undefined);
    if (!denseKinds.has(kind)) return;
    drawer.rows.pop();
    drawer.groups.get(record.group)?.pop();
  };
  const idsOf = <K extends KindName>(kind: K, group: string | undefined): readonly string[] => {
    const drawer = drawerOf(kind);
    if (denseKinds.has(kind)) return group === undefined ? drawer.rows : (drawer.groups.get(group) ?? []);
    return [...drawer.byId.values()].filter((record) => group === undefined || record.group === group).map((record) => record.id);
  };

  const storage: Storage = {
    core: () => core,
    setCore: (next) => {
      const before = core;
      undos.push(() => {
        core = before;
      });
      core = next;
    },
    draftCore: () => {
      if (draft === undefined || core !== draft) {
        if (core === undefined) throw new Error("There is no core to change.");
        draft = { ...core, wallets: { ...core.wallets } };
        storage.setCore(draft);
      }
      return draft;
    },
    get: (kind, id) => drawerOf(kind).byId.get(id),
    put: (kind, record) => {
      const drawer = drawerOf(kind);
      const before = drawer.byId.get(record.id);
      if (before === undefined) {
        insert(kind, record);
        undos.push(() => uninsert(kind, record));
        return;
      }
      drawer.byId.set(record.id, record);
      drawer.due.set(record.id, record.dueMs);
      undos.push(() => {
        drawer.byId.set(record.id, before);
        drawer.due.set(record.id, before.dueMs);
      });
    },
    remove: (kind, id) => {
      const before = drawerOf(kind).byId.get(id);
      if (before === undefined || denseKinds.has(kind)) return;
      uninsert(kind, before);
      undos.push(() => insert(kind, before));
    },
    page: (kind, { group, offset = 0, limit }) => {
      const ids = idsOf(kind, group);
      const end = Math.max(0, ids.length - offset);
      const wanted = ids.slice(Math.max(0, end - limit), end).reverse();
      return wanted.flatMap((id) => drawerOf(kind).byId.get(id) ?? []);
    },
    count: (kind, group) => idsOf(kind, group).length,
    due: (kind, atMs, limit) =>
      drawerOf(kind)
        .due.due(atMs, limit)
        .flatMap((id) => drawerOf(kind).byId.get(id) ?? []),
    nextDueMs: (kind) => drawerOf(kind).due.first(),
    forgetKept: (atMs) => {
      for (const { id } of storage.due("kept", atMs, Number.POSITIVE_INFINITY)) storage.remove("kept", id);
    },
    synced: () => undefined,
    trim: (kind, keep) => {
      const ids = idsOf(kind, undefined);
      for (const id of ids.slice(0, Math.max(0, ids.length - keep))) storage.remove(kind, id);
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
      draft = undefined;
    },
    commit: () => {
      undos = [];
    },
    rollback: () => undoTo(0),
    mark: () => {
      markAt = undos.length;
      draft = undefined;
    },
    undo: () => undoTo(markAt),
    close: () => {
      cabinet = emptyCabinet();
    },
  };
  return storage;
};
