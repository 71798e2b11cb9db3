import { setMaxListeners } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { openConnection, type Way } from "./connect.ts";

/** Servers give up idle connections after some seconds: a spare one is only used while it is fresh. */
const freshMs = 2_000;
/** So many requests are a batch, for which making connections ahead is worth it. */
const batchFrom = 3;

type Spare = { readonly socket: Socket; readonly openedAt: number; isUntouched(): boolean; release(): void };
const touches = ["data", "end", "error", "close"] as const;

/** Watches a connection that must stay silent. */
const watch = (socket: Socket): Spare => {
  let untouched = true;
  const touched = (): void => {
    untouched = false;
  };
  for (const event of touches) socket.on(event, touched);
  socket.unref();
  return {
    socket,
    openedAt: performance.now(),
    isUntouched: () => untouched && !socket.destroyed,
    release: () => {
      for (const event of touches) socket.off(event, touched);
      socket.ref();
    },
  };
};

/**
 * Connections made ahead, so that a batch need not wait for one at each payment, though each carries one request alone.
 * One on which anything arrived before it was used is thrown away: it would be taken for the answer.
 */
export type SpareConnections = {
  /** A connection on which nothing was sent or received. Rejects as `openConnection` does. */
  take(url: URL, signal: AbortSignal): Promise<Socket>;
  /** The request of a taken one has ended. */
  done(): void;
};

export const createSpareConnections = (way: Way, closed: AbortSignal): SpareConnections => {
  const spares: Spare[] = [];
  let origin = "";
  let opening = 0;
  let inFlight = 0;
  let taken = 0;

  const keep = (socket: Socket): void => {
    const spare = watch(socket);
    spares.push(spare);
    setTimeout(() => {
      const at = spares.indexOf(spare);
      if (at === -1) return;
      spares.splice(at, 1);
      socket.destroy();
    }, freshMs).unref();
  };
  const refill = async (url: URL): Promise<void> => {
    if (taken < batchFrom || spares.length + opening >= inFlight || closed.aborted) return;
    opening += 1;
    try {
      keep(await openConnection(url, way, closed));
    } catch {
      // The next request makes its own connection, and tells what is wrong.
    } finally {
      opening -= 1;
    }
  };
  /** The newest spare that is still as it was, after a turn of the loop in which its end or stray bytes would have shown. */
  const pick = async (): Promise<Socket | undefined> => {
    for (let spare = spares.pop(); spare !== undefined; spare = spares.pop()) {
      await turn();
      if (spare.isUntouched() && performance.now() - spare.openedAt < freshMs) {
        spare.release();
        return spare.socket;
      }
      spare.socket.destroy();
    }
    return undefined;
  };
  setMaxListeners(0, closed);
  closed.addEventListener("abort", () => {
    for (const spare of spares.splice(0)) spare.socket.destroy();
  });
  return {
    take: async (url, signal) => {
      if (url.origin !== origin) for (const spare of spares.splice(0)) spare.socket.destroy();
      origin = url.origin;
      inFlight += 1;
      taken += 1;
      const socket = (await pick()) ?? (await openConnection(url, way, signal));
      void refill(url);
      return socket;
    },
    done: () => {
      inFlight -= 1;
    },
  };
};
