import type { Context } from "../../kernel/context.ts";
import { CliError, usageError } from "../../kernel/errors.ts";
import { quoteForShell, shellOf } from "../../output/format.ts";
import type { Profile } from "../../store/profiles.ts";

/** The words of a shell command on this machine. */
export const commandLine = (context: Pick<Context, "env">, ...words: readonly string[]): string =>
  ["payments-cli", ...words].map((word) => quoteForShell(word, shellOf(context.env))).join(" ");

/**
 * The one question before a profile loses its withdrawal key, the merchant's own authorization step. Throws CliError usage (2)
 * without a terminal, with `remedy` as the hint, and interrupted (130) if it is declined.
 */
export const confirmDrop = async ({ name }: Profile, remedy: string, context: Pick<Context, "terminal" | "prompt">): Promise<void> => {
  const what = `The profile ${JSON.stringify(name)} has a withdrawal key, which would be removed for good`;
  if (!context.terminal.interactive) throw usageError(`${what}, and nobody can be asked here. Nothing was changed.`, remedy);
  if (await context.prompt.confirm({ message: `${what}. Remove it?`, initial: false })) return;
  throw new CliError("interrupted", "Declined; nothing was changed.");
};

/** Checked again at the moment of writing: another process may have stored the key since the question. Throws CliError usage. */
export const refuseUnasked = (stored: Profile, asked: boolean): void => {
  if (!stored.hasWithdrawalKey || asked) return;
  throw usageError(`A withdrawal key was stored in the profile ${JSON.stringify(stored.name)} in the meantime. Nothing was changed.`, "Run the command again.");
};
