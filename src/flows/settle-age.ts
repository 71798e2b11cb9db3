import type { Attempt } from "../kernel/context.ts";

/** How long the service is trusted to remember a key, ms (cli.md, Money safety). */
export const replayTimeMs = 24 * 60 * 60 * 1000;

/** How far a clock may be behind the journal, ms: another process writes meanwhile, and time services set clocks back a little. */
const clockLagMs = 60 * 1000;

/**
 * True while an attempt may be sent again with its key: under 24 hours old, by a clock that is not behind the newest time
 * the journal has seen by more than a minute. A clock that was set back would make an old attempt look young.
 */
export const isWithinReplayTime = (attempt: Pick<Attempt, "startedAt">, nowMs: number, newestTime: string | undefined): boolean => {
  const ageMs = nowMs - Date.parse(attempt.startedAt);
  if (!(ageMs >= 0 && ageMs < replayTimeMs)) return false;
  return newestTime === undefined || nowMs + clockLagMs >= Date.parse(newestTime);
};
