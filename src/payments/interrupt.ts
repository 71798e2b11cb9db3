import type { Clock } from "../ports.ts";

/** How long an answer in flight is waited for after Ctrl-C or SIGTERM, ms. */
export const interruptGraceMs = 3_000;

/**
 * A signal that follows `signal` a little later, so that what is in flight can still be answered (issue: interruption), or
 * `hurry` at once: what is known by then is still reported. `release` has to be called when the work is over.
 */
export const withGrace = (signal: AbortSignal, clock: Pick<Clock, "sleep">, hurry?: AbortSignal): { readonly signal: AbortSignal; release(): void } => {
  const late = new AbortController();
  // Made when there is something to wait for: a batch has one of these a row, and hardly ever an interruption.
  let over: AbortController | undefined;
  const wait = (): void => {
    over = new AbortController();
    clock.sleep(interruptGraceMs, over.signal).then(
      () => late.abort(signal.reason),
      () => {},
    );
  };
  const end = (): void => late.abort(hurry?.reason);
  if (signal.aborted) wait();
  else signal.addEventListener("abort", wait, { once: true });
  if (hurry?.aborted === true) end();
  else hurry?.addEventListener("abort", end, { once: true });
  return {
    signal: late.signal,
    release: () => {
      signal.removeEventListener("abort", wait);
      hurry?.removeEventListener("abort", end);
      over?.abort();
    },
  };
};
