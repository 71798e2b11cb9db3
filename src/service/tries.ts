import { CliError, dontPayAgain, notKnownYet, withoutStop } from "../errors.ts";
import type { Try } from "../journal/port.ts";
import type { Clock, Random } from "../ports.ts";
import type { Verdict } from "./judge.ts";
import { backoffMs, pauseMs, whenToRetry, whyTooLate } from "./retry.ts";

export type Tried<T> = { readonly verdict: Verdict<T>; readonly tried: Omit<Try, "outcome">; readonly retryAfterMs?: number | undefined };

export type Plan<T> = {
  /** Sends once, within `timeoutMs`, unless `whyTooLate` gives a reason right before the first byte. Rejects only on a fault of this program. */
  readonly send: (timeoutMs: number, whyTooLate: () => string | undefined) => Promise<Tried<T>>;
  readonly creates: boolean;
  readonly timeoutMs: number;
  /** Tries after the first. */
  readonly retries: number;
  /** Total over all tries and pauses; absent: timeout times tries, our own pauses on top. */
  readonly budgetMs?: number | undefined;
  /** When the attempt was first sent, wall clock, where that was by an earlier call. */
  readonly firstSentMs?: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends pauses, and there are no more tries. */
  readonly stop?: AbortSignal | undefined;
  readonly beforeTry?: (() => Promise<void>) | undefined;
  readonly onTry?: ((tried: Try) => void | Promise<void>) | undefined;
  readonly debug?: ((line: string) => void) | undefined;
};

/**
 * All tries of one call (rules.md, Money safety). For a creation the rule above all: once a try went unanswered after bytes
 * may have left, nothing but a success settles the attempt, for what refuses the second request may have done the first.
 */
export const runTries = async <T>(plan: Plan<T>): Promise<T> => {
  const { clock } = plan;
  let endsAt = clock.monotonic() + (plan.budgetMs ?? plan.timeoutMs * (plan.retries + 1));
  // What an earlier call sent may have been carried out as well.
  let unanswered = plan.firstSentMs !== undefined;
  let counted = 0;
  const age = plan.creates ? watchAge(plan) : () => undefined;
  let last: CliError | undefined;
  for (let pauses = 0; ; pauses += 1) {
    throwIfAborted(plan, unanswered);
    const late = age();
    if (late !== undefined && (last !== undefined || plan.firstSentMs !== undefined)) throw tooLate(late, last, unanswered);
    await allowTry(plan, unanswered);
    const { verdict, tried, retryAfterMs } = await plan.send(Math.max(1, Math.min(plan.timeoutMs, endsAt - clock.monotonic())), age);
    age();
    const recorded = await record(plan, { ...tried, outcome: verdict.outcome });
    if (verdict.outcome === "answered") return verdict.value;
    unanswered ||= plan.creates && verdict.outcome === "unanswered";
    const failed = verdict.error.with({ retryAfterMs });
    const end = unanswered ? outcomeUnknown(failed) : failed;
    const isServicesRefusal = verdict.next === "stop" && tried.httpStatus !== undefined;
    if (isServicesRefusal || !recorded) throw end;
    throwIfAborted(plan, unanswered, failed);
    const waits = verdict.next === "wait" && plan.retries > 0;
    if (verdict.next === "stop" || (!waits && counted >= plan.retries)) throw withWhen(end, clock);
    if (!waits) counted += 1;
    // Unless the caller set the total, a pause of our own takes nothing from the time of the tries to come, nor ends them.
    const free = plan.budgetMs === undefined && !waits;
    const own = backoffMs(pauses, plan.random);
    const pause = pauseMs({ own, asked: retryAfterMs, leftMs: endsAt - clock.monotonic(), free, inProgress: waits });
    if (pause === undefined) throw withWhen(end, clock);
    if (free && pause === own) endsAt += pause;
    plan.debug?.(`retry in ${Math.round(pause)} ms`);
    await sleep(plan, pause, unanswered, failed);
    last = verdict.error;
  }
};

/** What forbids the next try says nothing about those before it. */
const allowTry = async <T>({ beforeTry }: Plan<T>, unanswered: boolean): Promise<void> => {
  try {
    await beforeTry?.();
  } catch (error) {
    throw unanswered && error instanceof CliError ? outcomeUnknown(error) : error;
  }
};

/** Looks at the wall clock: why the key is too old to be sent once more, or undefined. */
const watchAge = <T>({ clock, firstSentMs }: Plan<T>): (() => string | undefined) => {
  const sinceMs = firstSentMs ?? clock.now();
  let newestMs = sinceMs;
  return () => {
    const nowMs = clock.now();
    const why = whyTooLate(sinceMs, newestMs, nowMs);
    newestMs = Math.max(newestMs, nowMs);
    return why;
  };
};

/** The service keeps a key for a day or so: what is sent with it later may be paid a second time. */
const tooLate = (why: string, last: CliError | undefined, unanswered: boolean): CliError => {
  const words = `${why}; it was not sent again.`;
  if (last === undefined) return outcomeUnknown(new CliError("unavailable", words));
  return unanswered ? outcomeUnknown(last.with({ message: `${last.message} ${words}`, cause: last })) : last.with({ hint: words });
};

const record = async <T>(plan: Plan<T>, tried: Try): Promise<boolean> => {
  try {
    await plan.onTry?.(tried);
    return true;
  } catch {
    // What can't be recorded is not tried again; what was learnt is still reported.
    return false;
  }
};

const sleep = async <T>(plan: Plan<T>, ms: number, unanswered: boolean, last: CliError): Promise<void> => {
  try {
    await plan.clock.sleep(ms, plan.stop);
  } catch (error) {
    throwIfAborted(plan, unanswered, last);
    throw error;
  }
};

const throwIfAborted = <T>(plan: Plan<T>, unanswered: boolean, last?: CliError): void => {
  if (plan.stop?.aborted !== true) return;
  if (unanswered) throw outcomeUnknown(last ?? new CliError("interrupted", "Interrupted."));
  throw new CliError("interrupted", "Interrupted. Nothing was sent.", { sent: "no" });
};

/** The end of a creation of which nobody knows whether it was done: exit 9. */
export const outcomeUnknown = (last: CliError): CliError => {
  if (last.kind === "outcome-unknown") return last;
  return last.with({
    kind: "outcome-unknown",
    message: `${notKnownYet()} (${lastWords(last)}).`,
    cause: last,
    hint: `${dontPayAgain} The same request with the same idempotency key finds out.`,
  });
};

/** `last answer: 503`, or why there was none. Our own words about an answer are cut down to its status and what is wrong with a 2xx. */
const lastWords = ({ message, status }: CliError): string => {
  const said = withoutStop(message);
  if (status === undefined) return said.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
  const own = /^The service(?: answered (?:with a redirect, )?|'s answer cannot be used: it answered )/;
  return `last answer: ${own.test(said) ? said.replace(own, "").replace(/^([1345]\d\d)[^.]*/, "$1") : `${status}: ${said}`}`;
};

const withWhen = (error: CliError, clock: Pick<Clock, "now">): CliError => {
  const when = whenToRetry(error.retryAfterMs, clock);
  if (when === undefined) return error;
  return error.with({ hint: error.kind === "outcome-unknown" ? `${when} ${error.hint ?? ""}`.trim() : when });
};
