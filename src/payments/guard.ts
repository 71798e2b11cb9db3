import { CliError } from "../errors.ts";
import type { Attempt, Journal } from "../journal/port.ts";
import { groupedAmount } from "../money/grouped.ts";
import type { Client, Context } from "../ports.ts";
import { isMoneyOut } from "../service/contract/routes.ts";
import { readTwiceIfUnpaid } from "../transactions/second-look.ts";
import { hasEndedUnpaid } from "../transactions/status.ts";
import { utcTime } from "../utc-time.ts";
import { readPayment } from "./read-payment.ts";
import { resumeCommand } from "./send-attempt.ts";

export type GuardVerdict = {
  /** The attempts that were looked at: what else is there when the payment is opened has appeared meanwhile. */
  readonly judged: readonly string[];
  /** The newest attempt that stands in the way. */
  readonly blocking: Attempt | undefined;
};

const dayMs = 24 * 60 * 60 * 1000;

export type Exempt = {
  /** The id of the attempt that is to be sent again. */
  readonly own?: string | undefined;
  /** Earlier runs of a batch that a person has said are to be paid once more. */
  readonly replaced?: ReadonlySet<string> | undefined;
};
type Deps = { readonly journal: Pick<Journal, "list" | "setStatus" | "nowMs">; readonly client: () => Promise<Pick<Client, "call">> } & Pick<
  Context,
  "clock" | "signal"
>;

/**
 * The duplicate guard (rules.md, Money safety): is there an attempt like this one that was neither refused nor seen to end
 * unpaid? A payout is looked up at this moment; where that fails it stands in the way.
 */
export const findDuplicates = async (
  { guardKey, baseUrl }: Pick<Attempt, "guardKey" | "baseUrl">,
  { own, replaced }: Exempt,
  deps: Deps,
): Promise<GuardVerdict> => {
  const likes = (await deps.journal.list({ guardKey, baseUrl })).filter(({ id }) => id !== own);
  // A refused one is not among the judged: with its own key it may be sent again meanwhile, and then it counts.
  const judged = likes.filter(({ state }) => state !== "refused").map(({ id }) => id);
  for (const attempt of likes) {
    if (attempt.batchId !== undefined && replaced?.has(attempt.batchId) === true) continue;
    if (await stands(attempt, deps)) return { judged, blocking: attempt };
  }
  return { judged, blocking: undefined };
};

const stands = async (attempt: Attempt, deps: Deps): Promise<boolean> => {
  if (attempt.state === "refused") return false;
  if (attempt.state !== "accepted") return true;
  if (!isMoneyOut(attempt.operation)) return false;
  if (attempt.operation === "withdraw") return !hasEndedUnpaid(attempt.status, "out") && (await deps.journal.nowMs()) - Date.parse(attempt.startedAt) < dayMs;
  // What was seen to end unpaid before needs one look, what was not needs two.
  const look = (): Promise<boolean> => looksUnpaid(attempt, deps);
  return !(await (hasEndedUnpaid(attempt.status, "out") ? look() : readTwiceIfUnpaid(look, (isUnpaid) => isUnpaid, deps)));
};

/** True only where the service says, for this very id, that the payout ended unpaid. */
const looksUnpaid = async (attempt: Attempt, deps: Deps): Promise<boolean> => {
  try {
    return hasEndedUnpaid((await readPayment(attempt, deps))?.status, "out");
  } catch {
    return false;
  }
};

/** In words, with what to do about it. */
export const describeDuplicate = (
  attempt: Attempt,
  flags: Context["flags"],
): { readonly message: string; readonly hint: string; readonly command: readonly string[] } => {
  const what = { stk: "push prompt", b2c: "payout", collect: "collection", withdraw: "withdrawal" }[attempt.operation];
  const about =
    attempt.reference.trim() === "" ? `of ${attempt.currency} ${groupedAmount(attempt.amount, attempt.currency)}` : `with the reference ${attempt.reference}`;
  const open =
    attempt.damaged === true
      ? "is in the journal, but its record is damaged"
      : attempt.state === "accepted"
        ? "was already accepted"
        : "may have been made: its outcome is not known yet";
  return {
    message: `A ${what} ${about} to the same payee ${open} (journal ${attempt.id}, ${utcTime(attempt.startedAt)}${attempt.status === undefined ? "" : `, ${attempt.status}`})`,
    hint: `To send another one anyway, add --allow-duplicate. To ${attempt.state === "accepted" ? "see the earlier one" : "find out about the earlier one"}`,
    command: attempt.state === "accepted" ? ["journal", "show", attempt.id] : resumeCommand(attempt.id, flags),
  };
};

/** The refusal where nobody can be asked: exit 11. */
export const duplicateError = (attempt: Attempt, flags: Context["flags"]): CliError => {
  const { message, hint, command } = describeDuplicate(attempt, flags);
  return new CliError("duplicate", `Not sent: ${message.charAt(0).toLowerCase()}${message.slice(1)}.`, {
    hint,
    command,
    idempotencyKey: attempt.idempotencyKey,
    journalId: attempt.id,
  });
};
