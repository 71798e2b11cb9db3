import { fieldOf, type Json, textOf } from "../json/exact-json.ts";
import type { Client } from "../ports.ts";
import { listAll, readPage } from "./list-transactions.ts";
import { classifyStatus, type Direction } from "./status.ts";

export type Found = { readonly id: string; readonly direction: Direction; readonly status: string | undefined; readonly transaction?: Json };
const flows = [
  { flow: "standard", direction: "in" },
  { flow: "b2c", direction: "out" },
] as const;
const pageSize = 100;

const toFound = (row: Json, direction: Direction): Found => ({
  id: textOf(fieldOf(row, "id")) ?? "",
  direction,
  status: textOf(fieldOf(row, "status")),
  transaction: row,
});

/**
 * Whether a transaction is money in or out, where its status means another thing for each: a push that EXPIRED is over and a
 * payout that did is not (rules.md). The flow that lists it says so; unknown where none or both do, or where it makes no difference.
 */
export const findDirection = async (client: Pick<Client, "call">, id: string, status: string, signal: AbortSignal): Promise<Direction> => {
  if (classifyStatus(status, "in") === classifyStatus(status, "out")) return "unknown";
  const directions: Direction[] = [];
  for (const { flow, direction } of flows) {
    for await (const row of listAll(client, { flow, pageSize, signal })) {
      if (textOf(fieldOf(row, "id")) !== id) continue;
      directions.push(direction);
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
  const known: Record<"standard" | "b2c", Set<string>> = { standard: new Set(), b2c: new Set() };
  return async () => {
    const found: Found[] = [];
    // Where a page cannot be read nothing of this look counts as known: the next one finds it again.
    const fresh: Record<"standard" | "b2c", Set<string>> = { standard: new Set(), b2c: new Set() };
    for (const { flow, direction } of flows) {
      const ids = fresh[flow];
      const count = (): number => known[flow].size + ids.size;
      let offset = 0;
      for (;;) {
        const page = await readPage(client, { flow, limit: pageSize, offset: offset === 0 ? undefined : offset }, signal);
        const before = ids.size;
        for (const row of page.rows) {
          const one = toFound(row, direction);
          if (one.id === "" || known[flow].has(one.id) || ids.has(one.id)) continue;
          ids.add(one.id);
          found.push(one);
        }
        offset += page.rows.length;
        const ended = page.rows.length === 0 || (page.total === undefined ? ids.size === before : offset >= page.total);
        if (ended || (page.total !== undefined && count() >= page.total)) break;
      }
    }
    for (const { flow } of flows) {
      // The first look may find a million: they are not held twice.
      if (known[flow].size === 0) known[flow] = fresh[flow];
      else for (const id of fresh[flow]) known[flow].add(id);
    }
    return found;
  };
};
