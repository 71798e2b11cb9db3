/**
 * Rows that arrive by themselves, for whoever reads them one after another. `onStop` is called once, when nobody reads
 * any more or `end` was called; rows that came before the end are still given.
 */
export type Queue<T> = {
  /** Takes a row in any case; `bytes` is about what it holds in memory. */
  push(row: T, bytes?: number): void;
  /** False while the reader is so far behind that nothing more should be accepted for it. */
  hasRoom(): boolean;
  end(): void;
  readonly rows: AsyncIterable<T>;
};

/** What may wait for a reader that has stopped reading. */
const rowsMax = 1000;
const bytesMax = 16 * 1024 * 1024;

export const createQueue = <T>(onStop: () => void): Queue<T> => {
  const held: { readonly row: T; readonly bytes: number }[] = [];
  const waiting: ((result: IteratorResult<T, undefined>) => void)[] = [];
  let heldBytes = 0;
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
      const first = held.shift();
      if (first !== undefined) {
        heldBytes -= first.bytes;
        return { done: false, value: first.row };
      }
      if (ended) return done;
      return await new Promise((resolve) => waiting.push(resolve));
    },
    return: async () => {
      held.length = 0;
      heldBytes = 0;
      end();
      return done;
    },
  };
  return {
    push: (row, bytes = 0) => {
      if (ended) return;
      const resolve = waiting.shift();
      if (resolve !== undefined) {
        resolve({ done: false, value: row });
        return;
      }
      held.push({ row, bytes });
      heldBytes += bytes;
    },
    hasRoom: () => held.length < rowsMax && heldBytes < bytesMax,
    end,
    rows: { [Symbol.asyncIterator]: () => iterator },
  };
};
