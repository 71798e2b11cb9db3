import { CliError } from "../../errors.ts";
import type { Client, Clock } from "../../ports.ts";

/** How many payouts may be under way at once: halved on each 429, grown by one after a run of good answers. */
export type Throttle = { enter(): Promise<void>; leave(): void; tooMany(): void; fine(): void /** Those waiting to enter. */; queued(): number };

const growAfter = 20;

export const createThrottle = (concurrencyMax: number, clock: Pick<Clock, "monotonic">): Throttle => {
  const state = { limit: concurrencyMax, running: 0, good: 0, halvedAtMs: Number.NEGATIVE_INFINITY };
  const waiting: (() => void)[] = [];
  const admit = (): void => {
    while (state.running < state.limit) {
      const next = waiting.shift();
      if (next === undefined) return;
      state.running++;
      next();
    }
  };
  return {
    enter: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        admit();
      }),
    leave: () => {
      state.running--;
      admit();
    },
    tooMany: () => {
      // Several answers of the same moment are one sign.
      if (clock.monotonic() - state.halvedAtMs < 500) return;
      state.halvedAtMs = clock.monotonic();
      state.limit = Math.max(1, Math.floor(state.limit / 2));
      state.good = 0;
    },
    fine: () => {
      state.good++;
      if (state.good < growAfter || state.limit >= concurrencyMax) return;
      state.good = 0;
      state.limit++;
      admit();
    },
    queued: () => waiting.length,
  };
};

/** What a run does and learns as its rows are sent. */
export type Watch = {
  /** Asked when a creation's turn comes: one that has not begun then never does. */
  isStopped(): boolean;
  onSent(): void;
  /** Before the next one has its turn. */
  onAccepted(): void;
  onFailed(error: unknown): void;
};

/** The same client with a bound on creations under way, slowed down by 429. Throws CliError interrupted (nothing left) once the run has stopped. */
export const throttledClient = (client: Client, throttle: Throttle, watch: Watch): Client => ({
  ...client,
  keyFingerprint: rememberLast(client.keyFingerprint),
  call: async (route, input = {}) => {
    if (route.effect === "read") return await client.call(route, input);
    await throttle.enter();
    watch.onSent();
    try {
      if (watch.isStopped()) throw new CliError("interrupted", "The run stopped before this row was sent.");
      const answer = await client.call(route, {
        ...input,
        onTry: async (tried) => {
          if (tried.httpStatus === 429) throttle.tooMany();
          else if (tried.httpStatus !== undefined) throttle.fine();
          await input.onTry?.(tried);
        },
      });
      watch.onAccepted();
      return answer;
    } catch (error) {
      watch.onFailed(error);
      throw error;
    } finally {
      throttle.leave();
    }
  },
});

/** Rows of one run have one salt. */
const rememberLast = (fingerprintOf: (salt: string) => string): ((salt: string) => string) => {
  let last: { readonly salt: string; readonly fingerprint: string } | undefined;
  return (salt) => {
    if (last?.salt !== salt) last = { salt, fingerprint: fingerprintOf(salt) };
    return last.fingerprint;
  };
};
