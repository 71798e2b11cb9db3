import { whenToRetry } from "../client/retry.ts";
import { operationRoutes } from "../contract/routes.ts";
import type { Answer, Attempt, Client, Context, Journal, Try } from "../kernel/context.ts";
import { CliError } from "../kernel/errors.ts";
import { recordOf, resumeCommand } from "./create-payment-plan.ts";
import { withGrace } from "./interrupt.ts";

type Sendable = Pick<Attempt, "id" | "idempotencyKey" | "operation" | "unanswered" | "startedAt"> & { readonly body: string };
type Deps = Pick<Context, "clock" | "signal" | "hurry" | "note" | "flags"> & {
  readonly journal: Journal;
  readonly client: Client;
  /** Ends what is in flight; shared with others. Absent: made of `signal`, with its grace. */
  readonly inFlight?: AbortSignal | undefined;
};

/** A success that could be read: nothing is tried after it. */
const isLast = ({ httpStatus, error }: Try): boolean => httpStatus !== undefined && httpStatus >= 200 && httpStatus < 300 && error === undefined;

/** True where the try proves nothing about the payment. Only the client can judge the last one of a call. */
const leftOpen = (tried: Try): boolean => {
  const status = tried.httpStatus;
  return tried.left && (status === undefined || status < 400 || status >= 500 || status === 408 || status === 409);
};

/**
 * Sends an attempt that is open in the journal, all tries with its key and bytes, and closes it with what is known then.
 * Returns the answer that accepts it. Throws CliError with key, journal id and, where nobody knows the outcome, kind
 * outcome-unknown and the command that settles it.
 */
export const sendAttempt = async (attempt: Sendable, deps: Deps): Promise<Answer> => {
  const { journal, client } = deps;
  const tries: Try[] = [];
  let last: { readonly tried?: Try } = {};
  const grace = deps.inFlight === undefined ? withGrace(deps.signal, deps.clock, deps.hurry) : { signal: deps.inFlight, release: () => undefined };
  try {
    const answer = await client.call(operationRoutes[attempt.operation], {
      body: attempt.body,
      idempotencyKey: attempt.idempotencyKey,
      unanswered: attempt.unanswered,
      ...(attempt.unanswered ? { firstSentMs: Date.parse(attempt.startedAt) } : {}),
      signal: grace.signal,
      stop: deps.signal,
      onTry: async (tried) => {
        tries.push(tried);
        // A success is recorded together with the end of the attempt; the others before they are tried again.
        if (isLast(tried)) last = { tried };
        else await journal.addTry(attempt.id, tried);
      },
    });
    const { id, status } = recordOf(attempt.operation, answer.body);
    await recorded(attempt, deps, {
      state: "accepted",
      ...last,
      answer: answer.text,
      ...(id === undefined ? {} : { transactionId: id }),
      ...(status === undefined ? {} : { status }),
    });
    return answer;
  } catch (error) {
    const known = toOutcome(error, attempt, tries);
    await recorded(attempt, deps, { state: known.kind === "outcome-unknown" ? "unknown" : "refused", ...last });
    throw told(await besideOthers(known, attempt, deps), attempt, deps);
  } finally {
    grace.release();
  }
};

/** A failure after sending changes nothing about what is known of the payment: in a journal that is still there the attempt stays open. */
const recorded = async (attempt: Sendable, deps: Deps, end: Parameters<Journal["close"]>[1]): Promise<void> => {
  try {
    await deps.journal.close(attempt.id, end);
  } catch (error) {
    deps.note(`The outcome of attempt ${attempt.id} could not be written to the journal: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/**
 * Refused only where it is certain that no payment exists: the last answer says so, or nothing left, and no earlier try of
 * this attempt went unanswered. All else, a fault of this program too, is unknown.
 */
const toOutcome = (error: unknown, attempt: Sendable, tries: readonly Try[]): CliError => {
  if (error instanceof CliError && error.kind === "outcome-unknown") return error;
  if (error instanceof CliError && error.kind !== "bug" && error.sent === "no" && !attempt.unanswered) {
    const undecided = byAnswer.has(error.kind) ? tries.slice(0, -1) : tries;
    if (!undecided.some(leftOpen)) return error;
  }
  return asUnknown(error, "The payment may or may not have been made");
};
/** Another process may have sent this very attempt meanwhile: what refused one of the two says nothing of the other. */
const besideOthers = async (known: CliError, attempt: Sendable, { journal }: Deps): Promise<CliError> => {
  if (known.kind === "outcome-unknown") return known;
  const now = await journal.find(attempt.id).catch(() => undefined);
  if (now?.state !== "accepted" && now?.state !== "unknown") return known;
  return asUnknown(known, "Another process sent this payment too, so it may have been made");
};
const asUnknown = (error: unknown, words: string): CliError => {
  const message = `${words}. Last: ${error instanceof Error ? error.message : String(error)}`;
  if (error instanceof CliError) return error.with({ kind: "outcome-unknown", message, cause: error });
  return new CliError("outcome-unknown", message, { cause: error });
};
/** Kinds in which the last try had a readable answer that refuses. */
const byAnswer: ReadonlySet<string> = new Set(["rejected", "auth", "not-found", "payment-required"]);

const told = (error: CliError, attempt: Sendable, { flags, clock }: Pick<Deps, "flags" | "clock">): CliError => {
  const own = { idempotencyKey: attempt.idempotencyKey, journalId: attempt.id };
  if (error.kind !== "outcome-unknown") return error.with(own);
  const when = whenToRetry(error.retryAfterMs, clock);
  const settle = `${when === undefined ? "do" : `${when} Do`} not send it anew; settle it with: ${resumeCommand(attempt.id, flags)}`;
  return error.with({ ...own, sent: "unknown", hint: settle });
};
