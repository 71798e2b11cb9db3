import type { Client } from "undici";

/** A connection that has carried a payment is left alone for this long: an answer nobody asked for would come in that time. */
const quietMs = 100;
/** Looked at within this time, the loop is not held up. */
const recentMs = 20;
/** Servers give up idle connections after some seconds: one that rested longer is closed rather than used. */
const freshMs = 2_000;

type Kept = { readonly client: Client; readonly restsSinceMs: number };

/**
 * Connections that carry one payment after another, but never two in close succession. On a connection that is used again at
 * once an answer nobody asked for (a gateway's, or a second one) could be taken for the next payment's; here it comes while
 * the connection rests, and ends it. A hundred thousand payments over TLS need no hundred thousand handshakes all the same.
 *
 * Assumed: a service that sends such an answer does so within a tenth of a second. What gateways send to idle connections later
 * on is a 408 or 5xx, which counts as unanswered anyhow (rules.md, Money safety).
 */
export const createPaymentConnections = (create: (origin: string) => Client, nowMs: () => number) => {
  const all = new Set<Client>();
  /** Those that a payment has, with whether their connection was lost meanwhile. */
  const taken = new Map<Client, { lost: boolean }>();
  const resting = new Map<string, Kept[]>();
  const turns = createTurns(nowMs);
  const end = (client: Client): void => {
    taken.delete(client);
    // What it ends with was told to the request that it carried.
    if (all.delete(client)) client.destroy().catch(() => undefined);
  };
  /** One that has rested and on which whatever came in that time was seen; "unseen" where its time has come, but nobody looked since. */
  const takeRested = (origin: string): Client | "unseen" | undefined => {
    const queue = resting.get(origin) ?? [];
    for (;;) {
      const oldest = queue[0];
      if (oldest === undefined || nowMs() - oldest.restsSinceMs < quietMs) return undefined;
      if (all.has(oldest.client)) {
        if (turns.seenSinceMs() - oldest.restsSinceMs < quietMs) return "unseen";
        queue.shift();
        if (nowMs() - oldest.restsSinceMs < freshMs) return oldest.client;
        end(oldest.client);
      } else queue.shift();
    }
  };
  const make = (origin: string): Client => {
    const client = create(origin);
    all.add(client);
    client.on("disconnect", () => {
      const state = taken.get(client);
      // A payment that has not begun gets another connection from its client; one that has is told by it.
      if (state === undefined) end(client);
      else state.lost = true;
    });
    return client;
  };
  return {
    /** One that has rested, or a new one. Only the taker may use it, until it gives it back or ends it. */
    take: async (origin: string): Promise<Client> => {
      let rested = takeRested(origin);
      // A loop that was held up has not yet read what came meanwhile. Where all is in flow another connection is quicker.
      if (rested === "unseen" && nowMs() - turns.seenSinceMs() > recentMs) {
        await turns.look();
        rested = takeRested(origin);
      }
      const client = rested === undefined || rested === "unseen" ? make(origin) : rested;
      void turns.look();
      taken.set(client, { lost: false });
      return client;
    },
    /** After a whole answer, and only then. */
    giveBack: (origin: string, client: Client): void => {
      const state = taken.get(client);
      taken.delete(client);
      if (state?.lost !== false) {
        end(client);
        return;
      }
      const queue = resting.get(origin) ?? [];
      queue.push({ client, restsSinceMs: nowMs() });
      resting.set(origin, queue);
      void turns.look();
    },
    end,
    close: (): void => {
      for (const client of all) end(client);
    },
  };
};

/** Since when all that arrived was read: between one setImmediate and the next, made in it, the loop reads every socket. */
const createTurns = (nowMs: () => number) => {
  let seenSinceMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    await nextTurn();
    const fromMs = nowMs();
    await nextTurn();
    seenSinceMs = fromMs;
    looking = undefined;
  };
  return {
    look: (): Promise<void> => {
      looking ??= look();
      return looking;
    },
    seenSinceMs: (): number => seenSinceMs,
  };
};

const nextTurn = (): Promise<void> => new Promise((turned) => setImmediate(turned));
