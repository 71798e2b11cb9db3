import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Account, Context } from "../ports.ts";
import { mirrorFileName, mirrorKey } from "./mirror-schema.ts";
import { classifyStatus, isReversed } from "./status.ts";

/** Where the mirror of a merchant is. */
export type MirrorPlace = { readonly account: () => Promise<Pick<Account, "baseUrl" | "keyHint">>; readonly paths: Pick<Context["paths"], "data"> };

/**
 * The paid status that the mirror saw before, where the service's word contradicts it (rules.md: paid is not undone by a later
 * FAILED). What is paid, or reversed, contradicts nothing, and then the mirror is not opened.
 */
export const paidBefore = async (id: string, said: string, { account, paths }: MirrorPlace): Promise<string | undefined> => {
  if (classifyStatus(said, "unknown") === "paid" || isReversed(said)) return undefined;
  const key = mirrorKey(await account());
  try {
    if (!existsSync(join(paths.data, mirrorFileName))) return undefined;
    const { openMirrorToRead } = await import("./mirror.ts");
    const mirror = await openMirrorToRead(paths.data, key);
    try {
      return mirror?.standing(id, said);
    } finally {
      mirror?.dispose();
    }
  } catch {
    // No folder on this machine, or a mirror that breaks: then it knows nothing.
    return undefined;
  }
};
