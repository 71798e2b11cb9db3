import { expect, test } from "vitest";
import { createWorld, faultsOf } from "./world.ts";

const replay = process.env["PAYMENTS_SEED"];
const count = Number(process.env["PAYMENTS_SEEDS"] ?? "200");
const seeds = replay === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(replay)];

test(`${seeds.length} seeds: paid at most once, nothing the journal does not know of, never refused where it was paid`, { timeout: 3_600_000 }, async () => {
  for (const seed of seeds) {
    const world = await createWorld(seed);
    try {
      await world.run();
      expect(await faultsOf(world), `PAYMENTS_SEED=${seed} replays it`).toEqual([]);
    } finally {
      world.dispose();
    }
  }
});
