import { secondLookMs } from "../client/retry.ts";
import { isMoneyOut, routes } from "../contract/routes.ts";
import { groupedAmount } from "../domain/grouped.ts";
import { classifyStatus, isReversed } from "../domain/status.ts";
import type { Attempt, Client, Context, Journal } from "../kernel/context.ts";
import { CliError } from "../kernel/errors.ts";
import { fieldOf, textOf } from "../kernel/exact-json.ts";
import { resumeCommand } from "./create-payment-plan.ts";

export type Likeness = Pick<Attempt, "guardKey" | "baseUrl" | "operation">;
export type GuardVerdict = {
  /** The attempts that were looked at: what else is there when the payment is opened has appeared meanwhile. */
  readonly judged: readonly string[];
  /** The newest attempt that stands in the way. */
  readonly blocking: Attempt | undefined;
};

const dayMs = 24 * 60 * 60 * 1000;

type Deps = { readonly journal: Pick<Journal, "list" | "setStatus">; readonly client: () => Promise<Pick<Client, "call">> } & Pick<Context, "clock" | "signal">;

/**
 * The duplicate guard (cli.md, Money safety): is there an attempt like this one that was neither refused nor seen to end
 * unpaid? A payout is looked up at this moment; where that fails it stands in the way.
 */
export const judgeLikes = async (like: Likeness, except: string | undefined, deps: Deps): Promise<GuardVerdict> => {
  const likes = (await deps.journal.list({ guardKey: like.guardKey, baseUrl: like.baseUrl })).filter(({ id }) => id !== except);
  // A refused one is not among the judged: with its own key it may be sent again meanwhile, and then it counts.
  const judged = likes.filter(({ state }) => state !== "refused").map(({ id }) => id);
  for (const attempt of likes) {
    if (await stands(attempt, deps)) return { judged, blocking: attempt };
  }
  return { judged, blocking: undefined };
};

const stands = async (attempt: Attempt, deps: Deps): Promise<boolean> => {
  if (attempt.state === "refused") return false;
  if (attempt.state !== "accepted") return true;
  if (!isMoneyOut(attempt.operation)) return false;
  const seenUnpaid = attempt.status !== undefined && classifyStatus(attempt.status, "out") === "unpaid";
  if (attempt.operation === "withdraw") return !seenUnpaid && deps.clock.now() - Date.parse(attempt.startedAt) < dayMs;
  if (!(await looksUnpaid(attempt, deps))) return true;
  if (seenUnpaid) return false;
  await deps.clock.sleep(secondLookMs, deps.signal);
  return !(await looksUnpaid(attempt, deps));
};

/** True only where the service says, for this very id, that the payout ended unpaid. */
const looksUnpaid = async (attempt: Attempt, deps: Deps): Promise<boolean> => {
  const transactionId = attempt.transactionId;
  if (transactionId === undefined) return false;
  try {
    const client = await deps.client();
    const { body } = await client.call(routes.getTransaction, { params: { transactionId }, signal: deps.signal });
    const status = textOf(fieldOf(body, "status"));
    if (status === undefined || textOf(fieldOf(body, "id")) !== transactionId) return false;
    // Paid is not undone by a later failure (cli.md, Living with what is not shown).
    const wasPaid = attempt.status !== undefined && classifyStatus(attempt.status, "out") === "paid";
    if (wasPaid && !isReversed(status)) return false;
    if (status !== attempt.status) await deps.journal.setStatus(attempt.id, status);
    return classifyStatus(status, "out") === "unpaid";
  } catch {
    return false;
  }
};

/** In words, with what to do about it. */
export const describeLike = (attempt: Attempt, flags: Context["flags"]): { readonly message: string; readonly hint: string } => {
  const what = { stk: "push prompt", b2c: "payout", collect: "collection", withdraw: "withdrawal" }[attempt.operation];
  const about =
    attempt.reference.trim() === "" ? `of ${groupedAmount(attempt.amount, attempt.currency)} ${attempt.currency}` : `with the reference ${attempt.reference}`;
  const open = attempt.state === "accepted" ? "was already accepted" : "has no known outcome yet";
  return {
    message: `A ${what} ${about} to the same payee ${open} (journal ${attempt.id}, ${attempt.startedAt}${attempt.status === undefined ? "" : `, ${attempt.status}`})`,
    hint:
      attempt.state === "accepted"
        ? `see payments-cli journal show ${attempt.id}; --allow-duplicate sends it all the same`
        : `settle it with ${resumeCommand(attempt.id, flags)}; --allow-duplicate sends it all the same`,
  };
};

/** The refusal where nobody can be asked: exit 11. */
export const duplicateError = (attempt: Attempt, flags: Context["flags"]): CliError => {
  const { message, hint } = describeLike(attempt, flags);
  return new CliError("duplicate", `${message}; nothing was sent`, { hint, idempotencyKey: attempt.idempotencyKey, journalId: attempt.id });
};
