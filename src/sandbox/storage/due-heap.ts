type Item = { readonly id: string; readonly dueMs: number; readonly order: number };

/** Ids by the moment they are due, earliest first. An id that moved or went leaves its old item behind, which is skipped later. */
export type DueHeap = {
  /** `order` decides among those due at the same moment; in order of arrival where it is not given. */
  set(id: string, dueMs: number | undefined, order?: number): void;
  get(id: string): number | undefined;
  /** The earliest that are due by `atMs`; they stay in it. */
  due(atMs: number, limit: number): readonly string[];
  first(): number | undefined;
};

const isBefore = (left: Item, right: Item): boolean => left.dueMs < right.dueMs || (left.dueMs === right.dueMs && left.order < right.order);

export const createDueHeap = (): DueHeap => {
  const items: Item[] = [];
  const now = new Map<string, Item>();
  let count = 0;
  const swap = (a: number, b: number): void => {
    const [left, right] = [items[a], items[b]];
    if (left === undefined || right === undefined) return;
    items[a] = right;
    items[b] = left;
  };
  const before = (a: number, b: number): boolean => {
    const [left, right] = [items[a], items[b]];
    return left !== undefined && right !== undefined && isBefore(left, right);
  };
  const push = (item: Item): void => {
    items.push(item);
    for (let at = items.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!before(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  };
  const pop = (): Item | undefined => {
    const [top] = items;
    const last = items.pop();
    if (items.length === 0 || last === undefined) return top;
    items[0] = last;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const least = before(left + 1, left) ? left + 1 : left;
      if (!before(least, at)) return top;
      swap(at, least);
      at = least;
    }
  };
  const top = (): Item | undefined => {
    for (;;) {
      const [item] = items;
      if (item === undefined || now.get(item.id) === item) return item;
      pop();
    }
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
      push(item);
    },
    get: (id) => now.get(id)?.dueMs,
    due: (atMs, limit) => {
      const taken: Item[] = [];
      for (let item = top(); item !== undefined && item.dueMs <= atMs && taken.length < limit; item = top()) {
        taken.push(item);
        pop();
      }
      for (const item of taken) push(item);
      return taken.map((item) => item.id);
    },
    first: () => top()?.dueMs,
  };
};
