type Item = { readonly id: string; readonly dueMs: number; readonly order: number };
/** Items in the order they are due; those before `from` are done with. */
type Run = { items: Item[]; from: number };

/** Ids by the moment they are due, earliest first. An id that moved or went leaves its old item behind, which is skipped later. */
export type DueList = {
  /** `order` decides among those due at the same moment; in order of arrival where it is not given. */
  set(id: string, dueMs: number | undefined, order?: number): void;
  get(id: string): number | undefined;
  /** The earliest that are due by `atMs`; they stay in it. */
  due(atMs: number, limit: number): readonly string[];
  first(): number | undefined;
};

const isBefore = (left: Item, right: Item): boolean => left.dueMs < right.dueMs || (left.dueMs === right.dueMs && left.order < right.order);
const compared = (left: Item, right: Item): number => left.dueMs - right.dueMs || left.order - right.order;

/** More runs than this are slow to look at. */
const runMax = 12;
/** So many that are done with are not worth giving back. */
const spentMax = 1_024;

/**
 * Most things are due equally long after they came, so a new item nearly always goes to the end of one of a few sorted runs. Where
 * it fits none it begins one, and the two shortest become one when there are too many.
 */
export const createDueList = (): DueList => {
  let runs: Run[] = [];
  const now = new Map<string, Item>();
  let count = 0;
  const isLive = (item: Item): boolean => now.get(item.id) === item;
  /** The first of a run that still stands, from `from` on. */
  const skip = (run: Run, from: number): number => {
    let at = from;
    for (let item = run.items[at]; item !== undefined && !isLive(item); item = run.items[at]) at += 1;
    return at;
  };
  const joinShortest = (): void => {
    const [one, two, ...others] = runs.sort((left, right) => left.items.length - left.from - (right.items.length - right.from));
    const items = [one, two].flatMap((run) => run?.items.slice(run.from).filter(isLive) ?? []).sort(compared);
    runs = [{ items, from: 0 }, ...others];
  };
  const place = (item: Item): void => {
    for (const run of runs) {
      const last = run.items[run.items.length - 1];
      if (last !== undefined && isBefore(item, last)) continue;
      run.items.push(item);
      return;
    }
    if (runs.length >= runMax) joinShortest();
    runs.push({ items: [item], from: 0 });
  };
  /** Where a run begins by now. */
  const beginOf = (run: Run): number => {
    run.from = skip(run, run.from);
    if (run.from > 0 && (run.from === run.items.length || (run.from > spentMax && run.from * 2 > run.items.length))) {
      run.items = run.items.slice(run.from);
      run.from = 0;
    }
    return run.from;
  };
  const itemAt = (run: number, places: readonly number[]): Item | undefined => runs[run]?.items[places[run] ?? 0];
  /** Which run has the earliest of those that the places point at; −1 where there is none. */
  const earliest = (places: readonly number[]): number => {
    let best = -1;
    let least: Item | undefined;
    for (let at = 0; at < runs.length; at += 1) {
      const item = itemAt(at, places);
      if (item === undefined || (least !== undefined && !isBefore(item, least))) continue;
      best = at;
      least = item;
    }
    return best;
  };
  return {
    set: (id, dueMs, order) => {
      const known = now.get(id);
      if (known?.dueMs === dueMs) return;
      if (dueMs === undefined) {
        now.delete(id);
        return;
      }
      count += 1;
      const item = { id, dueMs, order: order ?? known?.order ?? count };
      now.set(id, item);
      place(item);
    },
    get: (id) => now.get(id)?.dueMs,
    due: (atMs, limit) => {
      const places = runs.map(beginOf);
      const ids: string[] = [];
      while (ids.length < limit) {
        const at = earliest(places);
        const item = itemAt(at, places);
        const run = runs[at];
        if (item === undefined || run === undefined || item.dueMs > atMs) break;
        ids.push(item.id);
        places[at] = skip(run, (places[at] ?? 0) + 1);
      }
      return ids;
    },
    first: () => {
      let least: Item | undefined;
      for (const run of runs) {
        const from = beginOf(run);
        const item = run.items[from];
        if (item !== undefined && (least === undefined || isBefore(item, least))) least = item;
      }
      return least?.dueMs;
    },
  };
};
