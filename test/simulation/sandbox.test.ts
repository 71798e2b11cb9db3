import { expect, test } from "vitest";
import { checkSeeds } from "./check-seeds.ts";
import { serveSandbox } from "./sandbox-service.ts";
import { createWorld } from "./world.ts";

const storyOf = async (seed: number): Promise<unknown> => {
  const world = await createWorld(seed, serveSandbox);
  try {
    await world.run();
    return [world.service.payments, await world.journal.list({})];
  } finally {
    await world.dispose();
  }
};

test("a seed tells the same story the first time, when modules are still to be loaded, and the second", async () => {
  for (const seed of [94, 203]) expect(await storyOf(seed)).toEqual(await storyOf(seed));
});

test("250 seeds on the real sandbox: paid at most once, all of it known, its books right", { timeout: 600_000 }, () => checkSeeds(250, serveSandbox));
