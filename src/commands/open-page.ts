import { CliError, withoutStop } from "../errors.ts";
import type { Context } from "../ports.ts";

/** Opens a page in the person's browser. One that does not start is no failure of the command: a note says so. */
export const openPage = async (what: "checkout" | "dashboard", url: string, context: Pick<Context, "terminal" | "note" | "openUrl">): Promise<void> => {
  const notOpened = (why: string): void => context.note(`The ${what} was not opened: ${why}. Open it by hand: ${url}`);
  if (!context.terminal.interactive) return notOpened("there is no terminal");
  try {
    await context.openUrl(url);
  } catch (error) {
    notOpened(error instanceof CliError ? withoutStop(error.message) : "the browser could not be started");
  }
};
