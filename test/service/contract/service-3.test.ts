import { describe, expect, test } from "vitest";
import { type Body, bench, global } from "../../sandbox/harness.ts";
import { bank, collection, momo, redirect } from "./bodies.ts";

describe("service 3: states and transitions", () => {
  test("service 3a, 3b, 3c, 3d, 3e: creation answers SENT, QUEUED, PENDING, PROCESSING; a paid one is COMPLETED", async () => {
    const { ask, push, payout, wait, transaction } = await bench();
    const sent = await push();
    expect(sent.body.status).toBe("SENT");
    expect((await payout()).body.status).toBe("QUEUED");
    expect((await ask("POST", `${global}/collections`, collection)).body.collection.status).toBe("PENDING");
    expect((await ask("POST", `${global}/disbursements`, momo)).body.disbursement.status).toBe("PROCESSING");
    await wait(5_000);
    expect((await transaction(sent.body.transactionId)).status).toBe("COMPLETED");
  });
  test("service 1.3a: a payout reaches a registered number; assumed: it goes QUEUED, PROCESSING, COMPLETED", async () => {
    const { payout, wait, transaction } = await bench();
    const { transactionId } = (await payout()).body;
    expect((await transaction(transactionId)).status).toBe("QUEUED");
    await wait(1_000);
    expect((await transaction(transactionId)).status).toBe("PROCESSING");
    await wait(1_000);
    expect((await transaction(transactionId)).status).toBe("COMPLETED");
  });
  test("service 3g: a push collection is credited when the provider's callback is reconciled, less its fee", async () => {
    const { ask, control } = await bench();
    const before = (await ask("GET", `${global}/wallet`)).body.wallet;
    const { reference } = (await ask("POST", `${global}/collections`, { ...collection, rail: "KE_MPESA", currency: "KES", amount: 1000, msisdn: "0712345678" }))
      .body.collection;
    expect((await ask("GET", `${global}/wallet`)).body.wallet).toMatchObject({ availableBalance: before.availableBalance, pendingBalance: 985 });
    await control("POST", `collections/${reference}`, { action: "confirm" });
    expect((await ask("GET", `${global}/wallet`)).body.wallet).toMatchObject({
      availableBalance: before.availableBalance + 985,
      pendingBalance: 0,
      totalCollected: 1000,
    });
  });
  test("service 3h: a redirect collection is credited once confirmed, never twice", async () => {
    const { ask, control, wait } = await bench();
    const { reference } = (await ask("POST", `${global}/collections`, redirect)).body.collection;
    await wait(60_000);
    expect((await ask("GET", `${global}/wallet`)).body.wallet.totalCollected).toBe(0);
    expect((await control("POST", `collections/${reference}`, { action: "confirm" })).status).toBe(200);
    expect((await control("POST", `collections/${reference}`, { action: "confirm" })).status).toBe(409);
  });
  test("service 3i: while a payout is pending its amount is held; a failed one releases the hold and costs nothing", async () => {
    const { payout, wait, wallet } = await bench();
    const before = await wallet();
    await payout({ phone: "254712345041" });
    expect(await wallet()).toMatchObject({ b2cHeldBalance: 1005, b2cBalance: before.b2cBalance });
    await wait(5_000);
    expect(await wallet()).toEqual(before);
  });
  test("service 3, assumed: a withdrawal is held, then taken; a failed one comes back", async () => {
    const { ask, control } = await bench();
    const read = async (): Promise<Body> => (await ask("GET", `${global}/wallet`)).body.wallet;
    const before = await read();
    const first = (await ask("POST", `${global}/disbursements`, bank)).body.disbursement.reference;
    expect(await read()).toMatchObject({ heldBalance: 550, availableBalance: before.availableBalance - 550 });
    await control("POST", `disbursements/${first}`, { action: "fail" });
    expect(await read()).toEqual(before);
    const second = (await ask("POST", `${global}/disbursements`, bank)).body.disbursement.reference;
    await control("POST", `disbursements/${second}`, { action: "complete" });
    expect(await read()).toMatchObject({ heldBalance: 0, availableBalance: before.availableBalance - 550, totalDisbursed: 500 });
  });
  test.each([
    ["000", "COMPLETED", 3],
    ["011", "FAILED", 0],
    ["012", "CANCELLED", 0],
    ["015", "EXPIRED", 0],
  ])("service 1.7a, 1.7b, 1.7c, 3f: a push to …%s ends %s and costs %d, once it has completed", async (digits, status, fee) => {
    const { push, wait, wallet, transaction } = await bench();
    const before = (await wallet()).balance;
    const { transactionId } = (await push({ phone: `254712345${digits}` })).body;
    expect((await wallet()).balance).toBe(before);
    await wait(130_000);
    expect((await transaction(transactionId)).status).toBe(status);
    expect(before - (await wallet()).balance).toBe(fee);
  });
});
