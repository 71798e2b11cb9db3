import type { Client } from "../ports.ts";
import { listAll, type Page, pageSize, readPass, type Taken } from "./list-transactions.ts";
import { classifyStatus, type Direction, directionOfFlow } from "./status.ts";
import type { Transaction } from "./transaction.ts";

export type Found = { readonly id: string; readonly direction: Direction; readonly status: string | undefined; readonly transaction?: Transaction };
const flows = ["standard", "b2c"] as const;
type Flow = (typeof flows)[number];

/**
 * Whether a transaction is money in or out, where its status means another thing for each: a push that EXPIRED is over and a
 * payout that did is not (rules.md). The flow that lists it says so; unknown where none or both do, or where it makes no difference.
 */
export const findDirection = async (client: Pick<Client, "call">, id: string, status: string, signal: AbortSignal): Promise<Direction> => {
  if (classifyStatus(status, "in") === classifyStatus(status, "out")) return "unknown";
  const directions: Direction[] = [];
  for (const flow of flows) {
    for await (const row of listAll(client, { flow, pageSize, signal })) {
      if (row.id !== id) continue;
      directions.push(directionOfFlow[flow]);
      break;
    }
  }
  const [only] = directions;
  return directions.length === 1 && only !== undefined ? only : "unknown";
};

/**
 * Finds everything at the first call and what is new at later ones: pages are read until as many ids are known as the service
 * counts, so a look without news costs one request a flow.
 */
export const createDiscovery = (client: Client, signal: AbortSignal): (() => Promise<readonly Found[]>) => {
  const known: Record<Flow, Set<string>> = { standard: new Set(), b2c: new Set() };
  return async () => {
    const found: Found[] = [];
    // If a page cannot be read, nothing of this look counts as known: the next one finds it again.
    const fresh: Record<Flow, Set<string>> = { standard: new Set(), b2c: new Set() };
    for (const flow of flows) {
      const isNew = (id: string): boolean => id !== "" && !known[flow].has(id) && !fresh[flow].has(id);
      const take = ({ rows, total }: Page): Taken => {
        const added = rows.filter((transaction) => {
          const { id = "", status } = transaction;
          if (!isNew(id)) return false;
          fresh[flow].add(id);
          return found.push({ id, direction: directionOfFlow[flow], status, transaction }) > 0;
        });
        return { fresh: added, complete: total === undefined ? added.length === 0 : known[flow].size + fresh[flow].size >= total };
      };
      for await (const _ of readPass(client, { flow, pageSize, signal }, take));
    }
    for (const flow of flows) {
      // The first look may find a million ids: they are not held twice.
      if (known[flow].size === 0) known[flow] = fresh[flow];
      else for (const id of fresh[flow]) known[flow].add(id);
    }
    return found;
  };
};
