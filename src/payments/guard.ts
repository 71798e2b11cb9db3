import { CliError } from "../errors.ts";
import type { Attempt, Journal } from "../journal/port.ts";
import { present } from "../json/exact-json.ts";
import { groupedAmount } from "../money/grouped.ts";
import type { Context } from "../ports.ts";
import { isMoneyOut } from "../service/contract/routes.ts";
import { hasEndedUnpaid } from "../transactions/status.ts";
import { readTwiceIfUnpaid } from "../transactions/sync-details.ts";
import { utcTime } from "../utc-time.ts";
import { type ReadingContext, readPayment } from "./read-payment.ts";
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
type Deps = ReadingContext & Pick<Context, "clock"> & { readonly journal: Pick<Journal, "list" | "setStatus" | "nowMs"> };

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
    const blocking = await standing(attempt, deps);
    if (blocking !== undefined) return { judged, blocking };
  }
  return { judged, blocking: undefined };
};

/** The attempt as it stands in the way, with the status that the service gives it now; undefined if it does not. */
const standing = async (attempt: Attempt, deps: Deps): Promise<Attempt | undefined> => {
  if (attempt.state === "refused") return undefined;
  if (attempt.state !== "accepted") return attempt;
  if (!isMoneyOut(attempt.operation)) return undefined;
  const isUnpaid = (status: string | undefined): boolean => hasEndedUnpaid(status, "out");
  if (attempt.operation === "withdraw") {
    const isOld = (await deps.journal.nowMs()) - Date.parse(attempt.startedAt) >= dayMs;
    return isUnpaid(attempt.status) || isOld ? undefined : attempt;
  }
  // Two looks, also at what was seen to end unpaid before: a service may say so for a while and be wrong.
  const status = await readTwiceIfUnpaid(() => statusNow(attempt, deps), isUnpaid, deps);
  return isUnpaid(status) ? undefined : { ...attempt, ...present({ status }) };
};

/** What the service says of this very id; undefined if it says nothing that can be read. */
const statusNow = async (attempt: Attempt, deps: Deps): Promise<string | undefined> => {
  try {
    return (await readPayment(attempt, deps))?.status;
  } catch {
    return undefined;
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
