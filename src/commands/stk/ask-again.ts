import { CliError } from "../../errors.ts";
import type { Attempt } from "../../journal/port.ts";
import { fieldOf, parseExact } from "../../json/exact-json.ts";
import { duration } from "../../output/format.ts";
import type { Draft } from "../../payments/draft.ts";
import type { Context } from "../../ports.ts";
import { isLoopback } from "../../service/base-url.ts";
import { hasEndedUnpaid } from "../../transactions/status.ts";

/** A prompt may still ring this long after it was sent. */
const recentMs = 10 * 60_000;

type Push = Pick<Draft, "payee" | "reference">;

/** The newest push to the same phone with the same reference in the last minutes that was accepted and not seen to end unpaid. */
export const findRecent = async ({ payee, reference }: Push, context: Pick<Context, "journal" | "account" | "clock">): Promise<Attempt | undefined> => {
  const [journal, { baseUrl }] = await Promise.all([context.journal(), context.account()]);
  const attempts = await journal.list({ reference, operation: "stk", limit: 20 });
  return attempts.find(
    (attempt) =>
      attempt.payee === payee &&
      attempt.baseUrl === baseUrl &&
      attempt.state === "accepted" &&
      !hasEndedUnpaid(attempt.status, "in") &&
      context.clock.now() - Date.parse(attempt.startedAt) < recentMs,
  );
};

/**
 * A second prompt for the same phone and reference may make the customer pay twice: on a terminal a person is asked, a script gets a
 * note. Throws CliError interrupted if the person declines.
 */
export const askAgain = async (recent: Attempt, context: Pick<Context, "clock" | "terminal" | "flags" | "note" | "prompt">): Promise<void> => {
  const since = duration(context.clock.now() - Date.parse(recent.startedAt));
  const sent = `A prompt for ${recent.reference} was sent to this phone ${since} ago${recent.transactionId === undefined ? "" : ` (${recent.transactionId})`}`;
  if (!context.terminal.interactive || context.flags.yes) return context.note(`${sent}. The customer may pay both.`);
  const message = [sent, "The customer may pay both", "Send another prompt?"];
  if (!(await context.prompt.confirm({ message, initial: false }))) throw new CliError("interrupted", "Cancelled. Nothing was sent.");
};

/**
 * Says where the phone is if a dashboard of the sandbox is open: it holds prompts until they are answered there, and --wait would
 * seem to hang. The payment was accepted by now, so nothing that this look-up meets may change the outcome.
 */
export const notePhone = async (context: Pick<Context, "account" | "client" | "note">): Promise<void> => {
  try {
    const { mode, baseUrl } = await context.account();
    if (mode !== "sandbox" || !isLoopback(new URL(baseUrl).hostname)) return;
    const answer = await (await context.client()).raw({ method: "GET", path: "/_sandbox/prompts" });
    if (answer.status !== 200 || fieldOf(parseExact(answer.text), "heldByDashboard") !== true) return;
    context.note(`The phone is in the open dashboard, which holds the prompt until you answer it: ${baseUrl}/#/phone`);
  } catch {
    context.note("Whether a dashboard holds the prompt could not be read.");
  }
};
