import { describe, expect, test } from "vitest";
import { schemas } from "../../../src/service/contract/schemas.ts";
import { type Body, bench, global, local } from "../../sandbox/harness.ts";
import { collection, momo } from "./bodies.ts";

describe("service 2: resources and their fields", () => {
  test("service 2.1a, 2.1b, 2.1c: a transaction has its fields, and a receipt when it completed; the list shows four of them", async () => {
    const { push, wait, transaction, ask } = await bench();
    const { transactionId } = (await push()).body;
    await wait(5_000);
    const found = await transaction(transactionId);
    expect(Object.keys(found)).toEqual(["id", "reference", "amount", "status", "provider", "providerRef", "metadata"]);
    expect(found.metadata.mobileMoneyReceipt).toMatch(/^[A-Z0-9]{10}$/);
    expect(Object.keys((await ask("GET", `${local}/transactions`)).body.transactions[0])).toEqual(["id", "reference", "amount", "status"]);
  });
  test("service 2.2a, 2.2c, 2.2f, 2.2h: the wallet: balances, holds, stats and the 20 newest entries, debits negative", async () => {
    const { push, payout, wait, ask } = await bench();
    for (let n = 0; n < 25; n += 1) await push({ reference: `N-${n}` });
    await wait(5_000);
    await payout();
    const body = (await ask("GET", `${local}/wallet`)).body;
    expect(schemas.wallet.reply.parse(body)).toEqual(body);
    expect(Object.keys(body)).toEqual(["success", "wallet", "b2cStats", "transactions"]);
    expect(body.wallet).toMatchObject({ currency: "KES", b2cHeldBalance: 1005, b2cOutstandingBalance: 1000 });
    expect(body.wallet.b2cAvailableBalance).toBe(body.wallet.b2cBalance - body.wallet.b2cHeldBalance);
    expect(body.wallet.b2cHolds).toMatchObject([{ amount: 1005, holdType: "PAYOUT", reference: "PAY-1" }]);
    expect(body.transactions).toHaveLength(20);
    expect(body.transactions[0]).toMatchObject({ type: "B2C_HOLD", amount: -1005 });
    expect(body.transactions[1]).toMatchObject({ type: "FEE", amount: -3, status: "COMPLETED" });
    const types = new Set(["TOPUP", "FEE", "B2C_TOPUP", "B2C_PAYOUT", "B2C_FEE", "B2C_HOLD"]);
    for (const entry of body.transactions) expect(types.has(entry.type)).toBe(true);
  });
  test("service 2.3a, 4.5a: stats count completed payouts", async () => {
    const { payout, wait, ask } = await bench();
    await payout();
    await payout({ phone: "254712345041" });
    expect((await ask("GET", `${local}/stats/b2c`)).body).toEqual({ success: true, stats: { totalVolume: 0, count: 0 } });
    await wait(5_000);
    expect((await ask("GET", `${local}/stats/b2c`)).body).toEqual({ success: true, stats: { totalVolume: 1000, count: 1 } });
  });
  test("service 2.5a, 2.5b: references begin GC- and GD-", async () => {
    const { ask } = await bench();
    const collected = (await ask("POST", `${global}/collections`, collection)).body.collection;
    expect(collected).toEqual({ reference: expect.stringMatching(/^GC-/), status: "PENDING", amount: 5000, fee: 100 });
    const paid = (await ask("POST", `${global}/disbursements`, momo)).body.disbursement;
    expect(paid).toEqual({ reference: expect.stringMatching(/^GD-/), status: "PROCESSING", amount: 5000, fee: 100 });
  });
  test("service 2.6b: collections, fees, holds and withdrawals are ledgered in the Global Wallet", async () => {
    const { ask, wait, control } = await bench();
    await ask("POST", `${global}/collections`, collection);
    await ask("POST", `${global}/disbursements`, momo);
    await wait(10_000);
    const entries: readonly Body[] = (await control("GET", "ledger?wallet=global")).body.entries;
    expect(new Set(entries.map((entry) => entry.type))).toEqual(new Set(["TOPUP", "COLLECTION", "FEE", "HOLD", "HOLD_RELEASE", "WITHDRAWAL"]));
    const sum = entries.reduce((total, entry) => total + Math.round(entry.amount * 100), 0);
    expect((await ask("GET", `${global}/wallet`)).body.wallet.availableBalance).toBe(sum / 100);
    expect(entries.find((entry) => entry.type === "COLLECTION").settlement).toMatchObject({ currency: "UGX", amount: 5000 });
  });
  test("service 2.7b: the base maps to 1, and display rates post nothing", async () => {
    const { ask, control } = await bench();
    const { rates } = (await ask("GET", `${global}/fx/rates?base=KES`)).body;
    expect(rates).toMatchObject({ base: "KES", rates: { KES: 1 } });
    expect(rates.supportedCurrencies).toEqual(Object.keys(rates.rates));
    await ask("POST", `${global}/collections`, collection).then(({ body }) =>
      control("POST", `collections/${body.collection.reference}`, { action: "confirm" }),
    );
    const [, posted] = (await control("GET", "ledger?wallet=global")).body.entries;
    expect(posted.settlement.rate).not.toBeCloseTo(1 / rates.rates.UGX, 6);
  });
  test("service 2.2b, 2.2d, 2.2e, 2.2g: the fields of wallet, hold, stats and entry", async () => {
    const { payout, ask } = await bench();
    await payout();
    const { wallet, b2cStats, transactions } = (await ask("GET", `${local}/wallet`)).body;
    const { b2cHolds, currency, ...numbers } = wallet;
    const names = ["b2cAvailableBalance", "b2cBalance", "b2cHeldBalance", "b2cOutstandingBalance", "balance"];
    expect(Object.keys(numbers).sort()).toEqual(names);
    for (const value of Object.values(numbers)) expect(value).toEqual(expect.any(Number));
    expect(currency).toBe("KES");
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const hold = { id: expect.any(String), amount: 1005, reason: expect.any(String), holdType: "PAYOUT", reference: "PAY-1", createdAt: iso };
    expect(b2cHolds).toEqual([hold]);
    expect(b2cStats).toEqual({ totalVolume: 0, count: 0 });
    const entry = {
      _id: expect.any(String),
      type: "B2C_HOLD",
      amount: -1005,
      status: "COMPLETED",
      reference: "PAY-1",
      description: expect.any(String),
      createdAt: iso,
    };
    expect(transactions[0]).toEqual(entry);
  });
  test("service 2.2f, 8c: the entries are the 20 newest whatever they are, also after many failed payouts", async () => {
    const { payout, wait, ask, control } = await bench();
    for (let n = 0; n < 45; n += 1) await payout({ phone: "254712345041" });
    await wait(5_000);
    const shown: readonly Body[] = (await ask("GET", `${local}/wallet`)).body.transactions;
    const held: readonly Body[] = (await control("GET", "ledger?wallet=b2cHeld")).body.entries;
    expect(shown.map((entry) => entry._id)).toEqual(held.slice(0, 20).map((entry) => entry._id));
    expect(new Set(shown.map((entry) => `${entry.type} ${entry.amount}`))).toEqual(new Set(["B2C_HOLD 1005"]));
  });
  test("service 2.2g, 2.2h: each type of entry stands there, what leaves negative, what comes positive", async () => {
    const { push, payout, wait, ask, control } = await bench();
    await control("POST", "topup", { wallet: "balance", amount: 7 });
    await push();
    await payout();
    await wait(5_000);
    const shown: readonly Body[] = (await ask("GET", `${local}/wallet`)).body.transactions;
    const amounts = (type: string): readonly number[] => shown.filter((entry) => entry.type === type).map((entry) => entry.amount);
    expect(amounts("TOPUP")).toContain(7);
    expect(amounts("B2C_TOPUP").every((amount) => amount > 0)).toBe(true);
    expect([...amounts("FEE")].sort()).toEqual([-2, -3]);
    expect([amounts("B2C_PAYOUT"), amounts("B2C_FEE"), amounts("B2C_HOLD")]).toEqual([[-1000], [-5], [1005, -1005]]);
  });
  test("service 2.4a, 2.4b, 2.4c: a rail has its fields, its flow, and what it can do", async () => {
    const { ask } = await bench();
    const { body } = await ask("GET", `${global}/providers`);
    expect(schemas.providers.reply.parse(body)).toEqual(body);
    const providers: readonly Body[] = body.providers;
    expect(new Set(providers.map((one) => one.collectionFlow))).toEqual(new Set(["PUSH", "REDIRECT"]));
    const lists = { categories: expect.any(Array), disbursementChannels: expect.any(Array) };
    for (const one of providers) expect(one.capabilities).toEqual({ collect: expect.any(Boolean), disburse: expect.any(Boolean), ...lists });
  });
  test("service 2.6a: the Global Wallet's fields", async () => {
    const { ask } = await bench();
    const number = expect.any(Number);
    const fields = { availableBalance: number, pendingBalance: number, heldBalance: number, totalCollected: number, totalDisbursed: number };
    expect((await ask("GET", `${global}/wallet`)).body.wallet).toEqual({ currency: "KES", ...fields });
  });
  test("service 2.7a: the fields of rates, whatever the base", async () => {
    const { ask } = await bench();
    for (const base of ["USD", "KES", "UGX"]) {
      const { rates } = (await ask("GET", `${global}/fx/rates?base=${base}`)).body;
      expect(Object.keys(rates).sort()).toEqual(["base", "fetchedAt", "rates", "supportedCurrencies"]);
      expect([rates.base, rates.rates[base], Number.isNaN(Date.parse(rates.fetchedAt))]).toEqual([base, 1, false]);
      expect(rates.supportedCurrencies).toContain(base);
    }
  });
});
