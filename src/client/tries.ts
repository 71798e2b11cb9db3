import { whyTooLate } from "../domain/replay-time.ts";
import type { Clock, Random, Try } from "../kernel/context.ts";
import { CliError } from "../kernel/errors.ts";
import type { Verdict } from "./judge.ts";
import { backoffMs, whenWords } from "./retry.ts";

export type Tried<T> = { readonly verdict: Verdict<T>; readonly tried: Try; readonly retryAfterMs?: number | undefined };

export type Plan<T> = {
  /** Sends once, within `timeoutMs`. Rejects only on a fault of this program. */
  readonly send: (timeoutMs: number) => Promise<Tried<T>>;
  readonly creates: boolean;
  readonly timeoutMs: number;
  /** Tries after the first. */
  readonly retries: number;
  /** Total over all tries and pauses; absent: timeout times tries, our own pauses on top. */
  readonly budgetMs?: number | undefined;
  /** An earlier try of the same attempt already went unanswered (a resumed one). */
  readonly unanswered?: boolean | undefined;
  /** When a resumed attempt was first sent, wall clock. */
  readonly firstSentMs?: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
  readonly onTry?: ((tried: Try) => void | Promise<void>) | undefined;
  readonly debug?: ((line: string) => void) | undefined;
};

/**
 * All tries of one call (cli.md, Money safety). For a creation the rule above all: once a try went unanswered after bytes
 * may have left, nothing but a success settles the attempt, for what refuses the second request may have done the first.
 */
export const runTries = async <T>(plan: Plan<T>): Promise<T> => {
  const { clock } = plan;
  let endsAt = clock.monotonic() + (plan.budgetMs ?? plan.timeoutMs * (plan.retries + 1));
  let unanswered = plan.creates && plan.unanswered === true;
  let counted = 0;
  let pauses = 0;
  const age = plan.creates ? watchAge(plan) : undefined;
  let last: CliError | undefined;
  for (;;) {
    throwIfAborted(plan, unanswered);
    const late = age?.();
    if (late !== undefined && (last !== undefined || unanswered)) throw tooLate(late, last, unanswered);
    const timeLeftMs = endsAt - clock.monotonic();
    const { verdict, tried, retryAfterMs } = await plan.send(Math.max(1, Math.min(plan.timeoutMs, timeLeftMs)));
    age?.();
    const recorded = await record(plan, tried);
    if (verdict.end === "answered") return verdict.value;
    if (plan.creates && (verdict.end === "in-progress" || (verdict.end === "unanswered" && verdict.left))) unanswered = true;
    const failed = retryAfterMs === undefined ? verdict.error : verdict.error.with({ retryAfterMs });
    const end = plan.creates && unanswered ? outcomeUnknown(failed) : failed;
    if (verdict.end === "refused" || !recorded) throw end;
    throwIfAborted(plan, unanswered, verdict.error);
    if (verdict.end === "unanswered" && verdict.hopeless === true) throw end;
    const waits = verdict.end === "in-progress" && plan.retries > 0;
    if (!waits && counted >= plan.retries) throw end;
    if (!waits) counted += 1;
    // Unless the caller set the total, a pause of our own takes nothing from the time of the tries to come, nor ends them.
    const free = plan.budgetMs === undefined && !waits && retryAfterMs === undefined;
    const leftMs = free ? Number.POSITIVE_INFINITY : endsAt - clock.monotonic();
    const pause = planPause({ own: backoffMs(pauses, plan.random), asked: retryAfterMs, leftMs, waits });
    if (pause === undefined) throw withWhen(end, retryAfterMs, clock);
    if (free) endsAt += pause;
    pauses += 1;
    plan.debug?.(`retry in ${Math.round(pause)} ms`);
    await sleep(plan, pause, unanswered, verdict.error);
    last = verdict.error;
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
  if (!unanswered && last !== undefined) return last.with({ hint: words });
  return outcomeUnknown(
    new CliError("unavailable", last === undefined ? words : `${last.message} ${words}`, { status: last?.status, code: last?.code, cause: last }),
  );
};

type Pause = { readonly own: number; readonly asked: number | undefined; readonly leftMs: number; readonly waits: boolean };

/** How long to wait, or undefined where that is longer than the time left. */
const planPause = ({ own, asked, leftMs, waits }: Pause): number | undefined => {
  if (asked !== undefined) {
    const pause = Math.max(own, asked);
    if (pause < leftMs) return pause;
    return asked < leftMs ? asked : undefined;
  }
  if (own < leftMs) return own;
  // The end of "in progress" is worth one last look before the time ends.
  return waits && leftMs > 1_000 ? leftMs - 500 : undefined;
};

const record = async <T>(plan: Plan<T>, tried: Try): Promise<boolean> => {
  try {
    await plan.onTry?.(tried);
    return true;
  } catch {
    // What can't be recorded is not tried again; what was learnt is still told.
    return false;
  }
};

const sleep = async <T>(plan: Plan<T>, ms: number, unanswered: boolean, last: CliError): Promise<void> => {
  try {
    await plan.clock.sleep(ms, plan.signal);
  } catch (error) {
    throwIfAborted(plan, unanswered, last);
    throw error;
  }
};

const throwIfAborted = <T>(plan: Plan<T>, unanswered: boolean, last?: CliError): void => {
  if (plan.signal?.aborted !== true) return;
  if (unanswered) throw outcomeUnknown(last ?? new CliError("interrupted", "Interrupted."));
  throw new CliError("interrupted", "Interrupted; nothing is in flight.", { sent: "no" });
};

/** The end of a creation of which nobody knows whether it was done: exit 9. */
export const outcomeUnknown = (last: CliError): CliError => {
  if (last.kind === "outcome-unknown") return last;
  return new CliError("outcome-unknown", `The payment may or may not have been made. Last: ${last.message}`, {
    status: last.status,
    code: last.code,
    cause: last,
    hint: "Do not send it anew: `payments-cli journal resume` settles it.",
  });
};

const withWhen = (error: CliError, asked: number | undefined, clock: Clock): CliError => {
  if (asked === undefined) return error;
  const when = `The service asks to try again ${whenWords(asked, clock)}, which is longer than the time left.`;
  return error.with({ hint: error.kind === "outcome-unknown" ? `${when} ${error.hint ?? ""}`.trim() : when });
};
