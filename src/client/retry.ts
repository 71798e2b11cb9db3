import type { Clock, Random } from "../kernel/context.ts";

const firstMs = 500;
const longestMs = 8_000;

/** The pause before a retry: 0.5 s doubling to 8, of which a random half is kept back so that many clients spread. `retry` counts from 0. */
export const backoffMs = (retry: number, random: Pick<Random, "fraction">): number => {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(retry, 10));
  return Math.round(full / 2 + (full / 2) * random.fraction());
};

/**
 * `Retry-After` in ms from now: seconds, or a date, which is taken against the answer's own `Date` where it has one, as
 * this machine's clock may be wrong. Undefined where absent or not understood.
 */
export const retryAfterMs = (headers: Readonly<Record<string, string>>, clock: Pick<Clock, "now">): number | undefined => {
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const until = Date.parse(value);
  // A bare number such as -5 is a date to some parsers.
  if (Number.isNaN(until) || !/[a-z]{3}/i.test(value)) return undefined;
  const served = Date.parse(headers["date"] ?? "");
  return Math.max(0, until - (Number.isNaN(served) ? clock.now() : served));
};

/** `in 90 s (2026-11-28 05:04:30 UTC)`. */
export const whenWords = (waitMs: number, clock: Pick<Clock, "now">): string => {
  const seconds = Math.ceil(waitMs / 1000);
  const at = new Date(clock.now() + waitMs);
  return Number.isNaN(at.getTime()) ? `in ${seconds} s` : `in ${seconds} s (${at.toISOString().slice(0, 19).replace("T", " ")} UTC)`;
};
