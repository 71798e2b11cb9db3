import type { Context } from "../../kernel/context.ts";
import type { Keychain } from "../../store/keychain.ts";

/** Gives the keychain when one is needed: most calls never start it. */
export type KeychainSource = () => Promise<Keychain>;

export const systemKeychain: KeychainSource = async () => (await import("../../store/keychain.ts")).createKeychain();

/** Removes an entry that no profile refers to any more. Where that fails, the person is told which one is left. */
export const forgetEntry = async (entry: string | undefined, keychain: KeychainSource, context: Pick<Context, "note">): Promise<void> => {
  if (entry === undefined) return;
  if (await (await keychain()).remove(entry)) return;
  context.note(`The keychain did not answer: its entry "${entry}" of payments-cli is still there. Remove it with the system's own keychain program.`);
};
