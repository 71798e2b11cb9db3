import type { Account } from "../ports.ts";

/** What a mirror belongs to: another merchant's key at the same address sees other transactions. */
export const mirrorKey = (account: Pick<Account, "baseUrl" | "keyHint">): string => `${account.baseUrl} ${account.keyHint}`;
