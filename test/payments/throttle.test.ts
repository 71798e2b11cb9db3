import { expect, test } from "vitest";
import { createPlaces } from "../../src/payments/batch/run-batch.ts";

type Places = ReturnType<typeof createPlaces>;

const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
/** How many of so many that want to enter do so. */
const enter = async (places: Places, count: number): Promise<number> => {
  for (let each = 0; each < count; each++) void places.enter();
  await settle();
  return places.taken();
};
const leave = (places: Places, count: number): void => {
  for (let each = 0; each < count; each++) places.leave();
};

const answer = (places: Places, status: number, times: number): void => {
  for (let each = 0; each < times; each++) places.answered(status);
};

test("the first is under way alone, then one more for each answer, and never more than the given number", async () => {
  const places = createPlaces(3);
  expect(await enter(places, 9)).toBe(1);
  for (const expected of [2, 3, 3]) {
    places.answered(200);
    leave(places, 1);
    expect(places.taken()).toBe(expected);
  }
  leave(places, 6);
  expect(places.taken()).toBe(0);
});

test("a service that is down lets no more in", async () => {
  const places = createPlaces(8);
  answer(places, 503, 20);
  expect(await enter(places, 9)).toBe(1);
});

test("a 429 halves them, down to one, and good answers bring them back slowly to the given number", async () => {
  const places = createPlaces(8);
  answer(places, 200, 20);
  places.answered(429);
  expect(await enter(places, 20)).toBe(4);
  leave(places, 20);
  answer(places, 429, 10);
  answer(places, 200, 10);
  expect(await enter(places, 20)).toBe(4);
  answer(places, 200, 500);
  leave(places, 4);
  expect(places.taken()).toBe(8);
});
