import { expect, test } from "vitest";
import { createRandom } from "../support/payment-context.ts";
import { createTime } from "./processes.ts";

const work = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((done) => setImmediate(done));
};

test("no time passes for a task that works, however long its work really takes, while another sleeps", async () => {
  const time = createTime(0, createRandom(1));
  const ends: number[] = [];
  const working = async (): Promise<void> => {
    await work(50);
    ends.push(time.state.trueMs);
  };
  await Promise.all([time.task(() => time.sleep(3_600_000)), time.task(working), time.task(working)]);
  expect(ends).toEqual([0, 0]);
  expect(time.state.trueMs).toBe(3_600_000);
});

test("the order in which tasks go on is the seed's, not that of their real work", async () => {
  const orderWith = async (turns: number): Promise<string> => {
    const time = createTime(0, createRandom(7));
    let order = "";
    const task = (name: string, slow: number) =>
      time.task(async () => {
        for (let step = 0; step < 5; step += 1) {
          await work(slow);
          order += name;
          await time.sleep(0);
        }
      });
    await Promise.all([task("a", turns), task("b", 0), task("c", 1)]);
    return order;
  };
  expect(await orderWith(40)).toBe(await orderWith(0));
});
