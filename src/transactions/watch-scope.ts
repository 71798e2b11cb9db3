import type { Client } from "../ports.ts";
import { listAll, type Page, pageSize, readPass, type Taken, takeUnseen } from "./list-transactions.ts";
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
  const known: Readonly<Record<Flow, Set<string>>> = { standard: new Set(), b2c: new Set() };
  return async () => {
    const found: Found[] = [];
    try {
      for (const flow of flows) {
        const take = ({ rows, total }: Page): Taken => {
          const fresh = takeUnseen(rows, known[flow]);
          return { fresh, complete: total === undefined ? fresh.length === 0 : known[flow].size >= total };
        };
        for await (const { fresh } of readPass(client, { flow, pageSize, signal }, take))
          for (const transaction of fresh)
            if (transaction.id !== undefined) found.push({ id: transaction.id, direction: directionOfFlow[flow], status: transaction.status, transaction });
      }
      return found;
    } catch (error) {
      // If a page cannot be read, nothing of this look counts as known: the next one finds it again.
      for (const { id } of found) for (const flow of flows) known[flow].delete(id);
      throw error;
    }
  };
};
