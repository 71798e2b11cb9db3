import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sleep, startTimer } from "../src/timer.ts";

const longestMs = 2 ** 31 - 1;
const monthMs = 30 * 86_400_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a timer", () => {
  it.each([0, 1, 1_000, longestMs, longestMs + 1, monthMs, 3 * longestMs + 5])("of %d ms fires after exactly that time, once", (ms) => {
    let fired = 0;
    startTimer(ms, () => {
      fired += 1;
    });
    if (ms > 0) vi.advanceTimersByTime(ms - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
    vi.advanceTimersByTime(2 * longestMs);
    expect(fired).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("without end never fires", () => {
    startTimer(Number.POSITIVE_INFINITY, () => expect.unreachable("it fired"));
    vi.advanceTimersByTime(10 * longestMs);
    expect(vi.getTimerCount()).toBe(1);
  });

  it("of a time in the past fires at once", () => {
    let fired = 0;
    startTimer(-5, () => {
      fired += 1;
    });
    vi.advanceTimersByTime(0);
    expect(fired).toBe(1);
  });

  it("of no number is refused: Node would make 1 ms of it", () => {
    expect(() => startTimer(Number.NaN, () => undefined)).toThrow(RangeError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([0, longestMs + 1])("can be stopped after %d ms", (passedMs) => {
    const stop = startTimer(monthMs, () => expect.unreachable("it fired"));
    vi.advanceTimersByTime(passedMs);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a sleep", () => {
  it("lasts its whole time", async () => {
    let woke = false;
    const slept = sleep(monthMs).then(() => {
      woke = true;
    });
    await vi.advanceTimersByTimeAsync(monthMs - 1);
    expect(woke).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await slept;
    expect(woke).toBe(true);
  });

  it.each([0, longestMs + 1])("ends with the signal's reason, after %d ms, and leaves no timer", async (passedMs) => {
    const controller = new AbortController();
    const slept = sleep(monthMs, controller.signal).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(passedMs);
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await slept).toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not begin under an aborted signal", async () => {
    await expect(sleep(1, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
    expect(vi.getTimerCount()).toBe(0);
  });
});
