import { routes } from "../service/contract/routes.ts";
import { payoutProcessMs } from "./engine/as-of.ts";
import type { SandboxRequest } from "./request.ts";

export type TakenUp = {
  /** Somebody begins to look: payouts of just now, of before a restart too, are still to be taken up. */
  opened(): void;
  answered(request: SandboxRequest): void;
  stop(): void;
};

/**
 * Tells dashboards that a payout was taken up: it changes nothing stored (`asOf`), so no write does. Costs nothing while none is open.
 * Assumed: real time will do, as a move of the sandbox's clock is a change of its own.
 */
export const createTakenUp = (dependencies: { readonly isWatched: () => boolean; readonly tell: () => void }): TakenUp => {
  const timers = new Set<NodeJS.Timeout>();
  const tellSoon = (): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      dependencies.tell();
    }, payoutProcessMs);
    timer.unref();
    timers.add(timer);
  };
  return {
    opened: tellSoon,
    // Whatever the answer was, as a fault may hide that a payout was made.
    answered: ({ method, path }) => {
      if (method === "POST" && path.startsWith(routes.b2c.path) && dependencies.isWatched()) tellSoon();
    },
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
};
