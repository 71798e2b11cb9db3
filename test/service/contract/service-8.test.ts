import { describe, expect, test } from "vitest";
import { bench, global } from "../../sandbox/harness.ts";
import { collection, momo } from "./bodies.ts";

describe("service 8: limits", () => {
  test.each([
    [9, 400],
    [10, 200],
    [150_000, 200],
    [150_000.01, 400],
    [150_001, 400],
    [100.5, 200],
    [100.005, 400],
    [10.000000001, 400],
  ])("service 8a: a payout of %j KES is answered %d", async (amount, status) => {
    const { payout } = await bench();
    expect((await payout({ amount })).status).toBe(status);
  });
  test.each([
    [499, 400],
    [500, 200],
    [5_000_000, 200],
    [5_000_001, 400],
    [500.5, 400],
    [500.0000001, 400],
  ])("service 8b: minAmount and maxAmount of a rail hold: %j UGX is answered %d", async (amount, status) => {
    const { ask } = await bench();
    expect((await ask("POST", `${global}/collections`, { ...collection, amount })).status).toBe(status);
    expect((await ask("POST", `${global}/disbursements`, { ...momo, amount })).status).toBe(status);
  });
});
