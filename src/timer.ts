/** The longest time of one Node timer: anything above it fires after 1 ms. */
const longestMs = 2 ** 31 - 1;

/** Calls `done` once after `ms`, however long that is. The result stops it. Every wait of a length that is not a constant uses this. */
export const startTimer = (ms: number, done: () => void): (() => void) => {
  if (Number.isNaN(ms)) throw new RangeError("A timer needs a number of milliseconds.");
  let timer: NodeJS.Timeout;
  const run = (leftMs: number): void => {
    timer = setTimeout(() => (leftMs > longestMs ? run(leftMs - longestMs) : done()), Math.min(leftMs, longestMs));
  };
  run(Math.max(0, ms));
  return () => clearTimeout(timer);
};

/** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((done, fail) => {
    if (signal?.aborted === true) {
      fail(signal.reason);
      return;
    }
    const onAbort = (): void => {
      stop();
      fail(signal?.reason);
    };
    const stop = startTimer(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      done();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
