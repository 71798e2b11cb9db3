import { describe, expect, it } from "vitest";
import { CliError } from "../../src/errors.ts";
import { outcomeUnknown, type Plan, runTries, type Tried } from "../../src/service/tries.ts";

const hourMs = 3_600_000;
const unavailable = new CliError("unavailable", "The connection was reset.");
const lost: Tried<string> = { verdict: { outcome: "unanswered", next: "retry", error: unavailable }, tried: { atMs: 0, error: "reset" } };
/** No byte left: the try proves that nothing was done. */
const notSent: Tried<string> = { verdict: { outcome: "refused", next: "retry", error: unavailable }, tried: { atMs: 0, error: "refused" } };
const paid: Tried<string> = { verdict: { outcome: "answered", value: "paid" }, tried: { atMs: 0, httpStatus: 200 } };

type World = Partial<Plan<string>> & {
  /** How long each try takes, ms. */
  readonly tryMs?: number;
  /** By how much the wall clock jumps while a try is under way, or in a pause, ms. */
  readonly jumps?: { readonly inTry?: readonly number[]; readonly inPause?: readonly number[] };
};
/** The tries of one creation: how it ended, and the time that each try was given. */
const create = async (answers: readonly Tried<string>[], { tryMs = 0, jumps = {}, ...more }: World = {}) => {
  let nowMs = 0;
  let jumped = 0;
  const timeouts: number[] = [];
  let pauses = 0;
  const end = await runTries<string>({
    creates: true,
    timeoutMs: 1_000,
    retries: 3,
    clock: {
      now: () => nowMs + jumped,
      monotonic: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
        jumped += jumps.inPause?.[pauses++] ?? 0;
      },
    },
    random: { uuid: () => "", bytes: (count) => new Uint8Array(count), fraction: () => 0 },
    send: async (timeoutMs) => {
      jumped += jumps.inTry?.[timeouts.length] ?? 0;
      timeouts.push(timeoutMs);
      nowMs += tryMs;
      return answers[timeouts.length - 1] ?? lost;
    },
    ...more,
  }).catch((error: unknown) => error);
  return { end, timeouts };
};

describe("what is asked before each try", () => {
  const refuse = (from: number, error: unknown) => {
    let asked = 0;
    return async () => {
      asked += 1;
      if (asked >= from) throw error;
    };
  };
  const held = new CliError("duplicate", "held back");

  it("and refuses the first: nothing is sent, and its own error is the end", async () => {
    expect(await create([paid], { beforeTry: refuse(1, held) })).toEqual({ end: held, timeouts: [] });
  });

  it("says nothing of a try before it that went unanswered", async () => {
    const { end, timeouts } = await create([lost, paid], { beforeTry: refuse(2, held) });
    expect(end).toMatchObject({ kind: "outcome-unknown", cause: held });
    expect(timeouts).toHaveLength(1);
  });

  it("is the end where the tries before it proved that nothing was done", async () => {
    expect((await create([notSent, paid], { beforeTry: refuse(2, held) })).end).toBe(held);
  });

  it("stays a fault of this program if it is one", async () => {
    const fault = new TypeError("broken");
    expect((await create([lost], { beforeTry: refuse(2, fault) })).end).toBe(fault);
  });
});

describe("a wall clock that went back between two tries, though not to before the first", () => {
  it.each([
    ["after it went on in the try", { inTry: [3 * hourMs], inPause: [-2 * hourMs] }],
    ["after it went on in the first pause", { inPause: [3 * hourMs, -2 * hourMs] }],
  ])("%s: the key is not sent again", async (_, jumps) => {
    const { end, timeouts } = await create([lost, lost, paid], { jumps });
    expect(end).toMatchObject({ kind: "outcome-unknown", message: expect.stringContaining("clock") });
    expect(timeouts.length).toBeLessThan(3);
  });
});

describe("the time for all tries", () => {
  it("is not used up by our own pauses", async () => {
    expect((await create([], { tryMs: 1_000 })).timeouts).toEqual([1_000, 1_000, 1_000, 1_000]);
  });

  it("is used up by pauses that the service asks for", async () => {
    const asked = { ...lost, retryAfterMs: 800 };
    expect((await create([asked, asked, asked], { tryMs: 1_000 })).timeouts).toEqual([1_000, 1_000, 400]);
  });

  it("gives each pause a line of --debug", async () => {
    const lines: string[] = [];
    await create([notSent, notSent, paid], { debug: (line) => void lines.push(line) });
    expect(lines).toEqual([expect.stringMatching(/\b250 ms/), expect.stringMatching(/\b500 ms/)]);
  });
});

describe("a pause that is ended", () => {
  it.each([
    ["after a try without an answer: nobody knows the outcome", lost, { kind: "outcome-unknown", cause: expect.any(CliError) }],
    ["after tries that proved that nothing was done: nothing was sent", notSent, { kind: "interrupted", sent: "no" }],
  ])("by Ctrl-C %s", async (_, first, expected) => {
    const stop = new AbortController();
    const clock = {
      now: () => 0,
      monotonic: () => 0,
      sleep: () => {
        stop.abort();
        return Promise.reject(stop.signal.reason);
      },
    };
    expect((await create([first], { stop: stop.signal, clock })).end).toMatchObject(expected);
  });

  it("by a fault of the clock is that fault", async () => {
    const fault = new TypeError("no clock");
    expect((await create([lost], { clock: { now: () => 0, monotonic: () => 0, sleep: () => Promise.reject(fault) } })).end).toBe(fault);
  });
});

it("what is unknown already is not wrapped again", () => {
  const unknown = outcomeUnknown(unavailable);
  expect(unknown).toMatchObject({ kind: "outcome-unknown", cause: unavailable });
  expect(outcomeUnknown(unknown)).toBe(unknown);
});
