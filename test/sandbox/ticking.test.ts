import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SandboxEvent } from "../../src/sandbox/sandbox.ts";
import { startTicking } from "../../src/sandbox/ticking.ts";

describe("what is due happens by its due time (sandbox.md, Running)", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const start = () => {
    const ticks: number[] = [];
    let listener: ((event: SandboxEvent) => void) | undefined;
    const sandbox = {
      look: async () => void ticks.push(Date.now()),
      nextDueMs: async () => undefined,
      subscribe: (given: (event: SandboxEvent) => void) => {
        listener = given;
        return () => {
          listener = undefined;
        };
      },
    };
    const stop = startTicking(sandbox, { now: () => Date.now() });
    return { ticks, stop, change: () => listener?.({ kind: "change" }) };
  };

  test("a change is followed at once, and many at once are one look", async () => {
    const { ticks, stop, change } = start();
    await vi.advanceTimersByTimeAsync(2);
    expect(ticks).toHaveLength(1);
    for (let n = 0; n < 10; n += 1) {
      change();
      await vi.advanceTimersByTimeAsync(2);
    }
    expect(ticks).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(900);
    expect(ticks.length).toBeLessThanOrEqual(3);
    await stop();
    change();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ticks.length).toBeLessThanOrEqual(3);
  });
});
