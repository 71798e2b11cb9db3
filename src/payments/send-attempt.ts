import { accountWords } from "../command.ts";
import { CliError, dontPayAgain } from "../errors.ts";
import { closedAttempt, triedAttempt } from "../journal/attempt.ts";
import type { Attempt, AttemptEnd, Journal, Try } from "../journal/port.ts";
import { present } from "../json/exact-json.ts";
import type { Answer, Client, Clock, Context } from "../ports.ts";
import { operationRoutes } from "../service/contract/routes.ts";
import { createdRecordOf } from "../service/judge.ts";
import { whenToRetry } from "../service/retry.ts";
import { outcomeUnknown } from "../service/tries.ts";

/** Open in the journal, its request at hand. */
export type Sendable = Attempt & { readonly body: string };
/** What became of an attempt: the answer that accepts it, or why it was refused or is unknown. The attempt is as the journal has it. */
export type Verdict = { readonly attempt: Attempt; readonly answer: Answer } | { readonly attempt: Attempt; readonly error: CliError };

type Deps = Pick<Context, "clock" | "signal" | "hurry" | "note"> & {
  readonly flags: Parameters<typeof accountWords>[0];
  readonly journal: Pick<Journal, "close" | "addTry" | "confirm" | "nowMs">;
  readonly client: Pick<Client, "call">;
  /** Ends what is in flight; shared with others. Absent: made of `signal`, with its grace. */
  readonly inFlight?: AbortSignal | undefined;
  /** The flags with which `journal resume` can send it again. */
  readonly again?: readonly string[] | undefined;
};

/** When an attempt was begun, by this machine's clock: a shared journal has its own, and both may differ. */
const firstSentOf = async ({ startedAt }: Attempt, { journal, clock }: Deps): Promise<number> =>
  clock.now() - ((await journal.nowMs()) - Date.parse(startedAt));

/**
 * Sends an attempt that is open in the journal, all tries with its key and bytes, and closes it with what is known then. The error has
 * key, journal id and, if nobody knows the outcome, kind outcome-unknown and the command that settles it. Never throws.
 */
export const sendAttempt = async (started: Sendable, deps: Deps): Promise<Verdict> => {
  const { journal, client } = deps;
  let attempt: Attempt = started;
  let last: { readonly tried?: Try } = {};
  const grace = deps.inFlight === undefined ? withGrace(deps.signal, deps.clock, deps.hurry) : { signal: deps.inFlight, release: () => undefined };
  try {
    const firstSentMs = attempt.unanswered ? await firstSentOf(attempt, deps) : undefined;
    const answer = await client.call(operationRoutes[attempt.operation], {
      body: started.body,
      idempotencyKey: attempt.idempotencyKey,
      ...present({ firstSentMs }),
      signal: grace.signal,
      stop: deps.signal,
      beforeTry: () => journal.confirm(attempt.id),
      onTry: async (tried) => {
        // Nothing is tried after a success: it is recorded together with the end of the attempt.
        if (tried.outcome === "answered") {
          last = { tried };
          return;
        }
        attempt = triedAttempt(attempt, tried);
        await journal.addTry(attempt.id, tried);
      },
    });
    const { id, status } = createdRecordOf(attempt.operation, answer.body);
    const end = { ...last, answer: answer.text, ...present({ transactionId: id, status }) };
    return { answer, attempt: await closeAttempt(attempt, { state: "accepted", ...end }, deps) };
  } catch (cause) {
    const error = asCliError(cause);
    const closed = await closeAttempt(attempt, { state: isRefusal(error) ? "refused" : "unknown" }, deps);
    return { attempt: closed, error: withAttempt(closed.state === "refused" ? error : outcomeUnknown(error), attempt, deps) };
  } finally {
    grace.release();
  }
};

/** A failure after sending changes nothing about what is known of the payment: in a journal that is still there the attempt stays open. */
const closeAttempt = async (attempt: Attempt, end: AttemptEnd, { journal, clock, note }: Deps): Promise<Attempt> => {
  try {
    await journal.close(attempt.id, end);
  } catch (error) {
    note(`The outcome of the payment ${attempt.id} could not be written to the journal: ${asCliError(error).message}`);
  }
  return closedAttempt(attempt, end, new Date(clock.now()).toISOString());
};

/** The client says that certainly nothing was done by the tries of this call. A fault of this program says nothing. */
const isRefusal = (error: CliError): boolean => error.kind !== "bug" && error.sent === "no";

export const asCliError = (error: unknown): CliError =>
  error instanceof CliError ? error : new CliError("bug", error instanceof Error ? error.message : String(error), { cause: error });

const withAttempt = (error: CliError, attempt: Attempt, { flags, clock, again }: Pick<Deps, "flags" | "clock" | "again">): CliError => {
  const own = { idempotencyKey: attempt.idempotencyKey, journalId: attempt.id };
  if (error.kind !== "outcome-unknown") return error.with(own);
  const when = whenToRetry(error.retryAfterMs, clock);
  const hint = `${when === undefined ? "" : `${when} `}${dontPayAgain} Check it with`;
  return error.with({ ...own, sent: "unknown", hint, command: resumeCommand(attempt.id, flags, again) });
};

/** The command that settles an attempt, for the same account. `again`: its own flags. */
export const resumeCommand = (id: string, flags: Parameters<typeof accountWords>[0], again: readonly string[] = []): readonly string[] => [
  ...["journal", "resume", id],
  ...again,
  ...accountWords(flags),
];

/** How long an answer in flight is waited for after Ctrl-C or SIGTERM, ms. */
export const interruptGraceMs = 3_000;

/**
 * A signal that follows `signal` a little later, so that what is in flight can still be answered, or
 * `hurry` at once: what is known by then is still reported. `release` has to be called when the work is over.
 */
export const withGrace = (signal: AbortSignal, clock: Pick<Clock, "sleep">, hurry?: AbortSignal): { readonly signal: AbortSignal; release(): void } => {
  const late = new AbortController();
  const over = new AbortController();
  const wait = (): void => {
    clock.sleep(interruptGraceMs, over.signal).then(
      () => late.abort(signal.reason),
      () => {},
    );
  };
  const end = (): void => late.abort(hurry?.reason);
  const untilOver = { once: true, signal: over.signal };
  if (signal.aborted) wait();
  else signal.addEventListener("abort", wait, untilOver);
  if (hurry?.aborted === true) end();
  else hurry?.addEventListener("abort", end, untilOver);
  return { signal: late.signal, release: () => over.abort() };
};
