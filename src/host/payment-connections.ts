import type { Client } from "undici";

/** A connection that has carried a payment is left alone for this long: an answer nobody asked for would come in that time. */
const quietMs = 100;
/** Servers give up idle connections after some seconds: one that rested longer is closed rather than used. */
const freshMs = 2_000;

type Kept = { readonly client: Client; readonly restsSinceMs: number };

/**
 * Connections that carry one payment after another, but never two in close succession. On a connection that is used again at
 * once an answer nobody asked for (a gateway's, or a second one) could be taken for the next payment's; here it comes while
 * the connection rests, and ends it. A hundred thousand payments over TLS need no hundred thousand handshakes all the same.
 *
 * Assumed: a service that sends such an answer does so within a tenth of a second. What gateways send to idle connections later
 * on is a 408 or 5xx, which counts as unanswered anyhow (cli.md, Money safety).
 */
export const createPaymentConnections = (create: (origin: string) => Client, nowMs: () => number) => {
  const all = new Set<Client>();
  /** Those that a payment has, with whether their connection was lost meanwhile. */
  const taken = new Map<Client, { lost: boolean }>();
  const resting = new Map<string, Kept[]>();
  const end = (client: Client): void => {
    taken.delete(client);
    // What it ends with was told to the request that it carried.
    if (all.delete(client)) client.destroy().catch(() => undefined);
  };
  const takeRested = (origin: string): Client | undefined => {
    const queue = resting.get(origin) ?? [];
    for (;;) {
      const oldest = queue[0];
      if (oldest === undefined || nowMs() - oldest.restsSinceMs < quietMs) return undefined;
      queue.shift();
      if (!all.has(oldest.client)) continue;
      if (nowMs() - oldest.restsSinceMs < freshMs) return oldest.client;
      end(oldest.client);
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
      // A loop that was held up has not yet read what came meanwhile: one turn shows stray bytes and ends.
      await new Promise((turned) => setImmediate(turned));
      const client = takeRested(origin) ?? make(origin);
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
    },
    end,
    close: (): void => {
      for (const client of all) end(client);
    },
  };
};
