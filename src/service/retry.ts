import type { Clock, Random } from "../ports.ts";

const firstMs = 500;
const longestMs = 8_000;

/** The pause before a retry: 0.5 s doubling to 8, of which a random half is kept back so that many clients spread. `retry` counts from 0. */
export const backoffMs = (retry: number, random: Pick<Random, "fraction">): number => {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(retry, 10));
  return Math.round(full / 2 + (full / 2) * random.fraction());
};

export type Pause = {
  /** Our own pause: `backoffMs`. */
  readonly own: number;
  /** `Retry-After`, the lower bound of the wait. */
  readonly asked: number | undefined;
  readonly leftMs: number;
  /** Our own pause does not count against the time left. */
  readonly free: boolean;
  /** The work is under way elsewhere: the end of the time is worth a last look. */
  readonly inProgress: boolean;
};

/** How long to wait before the next try; undefined if the time left does not allow one. */
export const pauseMs = ({ own, asked = 0, leftMs, free, inProgress }: Pause): number | undefined => {
  if (asked >= leftMs && asked > 0) return undefined;
  if (own <= asked) return asked;
  if (free || own < leftMs) return own;
  if (asked > 0) return asked;
  return inProgress && leftMs > 1_000 ? leftMs - 500 : undefined;
};

/** An end without payment is read again after this long, to be sure (rules.md, Exit codes, 7). */
export const secondLookMs = 3_000;

const waitPausesMs = [1_000, 2_000, 3_000];
/** `--wait` pauses 1, 2, 3 and 5 s between its first looks, then 5 s (rules.md, Exit codes). `look` counts from 0. */
export const waitPauseMs = (look: number): number => waitPausesMs[look] ?? 5_000;

const watchMsMax = 30_000;
/** The pause of `tx watch` grows while nothing changes. */
export const watchPauseMs = (before: number, intervalMs: number): number => Math.max(intervalMs, Math.min(watchMsMax, before * 1.5));

/** Longer is no wait that anybody ends; as a date it is still one. */
const centuryMs = 100 * 365 * 86_400_000;
/** The three forms of a date in HTTP (RFC 9110, 5.6.7); the last one has no zone and means UTC. */
const httpDate = /^[a-z]{3,9}, \d\d[ -][a-z]{3}[ -](?:\d\d){1,2} \d\d:\d\d:\d\d GMT$|^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i;

/**
 * `Retry-After` in ms from now: seconds, or a date, which is compared with the answer's own `Date` if it has one, as this
 * machine's clock may be wrong. Of several values the longest counts. Undefined if absent or not understood.
 */
export const retryAfterMs = (headers: Readonly<Record<string, string>>, clock: Pick<Clock, "now">): number | undefined => {
  // The comma inside a date separates nothing.
  const values = (headers["retry-after"] ?? "").split(/(?<!\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*),/i);
  const served = dateOf(headers["date"] ?? "") ?? clock.now();
  const waits = values.flatMap((value) => oneRetryAfterMs(value.trim(), served) ?? []);
  return waits.length === 0 ? undefined : Math.min(centuryMs, Math.max(...waits));
};

const oneRetryAfterMs = (value: string, served: number): number | undefined => {
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const until = dateOf(value);
  return until === undefined ? undefined : Math.max(0, until - served);
};

const dateOf = (text: string): number | undefined => {
  if (!httpDate.test(text)) return undefined;
  const at = Date.parse(/GMT$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
};

/** When an answer asks to be asked again, as a sentence; undefined if it says nothing, or "at once". */
export const whenToRetry = (waitMs: number | undefined, clock: Pick<Clock, "now">): string | undefined => {
  if (waitMs === undefined || waitMs === 0) return undefined;
  const at = new Date(clock.now() + waitMs).toISOString().slice(0, 19).replace("T", " ");
  return `Try again in ${Math.ceil(waitMs / 1000)} s (${at} UTC) or later.`;
};

/** How long a key is sent, ms: the 24 hours for which the service is trusted to remember it (rules.md, Money safety), less the time a request may be on its way. */
const replayTimeMs = (24 * 60 * 60 - 30) * 1000;

/** How far a clock may be behind what was seen of it, ms: another process writes meanwhile, and time services set clocks back a little. */
export const clockLagMs = 60 * 1000;

/**
 * True while an attempt may be sent again with its key: under 24 hours old when the request arrives, by a clock that is not behind the newest time
 * the journal has seen by more than a minute. A clock that was set back would make an old attempt look young.
 */
export const isWithinReplayTime = (attempt: { readonly startedAt: string }, nowMs: number, newestTime: string | undefined): boolean => {
  const ageMs = nowMs - Date.parse(attempt.startedAt);
  if (!(ageMs >= 0 && ageMs < replayTimeMs)) return false;
  return newestTime === undefined || nowMs + clockLagMs >= Date.parse(newestTime);
};

/**
 * Why a key that was in use from `sinceMs` on may not be sent once more at `nowMs`, or undefined; `newestMs` is the latest the wall
 * clock has been meanwhile. A machine may sleep for days inside a pause of seconds, and a monotonic clock sleeps with it.
 */
export const whyTooLate = (sinceMs: number, newestMs: number, nowMs: number): string | undefined => {
  if (nowMs + clockLagMs < newestMs) return "The clock of this machine has gone backwards, so the age of the request is not known";
  if (nowMs - sinceMs >= replayTimeMs) return "It was begun 24 hours ago or nearly so, and the service may forget its key";
  return undefined;
};
