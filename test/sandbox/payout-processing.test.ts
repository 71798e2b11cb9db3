import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { streamEvents } from "../../src/sandbox/serve.ts";
import { type Bench, type Body, bench, local } from "./harness.ts";

const search = async (made: Bench, status: string): Promise<readonly Body[]> =>
  (await made.control("GET", `transactions?flow=b2c&status=${status}`)).body.transactions;
const everySight = async (made: Bench, id: string): Promise<readonly string[]> => [
  (await made.transaction(id)).status,
  (await made.control("GET", `transactions/${id}`)).body.status,
  (await made.control("GET", "transactions?flow=b2c")).body.transactions[0].status,
  ...(await made.ask("GET", `${local}/transactions?flow=b2c`)).body.transactions.map((one: Body) => one.status),
];
const timeline = async (made: Bench, id: string): Promise<readonly (readonly [string, number])[]> => {
  const { createdAt, timeline: steps } = (await made.control("GET", `transactions/${id}`)).body;
  return steps.map((step: Body) => [step.status, Date.parse(step.at) - Date.parse(createdAt)]);
};

describe("a payout is PROCESSING half a second after it was made, whoever looks next", () => {
  test("by id, in lists and in searches alike, to the millisecond", async () => {
    const made = await bench();
    const { transactionId } = (await made.payout()).body;
    made.clock.nowMs += 499;
    expect(await everySight(made, transactionId)).toEqual(Array(4).fill("QUEUED"));
    expect([(await search(made, "QUEUED")).length, (await search(made, "PROCESSING")).length]).toEqual([1, 0]);
    made.clock.nowMs += 1;
    expect(await everySight(made, transactionId)).toEqual(Array(4).fill("PROCESSING"));
    expect([(await search(made, "QUEUED")).length, (await search(made, "PROCESSING")).map((one) => one.status)]).toEqual([0, ["PROCESSING"]]);
    await made.control("POST", "clock", { advanceMs: 1_000 });
    expect(await timeline(made, transactionId)).toEqual([
      ["QUEUED", 0],
      ["PROCESSING", 500],
    ]);
  });
  test.each([
    ["001", "COMPLETED", 2_000],
    ["041", "FAILED", 2_000],
    ["038", "REVERSED", 5_000],
  ])("its history has that step even if nobody looked meanwhile (…%s, %s)", async (digits, status, endMs) => {
    const made = await bench();
    const { transactionId } = (await made.payout({ phone: `254712345${digits}` })).body;
    await made.wait(60_000);
    const steps = await timeline(made, transactionId);
    expect(steps.slice(0, 2)).toEqual([
      ["QUEUED", 0],
      ["PROCESSING", 500],
    ]);
    expect([steps.at(-1), steps.length]).toEqual([[status, endMs], status === "REVERSED" ? 4 : 3]);
  });
  test("one that is paid before that has none (024)", async () => {
    const made = await bench();
    const { transactionId } = (await made.payout({ phone: "254712345024" })).body;
    await made.wait(60_000);
    expect(await timeline(made, transactionId)).toEqual([
      ["QUEUED", 0],
      ["COMPLETED", 0],
    ]);
  });
  test("036 is PROCESSING for ever", async () => {
    const made = await bench();
    const { transactionId } = (await made.payout({ phone: "254712345036" })).body;
    await made.wait(500);
    await made.wait(90 * 86_400_000);
    expect(await everySight(made, transactionId)).toEqual(Array(4).fill("PROCESSING"));
    expect((await timeline(made, transactionId)).length).toBe(2);
  });
});

describe("a dashboard that is open is told of it", () => {
  afterEach(() => void vi.useRealTimers());
  /** What the stream sends while it is open. */
  const openStream = async ({ sandbox }: Bench) => {
    const written: string[] = [];
    const response = Object.assign(new EventEmitter(), { writeHead: () => response, write: (text: string) => written.push(text), end: () => response });
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    await streamEvents(sandbox, { method: "GET", path: "/_sandbox/events", headers, body: "" }, response as unknown as ServerResponse);
    const changesAfter = (ms: number): number => {
      written.length = 0;
      vi.advanceTimersByTime(ms);
      return written.filter((text) => text.startsWith("event: change")).length;
    };
    return { changesAfter, close: () => response.emit("close") };
  };
  test("when it has become PROCESSING; no timer is left when it is closed", async () => {
    const made = await bench();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await made.payout();
    const { changesAfter, close } = await openStream(made);
    await made.wait(500);
    expect([changesAfter(50), changesAfter(10_000)]).toEqual([1, 0]);
    await made.payout();
    expect(changesAfter(50)).toBe(1);
    await made.wait(500);
    close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
