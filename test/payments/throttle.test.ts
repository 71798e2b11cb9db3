import { expect, test } from "vitest";
import { createPlaces, type Places } from "../../src/payments/batch/throttle.ts";

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

test("no more than the given number are under way, and each that leaves lets the next one in", async () => {
  const places = createPlaces(3);
  expect(await enter(places, 5)).toBe(3);
  leave(places, 1);
  expect(places.taken()).toBe(3);
  leave(places, 3);
  expect(places.taken()).toBe(1);
});

test("a 429 halves them, down to one, and good answers bring them back to the given number and not above", async () => {
  const places = createPlaces(8);
  places.answered(429);
  expect(await enter(places, 20)).toBe(4);
  leave(places, 20 - 4 + 4);
  for (let each = 0; each < 10; each++) places.answered(429);
  expect(await enter(places, 20)).toBe(1);
  for (let each = 0; each < 500; each++) places.answered(200);
  leave(places, 1);
  expect(places.taken()).toBe(8);
});
