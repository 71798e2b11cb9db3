import { describe, expect, it } from "vitest";
import { backoffMs, isWithinReplayTime, pauseMs, retryAfterMs, waitPauseMs, watchPauseMs, whenToRetry, whyTooLate } from "../../src/service/retry.ts";

const clock = { now: () => Date.UTC(2026, 10, 28, 9, 0, 0) };
const centuryMs = 100 * 365 * 86_400_000;

describe("our own pauses", () => {
  it("double from half a second to eight, with jitter", () => {
    const full = [0, 1, 2, 3, 4, 5, 60].map((retry) => backoffMs(retry, { fraction: () => 1 }));
    expect(full).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    expect(backoffMs(0, { fraction: () => 0 })).toBe(250);
  });

  it("of --wait are 1, 2, 3 and then 5 s", () => {
    expect([0, 1, 2, 3, 4, 1_000_000].map(waitPauseMs)).toEqual([1_000, 2_000, 3_000, 5_000, 5_000, 5_000]);
  });

  it("of a watch grow to half a minute, unless more was asked for", () => {
    expect([watchPauseMs(1_000, 1_000), watchPauseMs(29_000, 1_000), watchPauseMs(60_000, 60_000)]).toEqual([1_500, 30_000, 60_000]);
  });
});

describe("Retry-After", () => {
  it.each([
    ["2", 2_000],
    [" 0 ", 0],
    ["1.5", 1_500],
    ["2592000", 2_592_000_000],
    ["Sat, 28 Nov 2026 09:00:30 GMT", 30_000],
    ["Saturday, 28-Nov-26 09:00:30 GMT", 30_000],
    ["Sat Nov 28 09:00:30 2026", 30_000],
    ["Sat, 28 Nov 2026 08:00:00 GMT", 0],
    ["Sat, 28 Nov 2225 08:00:00 GMT", centuryMs],
    ["99999999999999999999", centuryMs],
    ["9".repeat(400), centuryMs],
    ["2, 7", 7_000],
    ["7,2", 7_000],
    ["soon, 4", 4_000],
    ["Sat, 28 Nov 2026 09:00:30 GMT, 5", 30_000],
    ["5, Sat, 28 Nov 2026 09:00:30 GMT", 30_000],
    ["Sat, 28 Nov 2026 09:00:30 GMT, Sat, 28 Nov 2026 09:01:00 GMT", 60_000],
    ["soon", undefined],
    ["-5", undefined],
    ["1e9", undefined],
    ["Infinity", undefined],
    ["NaN", undefined],
    ["0x10", undefined],
    ["5 s", undefined],
    ["in 2999", undefined],
    ["Sat, 99 Nov 2026 09:00:30 GMT", undefined],
    ["", undefined],
    [",", undefined],
  ])("%j is %s ms", (value, ms) => expect(retryAfterMs({ "retry-after": value }, clock)).toBe(ms));

  it("is absent without the header", () => expect(retryAfterMs({}, clock)).toBeUndefined());

  it("as a date counts from the date of the answer itself, if that can be read", () => {
    const headers = { "retry-after": "Sat, 28 Nov 2026 12:00:30 GMT" };
    expect(retryAfterMs({ ...headers, date: "Sat, 28 Nov 2026 12:00:00 GMT" }, clock)).toBe(30_000);
    expect(retryAfterMs({ ...headers, date: "yesterday" }, clock)).toBe(3 * 3_600_000 + 30_000);
  });
});

describe("the pause before a retry", () => {
  const base = { own: 400, asked: undefined, leftMs: 10_000, free: true, inProgress: false };
  it.each([
    ["our own", {}, 400],
    ["what is asked, if longer", { asked: 7_000 }, 7_000],
    ["our own, if longer than what is asked", { asked: 100 }, 400],
    ["our own after a date in the past", { asked: 0 }, 400],
    ["our own, though no time is left: it does not count", { leftMs: 0 }, 400],
    ["our own after a date in the past, though no time is left", { asked: 0, leftMs: 0 }, 400],
    ["what is asked, if our own is longer than the time left", { asked: 100, leftMs: 300, free: false }, 100],
    ["our own would be longer than the time left", { leftMs: 300, free: false }, undefined],
    ["the time left is what is asked", { asked: 10_000 }, undefined],
    ["longer is asked than the time left", { asked: 2_592_000_000 }, undefined],
    ["a last look before the end of work in progress", { own: 8_000, leftMs: 3_000, free: false, inProgress: true }, 2_500],
    ["half a second before the end, if a second and more is left", { own: 2_000, leftMs: 1_001, free: false, inProgress: true }, 501],
    ["no last look right at the end", { own: 8_000, leftMs: 1_000, free: false, inProgress: true }, undefined],
    ["no last look at what is not in progress", { own: 2_000, leftMs: 1_001, free: false }, undefined],
    ["none if our own would use the time up", { leftMs: 400, free: false }, undefined],
    ["none if all that is left is asked for, also if our own is free", { asked: 1, leftMs: 1 }, undefined],
  ])("%s", (_, given, ms) => expect(pauseMs({ ...base, ...given })).toBe(ms));
});

describe("when to retry, in words", () => {
  it("gives seconds and the moment", () => expect(whenToRetry(90_500, clock)).toMatch(/ 91 s .*2026-11-28 09:01:30 UTC/));
  it.each([undefined, 0])("says nothing about %s ms", (waitMs) => expect(whenToRetry(waitMs, clock)).toBeUndefined());
  it("can say the longest there is", () => expect(whenToRetry(centuryMs, clock)).toContain("2126-"));
});

describe("a key that was in use before", () => {
  const startedAt = "2026-11-28T09:00:00.000Z";
  const startMs = Date.parse(startedAt);
  const limitMs = (86_400 - 30) * 1_000;
  const minuteMs = 60_000;
  it.each([
    ["just now", 0, undefined, true],
    ["a moment less than 24 hours before, with half a minute for the way", limitMs - 1, undefined, true],
    ["24 hours before, less half a minute for the way", limitMs, undefined, false],
    ["at a time that is still to come", -1, undefined, false],
    ["by a clock that is a minute behind the journal", 1_000, startMs + 1_000 + minuteMs, true],
    ["by a clock that is more than a minute behind the journal", 1_000, startMs + 1_001 + minuteMs, false],
    ["by a clock that is ahead of the journal", 1_000, startMs, true],
  ] as const)("%s: may it be sent again?", (_, ageMs, newestMs, may) => {
    const newest = newestMs === undefined ? undefined : new Date(newestMs).toISOString();
    expect(isWithinReplayTime({ startedAt }, startMs + ageMs, newest)).toBe(may);
  });

  it("is not sent again if nobody can tell when it was first sent", () => expect(isWithinReplayTime({ startedAt: "" }, startMs, undefined)).toBe(false));

  it("is not sent again once it is too old, or the clock went back by more than a minute", () => {
    const why = (ageMs: number, newestMs = startMs) => whyTooLate(startMs, newestMs, startMs + ageMs);
    expect([why(0), why(limitMs - 1), why(-minuteMs)]).toEqual([undefined, undefined, undefined]);
    const [tooOld, wentBack] = [why(limitMs), why(-minuteMs - 1)];
    expect([tooOld, wentBack]).toEqual([expect.stringContaining("24 hours"), expect.stringContaining("clock")]);
    expect(why(limitMs + 1)).toBe(tooOld);
  });
});
