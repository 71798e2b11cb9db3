import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Account, Context } from "../ports.ts";
import type { Mirror } from "./mirror.ts";
import { mirrorFileName, mirrorKey } from "./mirror-schema.ts";
import { isPaid, isReversed } from "./status.ts";
import type { Transaction } from "./transaction.ts";

/** Where the mirror of a merchant is. */
export type MirrorPlace = { readonly account: () => Promise<Pick<Account, "baseUrl" | "keyHint">>; readonly paths: Pick<Context["paths"], "data"> };

/**
 * What `read` finds in the mirror. Undefined if this machine has no folder or no mirror, or if the mirror breaks: then it knows nothing,
 * and reading goes on without it.
 */
export const askMirror = async <T>({ account, paths }: MirrorPlace, read: (mirror: Mirror) => T): Promise<T | undefined> => {
  const key = mirrorKey(await account());
  try {
    if (!existsSync(join(paths.data, mirrorFileName))) return undefined;
    const { openMirrorToRead } = await import("./mirror.ts");
    const mirror = await openMirrorToRead(paths.data, key);
    try {
      return mirror === undefined ? undefined : read(mirror);
    } finally {
      mirror?.dispose();
    }
  } catch {
    return undefined;
  }
};

/**
 * The paid statuses that the mirror saw before, by id, where the service's word contradicts them (rules.md: paid is not undone by a
 * later FAILED). What is paid, or reversed, contradicts nothing, and then the mirror is not opened.
 */
export const paidBeforeOf = async (transactions: readonly Pick<Transaction, "id" | "status">[], place: MirrorPlace): Promise<ReadonlyMap<string, string>> => {
  const stands = new Map<string, string>();
  const unpaid = transactions.filter(({ status }) => status !== undefined && !isPaid(status) && !isReversed(status));
  if (unpaid.length === 0) return stands;
  await askMirror(place, (mirror) => {
    for (const { id, status } of unpaid) {
      const before = id === undefined || status === undefined ? undefined : mirror.standing(id, status);
      if (id !== undefined && before !== undefined) stands.set(id, before);
    }
  });
  return stands;
};

/** The same for one transaction. */
export const paidBefore = async (id: string, status: string, place: MirrorPlace): Promise<string | undefined> =>
  (await paidBeforeOf([{ id, status }], place)).get(id);
