import type { Profile } from "../../accounts/profiles.ts";
import { settingsPath } from "../../accounts/settings-file.ts";
import { CliError, type ErrorDetails, usageError } from "../../errors.ts";
import type { Context } from "../../ports.ts";

/**
 * The one question before a profile loses its withdrawal key, the merchant's own authorization step. Throws CliError usage (2)
 * without a terminal, with the remedy, and interrupted (130) if it is declined.
 */
export const confirmDrop = async (
  { name }: Profile,
  remedy: Pick<ErrorDetails, "hint" | "command">,
  context: Pick<Context, "terminal" | "prompt">,
): Promise<void> => {
  const what = `The profile ${JSON.stringify(name)} has a withdrawal key, which would be deleted`;
  if (!context.terminal.interactive) throw new CliError("usage", `${what}: this needs confirmation. Nothing was changed.`, remedy);
  if (await context.prompt.confirm({ message: `${what}. Remove it?`, initial: false })) return;
  throw new CliError("interrupted", "Cancelled. Nothing was changed.");
};

export const changedMeanwhile = ({ name }: Profile): CliError =>
  usageError(`Another process changed the profile ${JSON.stringify(name)} at the same time.`, "Run the command again.");

type Dropping = Pick<Context, "flags" | "terminal" | "prompt" | "paths">;
/**
 * What comes before a profile forgets its secrets: the question for a withdrawal key, then the removal of its keychain entry. If
 * that fails the profile must stay, as it alone knows the entry. Returns the check for the moment of writing: what was asked and
 * removed is still all there is. `words` are the command. Throws CliError usage (2), interrupted (130) or config (3).
 */
export const dropSecrets = async (before: Profile, words: readonly string[], context: Dropping): Promise<(stored: Profile) => void> => {
  if (before.hasWithdrawalKey && !context.flags.yes) await confirmDrop(before, { hint: "To confirm it", command: [...words, "--yes"] }, context);
  if (before.keychainEntry !== undefined) await removeEntry(before.keychainEntry, context);
  return (stored) => {
    if (stored.keychainEntry !== before.keychainEntry || stored.hasWithdrawalKey !== before.hasWithdrawalKey) throw changedMeanwhile(stored);
  };
};

const removeEntry = async (entry: string, context: Pick<Context, "paths">): Promise<void> => {
  try {
    const { keychain } = await import("../../accounts/keychain.ts");
    await keychain.remove(entry);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const path = settingsPath(context.paths.config);
    throw error.with({
      hint: `The profile is kept. Unlock the keychain and run the command again. If that keychain no longer exists, take this profile's "keychainEntry" out of ${path} first.`,
    });
  }
};
