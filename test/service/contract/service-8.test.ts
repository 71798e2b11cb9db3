import { describe, expect, test } from "vitest";
import { type Body, bench, global, local } from "../../sandbox/harness.ts";
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
  test("service 8c: the wallet shows 20 entries of more, the newest first", async () => {
    const { push, wait, ask, control } = await bench();
    for (let n = 0; n < 22; n += 1) await push();
    await wait(5_000);
    const shown: readonly Body[] = (await ask("GET", `${local}/wallet`)).body.transactions;
    const { entries } = (await control("GET", "ledger?wallet=balance")).body;
    expect(shown.map((entry) => entry._id)).toEqual(entries.slice(0, 20).map((entry: Body) => entry._id));
  });
  test("service 8d: without flow the list has what flow=standard has", async () => {
    const { push, payout, ask } = await bench();
    await push();
    await payout();
    expect((await ask("GET", `${local}/transactions`)).text).toBe((await ask("GET", `${local}/transactions?flow=standard`)).text);
    expect((await ask("GET", `${local}/transactions?flow=all`)).body.total).toBe(2);
  });
});
