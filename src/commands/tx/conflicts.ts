import type { Context } from "../../ports.ts";
import { paidBeforeOf } from "../../transactions/paid-before.ts";
import type { Transaction } from "../../transactions/transaction.ts";

/** What a command needs to find and note conflicts. */
export type Noting = Pick<Context, "account" | "paths" | "note" | "flags">;

/**
 * The paid statuses, by id, that the service's word contradicts (rules.md, Living with what is not shown), each with a note. Under
 * --json none is looked for: it has no notes, and its document is the service's own.
 */
export const noteConflicts = async (transactions: readonly Transaction[], context: Noting): Promise<ReadonlyMap<string, string>> => {
  if (context.flags.output === "json") return new Map();
  const stands = await paidBeforeOf(transactions, context);
  for (const { id, status } of transactions) {
    const before = stands.get(id ?? "");
    if (before !== undefined)
      context.note(`Conflict: the service says ${status} of ${id}, which was ${before} before. It still counts as paid. Ask the service.`);
  }
  return stands;
};
