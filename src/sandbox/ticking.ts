import type { Sandbox } from "./sandbox.ts";

/** Another process may have made something due, so nobody sleeps longer. */
const longestMs = 1_000;
/** Under load something is always due; whoever asks does it anyway, and only callbacks wait for a tick. */
const shortestMs = 10;
/** A change may have made a callback due: it is looked for this soon, once for all changes meanwhile. */
const afterChangeMs = 15;

/** Does what falls due while nobody asks: approvals, callbacks, expiries. Never keeps the process alive. Resolves when it has stopped. */
export const startTicking = (sandbox: Pick<Sandbox, "look" | "nextDueMs" | "subscribe">, clock: { now(): number }): (() => Promise<void>) => {
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  let stopped = false;
  let busy = false;
  let changed = false;
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
    changed = false;
    try {
      await sandbox.look();
      const next = stopped ? undefined : await sandbox.nextDueMs();
      const waitMs = Math.max(shortestMs, Math.min(longestMs, next === undefined ? longestMs : next - clock.now()));
      plan(changed ? Math.min(waitMs, afterChangeMs) : waitMs);
    } catch {
      // Its data may be busy or gone for a moment; the next look may find it well.
      plan(longestMs);
    } finally {
      busy = false;
    }
  };
  const unsubscribe = sandbox.subscribe((event) => {
    if (event.kind !== "change" || changed) return;
    changed = true;
    if (!busy) plan(afterChangeMs);
  });
  plan(1);
  return async () => {
    stopped = true;
    unsubscribe();
    clearTimeout(timer);
    await working;
  };
};
