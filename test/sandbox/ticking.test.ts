import { expect, onTestFinished, test, vi } from "vitest";
import { startTicking } from "../../src/sandbox/ticking.ts";

test("what is due is looked for again and again, one look at a time, also after one that failed", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let [looks, underWay, together] = [0, 0, 0];
  const look = async (): Promise<void> => {
    looks += 1;
    underWay += 1;
    together = Math.max(together, underWay);
    await new Promise((done) => setTimeout(done, 120));
    underWay -= 1;
    throw new Error("busy");
  };
  const stop = startTicking({ look });
  await vi.advanceTimersByTimeAsync(1_000);
  expect([looks > 3, together]).toEqual([true, 1]);
  const stopped = stop();
  await vi.advanceTimersByTimeAsync(200);
  await stopped;
  const before = looks;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looks).toBe(before);
});
