import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Account, Context } from "../ports.ts";
import { mirrorFileName, mirrorKey } from "./mirror-schema.ts";
import { isPaid, isReversed } from "./status.ts";
import type { Transaction } from "./transaction.ts";

/** Where the mirror of a merchant is. */
export type MirrorPlace = { readonly account: () => Promise<Pick<Account, "baseUrl" | "keyHint">>; readonly paths: Pick<Context["paths"], "data"> };

/**
 * The paid statuses that the mirror saw before, by id, where the service's word contradicts them (rules.md: paid is not undone by a
 * later FAILED). What is paid, or reversed, contradicts nothing, and then the mirror is not opened.
 */
export const paidBeforeOf = async (
  transactions: readonly Pick<Transaction, "id" | "status">[],
  { account, paths }: MirrorPlace,
): Promise<ReadonlyMap<string, string>> => {
  const stands = new Map<string, string>();
  const unpaid = transactions.filter(({ status }) => status !== undefined && !isPaid(status) && !isReversed(status));
  if (unpaid.length === 0) return stands;
  const key = mirrorKey(await account());
  try {
    if (!existsSync(join(paths.data, mirrorFileName))) return stands;
    const { openMirrorToRead } = await import("./mirror.ts");
    const mirror = await openMirrorToRead(paths.data, key);
    try {
      for (const { id, status } of unpaid) {
        const before = id === undefined || status === undefined ? undefined : mirror?.standing(id, status);
        if (id !== undefined && before !== undefined) stands.set(id, before);
      }
    } finally {
      mirror?.dispose();
    }
  } catch {
    // No folder on this machine, or a mirror that breaks: then it knows nothing.
  }
  return stands;
};

/** The same for one transaction. */
export const paidBefore = async (id: string, status: string, place: MirrorPlace): Promise<string | undefined> =>
  (await paidBeforeOf([{ id, status }], place)).get(id);
