import type { Sandbox } from "./sandbox.ts";

/** Another process may have made something due, so nobody sleeps longer. */
const longestMs = 1_000;
/** Under load something is always due; whoever asks does it anyway, and only callbacks wait for a tick. */
const shortestMs = 10;

/** Does what falls due while nobody asks: approvals, callbacks, expiries. Never keeps the process alive. Resolves when it has stopped. */
export const startTicking = (sandbox: Pick<Sandbox, "tick" | "nextDueMs" | "subscribe">, clock: { now(): number }): (() => Promise<void>) => {
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  let stopped = false;
  let busy = false;
  const plan = (delayMs: number): void => {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(() => {
      working = work();
    }, delayMs);
    timer.unref();
  };
  const work = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      await sandbox.tick();
      const next = stopped ? undefined : await sandbox.nextDueMs();
      plan(Math.max(shortestMs, Math.min(longestMs, next === undefined ? longestMs : next - clock.now())));
    } catch {
      // Its data may be busy or gone for a moment; the next look may find it well.
      plan(longestMs);
    } finally {
      busy = false;
    }
  };
  plan(1);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await working;
  };
};
