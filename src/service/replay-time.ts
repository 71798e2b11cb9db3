/** How long a key is sent, ms: the 24 hours for which the service is trusted to remember it (rules.md, Money safety), less the time a request may be on its way. */
export const replayTimeMs = (24 * 60 * 60 - 30) * 1000;

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
