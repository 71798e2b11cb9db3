import { expect, test } from "vitest";
import { interruptGraceMs, withGrace } from "../../src/payments/send-attempt.ts";

const never = { sleep: (_: number, signal?: AbortSignal) => new Promise<void>((_done, fail) => signal?.addEventListener("abort", () => fail(signal.reason))) };

test("the second Ctrl-C ends what is in flight without the rest of the grace", () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const grace = withGrace(first.signal, never, second.signal);
  first.abort();
  expect(grace.signal.aborted).toBe(false);
  second.abort();
  expect(grace.signal.aborted).toBe(true);
  grace.release();
});

test("what is sent after the second Ctrl-C is not waited for, and a payment that is over listens no more", () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const over = withGrace(first.signal, never, second.signal);
  over.release();
  second.abort();
  expect(over.signal.aborted).toBe(false);
  expect(withGrace(first.signal, never, second.signal).signal.aborted).toBe(true);
});

test.each([
  ["before it was sent", true],
  ["while it is in flight", false],
])("after Ctrl-C %s an answer is waited for for three seconds, and no longer", async (_, isEarly) => {
  const first = new AbortController();
  const pauses: { readonly ms: number; readonly end: () => void }[] = [];
  const clock = { sleep: (ms: number) => new Promise<void>((end) => pauses.push({ ms, end })) };
  if (isEarly) first.abort("stop");
  const grace = withGrace(first.signal, clock);
  expect(grace.signal.aborted).toBe(false);
  first.abort("stop");
  expect([pauses.map(({ ms }) => ms), grace.signal.aborted]).toEqual([[interruptGraceMs], false]);
  pauses[0]?.end();
  await new Promise(setImmediate);
  expect([grace.signal.aborted, grace.signal.reason]).toEqual([true, "stop"]);
  expect(interruptGraceMs).toBe(3_000);
});
