/** What may wait for a reader that has stopped reading. */
const rowsMax = 1000;
const bytesMax = 16 * 1024 * 1024;

/** Rows that arrive by themselves, for whoever reads them one after another. `onStop` is called once, when nobody reads any more or `end` was called; rows that came before the end are still given. */
export const createQueue = <T>(onStop: () => void) => {
  let ended = false;
  let pushedBytes = 0;
  let controller: ReadableStreamDefaultController<T> | undefined;
  const stop = (): void => {
    if (!ended) onStop();
    ended = true;
  };
  const start = (given: ReadableStreamDefaultController<T>): void => {
    controller = given;
  };
  const rows = new ReadableStream<T>({ start, cancel: stop }, { highWaterMark: bytesMax, size: () => Math.max(pushedBytes, bytesMax / rowsMax) });
  return {
    /** Takes a row in any case; `bytes` is about what it holds in memory. */
    push: (row: T, bytes = 0): void => {
      pushedBytes = bytes;
      if (!ended) controller?.enqueue(row);
    },
    /** False while the reader is so far behind that nothing more should be accepted for it. */
    hasRoom: (): boolean => (controller?.desiredSize ?? 0) > 0,
    end: (): void => {
      if (!ended) controller?.close();
      stop();
    },
    rows,
  };
};
export type Queue<T> = ReturnType<typeof createQueue<T>>;
