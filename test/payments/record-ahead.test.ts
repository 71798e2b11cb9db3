import { expect, test } from "vitest";
import { createRecordAhead } from "../../src/payments/batch/record-ahead.ts";
import { createThrottle } from "../../src/payments/batch/throttle.ts";
import { newAttempt } from "../support/new-attempt.ts";
import { createBench } from "./flow-bench.ts";

/** Rows that are recorded, then wait for one of two places, which `sendOne` frees again. */
const open = async () => {
  const { journal } = await createBench();
  const state = { stopped: false };
  const throttle = createThrottle(2, { monotonic: () => 0 });
  const ahead = createRecordAhead(journal, throttle, 2, () => state.stopped);
  const recorded = async (): Promise<readonly string[]> => (await journal.list({})).map(({ id }) => id);
  const row = async (id: string): Promise<void> => {
    await ahead.journal.open(newAttempt(id));
    await throttle.enter();
    ahead.onSent();
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await new Promise<void>((done) => setImmediate(done));
  };
  return { state, throttle, ahead, recorded, row, settle };
};

test("rows are recorded while few wait to be sent, then held until those run out", async () => {
  const { throttle, recorded, row, settle } = await open();
  const first = ["a", "b", "c", "d"].map(row);
  await settle();
  expect(await recorded()).toHaveLength(4);
  const second = ["e", "f", "g"].map(row);
  await settle();
  expect(await recorded(), "two places are taken and two rows wait: enough").toHaveLength(4);
  throttle.leave();
  await settle();
  expect(await recorded(), "one more was sent: the next are recorded together").toHaveLength(7);
  for (let at = 0; at < 6; at++) throttle.leave();
  await Promise.all([...first, ...second]);
});

test("what was not recorded when the run stopped never is", async () => {
  const { state, throttle, recorded, row, settle } = await open();
  const first = ["a", "b", "c", "d"].map(row);
  await settle();
  const late = row("e");
  await settle();
  state.stopped = true;
  throttle.leave();
  await expect(late).rejects.toMatchObject({ kind: "interrupted" });
  for (let at = 0; at < 4; at++) throttle.leave();
  await Promise.all(first);
  expect((await recorded()).toSorted()).toEqual(["a", "b", "c", "d"]);
});
