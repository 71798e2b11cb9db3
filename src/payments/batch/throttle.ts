import { CliError } from "../../errors.ts";
import type { Client } from "../../ports.ts";

/** What a run does and learns as its rows are sent. */
export type Watch = {
  /** Asked when a row's turn comes: one that has not been sent then never is. */
  isStopped(): boolean;
  /** Before the next row has its turn. */
  onAccepted(): void;
  onFailed(error: unknown): void;
};

export type Places = {
  enter(): Promise<void>;
  leave(): void;
  taken(): number;
  answered(status: number): void;
};
/**
 * How many creations may be under way at once. The first goes alone: an account that is refused, or a service that asks to be left
 * alone, is met once. Each answer then lets one more in, up to `most`; a 429 halves them, and from then on they grow slowly.
 */
export const createPlaces = (most: number): Places => {
  let limit = 1;
  let isSlow = false;
  let taken = 0;
  const waiting: (() => void)[] = [];
  const admit = (): void => {
    while (taken < Math.floor(limit) && waiting.length > 0) {
      taken++;
      waiting.shift()?.();
    }
  };
  return {
    enter: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        admit();
      }),
    leave: () => {
      taken--;
      admit();
    },
    taken: () => taken,
    answered: (status) => {
      if (status === 429) {
        isSlow = true;
        limit = Math.max(1, limit / 2);
      } else if (status < 500) limit = Math.min(most, limit + (isSlow ? 1 / limit : 1));
    },
  };
};

/** The same client with a bound on creations under way, slowed down by 429. Throws CliError interrupted (nothing left) once the run has stopped. */
export const throttledClient = (client: Client, places: Places, watch: Watch): Client => ({
  ...client,
  call: async (route, input = {}) => {
    if (route.effect === "read") return await client.call(route, input);
    await places.enter();
    try {
      if (watch.isStopped()) throw new CliError("interrupted", "The run stopped before this row was sent.");
      const answer = await client.call(route, {
        ...input,
        onTry: async (tried) => {
          if (tried.httpStatus !== undefined) places.answered(tried.httpStatus);
          await input.onTry?.(tried);
        },
      });
      watch.onAccepted();
      return answer;
    } catch (error) {
      watch.onFailed(error);
      throw error;
    } finally {
      places.leave();
    }
  },
});
