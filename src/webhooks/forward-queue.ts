/**
 * Rows that arrive by themselves, for whoever reads them one after another. `onStop` is called once, when nobody reads
 * any more or `end` was called; rows that came before the end are still given.
 */
export type Queue<T> = { push(row: T): void; end(): void; readonly rows: AsyncIterable<T> };

export const createQueue = <T>(onStop: () => void): Queue<T> => {
  const held: T[] = [];
  const waiting: ((result: IteratorResult<T, undefined>) => void)[] = [];
  let ended = false;
  const done = { done: true, value: undefined } as const;
  const end = (): void => {
    if (ended) return;
    ended = true;
    onStop();
    for (const resolve of waiting.splice(0)) resolve(done);
  };
  const iterator: AsyncIterator<T, undefined> = {
    next: async () => {
      const [row] = held.splice(0, 1);
      if (row !== undefined) return { done: false, value: row };
      if (ended) return done;
      return await new Promise((resolve) => waiting.push(resolve));
    },
    return: async () => {
      held.length = 0;
      end();
      return done;
    },
  };
  return {
    push: (row) => {
      if (ended) return;
      const resolve = waiting.shift();
      if (resolve === undefined) held.push(row);
      else resolve({ done: false, value: row });
    },
    end,
    rows: { [Symbol.asyncIterator]: () => iterator },
  };
};
