/** Rows that arrive by themselves, for whoever reads them one after another. */
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

/** `onStop` is called once, when nobody reads any more or `end` was called; rows that came before the end are still given. */
export const createQueue = <T>(onStop: () => void): Queue<T> => {
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
    push: (row, bytes = 0) => {
      pushedBytes = bytes;
      if (!ended) controller?.enqueue(row);
    },
    hasRoom: () => (controller?.desiredSize ?? 0) > 0,
    end: () => {
      if (!ended) controller?.close();
      stop();
    },
    rows,
  };
};
