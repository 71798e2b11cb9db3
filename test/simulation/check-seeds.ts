import { expect } from "vitest";
import { createWorld, faultsOf, type Serve, type Store } from "./world.ts";

/** Runs the worlds of these seeds, or of PAYMENTS_SEED alone, and fails with the seed that shows the fault. */
export const checkSeeds = async (count: number, serve?: Serve, store?: Store): Promise<void> => {
  const replay = process.env["PAYMENTS_SEED"];
  const seeds = replay === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(replay)];
  for (const seed of seeds) {
    const world = await createWorld(seed, serve, store);
    try {
      await world.run();
      expect(await faultsOf(world), `PAYMENTS_SEED=${seed} replays it`).toEqual([]);
    } finally {
      await world.dispose();
    }
  }
};
