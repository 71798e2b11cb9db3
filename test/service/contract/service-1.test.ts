import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Body, bench, global, local } from "../../sandbox/harness.ts";
import { bank, collection, momo, redirect } from "./bodies.ts";

describe("service 1: what the service does", () => {
  test("service 1.1b: local payments are separate from the Global Wallet", async () => {
    const { ask, push, payout, wait } = await bench();
    const before = (await ask("GET", `${global}/wallet`)).body;
    await push();
    await payout();
    await wait(10_000);
    expect((await ask("GET", `${global}/wallet`)).body).toEqual(before);
  });
  test("service 1.2a: a push prompts a phone, and its approval completes it", async () => {
    const { push, control, transaction } = await bench();
    const { transactionId } = (await push()).body;
    expect((await control("GET", "prompts")).body.prompts).toMatchObject([{ transactionId, amount: 150, phone: "254712345678" }]);
    await control("POST", `prompts/${transactionId}`, { action: "approve" });
    expect((await transaction(transactionId)).status).toBe("COMPLETED");
  });
  test("service 1.4a: a transaction is found by id and by its reference in the list", async () => {
    const { push, transaction, ask } = await bench();
    const { transactionId } = (await push({ reference: "REF-9" })).body;
    expect(await transaction(transactionId)).toMatchObject({ id: transactionId, reference: "REF-9" });
    expect((await ask("GET", `${local}/transactions`)).body.transactions[0].reference).toBe("REF-9");
  });
  test("service 1.5a, 1.5b, 1.5c, 1.5d: rails, collections of both flows, withdrawals to phone and bank, wallet and rates are there", async () => {
    const { ask } = await bench();
    for (const body of [collection, redirect]) expect((await ask("POST", `${global}/collections`, body)).status).toBe(200);
    for (const body of [momo, bank]) expect((await ask("POST", `${global}/disbursements`, body)).status).toBe(200);
    for (const path of ["providers", "wallet", "fx/rates"]) expect((await ask("GET", `${global}/${path}`)).status).toBe(200);
  });
  test("service 1.6a: a rail exposes its flows, and nothing of the sandbox's own is served", async () => {
    const { ask } = await bench();
    const catalogue: readonly Body[] = JSON.parse(readFileSync("test/cases/rails.json", "utf8"));
    const served = catalogue.map(({ x: _, ...rest }) => rest);
    expect((await ask("GET", `${global}/providers`)).body.providers).toEqual(served);
  });
  test("service 1.7d: a crypto payment is charged on confirmation, converted to KES", async () => {
    const { control, wallet } = await bench();
    const start = (await wallet()).balance;
    const paid = (await control("POST", "crypto", { asset: "USDT", amount: 25 })).body;
    expect(paid).toMatchObject({ status: "COMPLETED", amount: 3235 });
    expect((await wallet()).balance).toBe(start - 10);
    // Nothing was paid that is worth less than a cent.
    expect((await control("POST", "crypto", { asset: "USDT", amount: 0.00001 })).status).toBe(400);
    expect((await wallet()).balance).toBe(start - 10);
  });
  test("service 1.7e: a payout takes amount and carrier cost from b2cBalance, and the platform fee from balance", async () => {
    const { payout, wait, wallet } = await bench();
    const before = await wallet();
    await payout();
    await wait(5_000);
    const after = await wallet();
    expect(after.b2cBalance).toBe(before.b2cBalance - 1005);
    expect(after.balance).toBe(before.balance - 2);
  });
  test("service 1.7f: a payout needs both balances funded", async () => {
    const { payout, wallet, control } = await bench();
    const { balance, b2cBalance } = await wallet();
    await control("POST", "topup", { wallet: "b2c", amount: 100 - b2cBalance });
    expect((await payout()).body).toMatchObject({ success: false, code: "PAYMENT_REQUIRED" });
    await control("POST", "topup", { wallet: "b2c", amount: 10_000 });
    await control("POST", "topup", { wallet: "balance", amount: -balance });
    expect((await payout()).status).toBe(402);
    await control("POST", "topup", { wallet: "balance", amount: 10 });
    expect((await payout()).status).toBe(200);
  });
  test("service 1.8a, 1.8b, 1.8c: a completed payment stays, the balance becomes negative, and new ones are blocked until credits are added", async () => {
    const { push, wait, wallet, control, transaction } = await bench();
    const { balance } = await wallet();
    await control("POST", "topup", { wallet: "balance", amount: 3 - balance });
    const ids = [(await push()).body.transactionId, (await push()).body.transactionId];
    await wait(5_000);
    for (const id of ids) expect((await transaction(id)).status).toBe("COMPLETED");
    expect((await wallet()).balance).toBe(-3);
    expect((await push()).status).toBe(402);
    await control("POST", "topup", { wallet: "balance", amount: 6 });
    expect((await push()).status).toBe(200);
  });
  test("service 1.9b: no top-up endpoint exists", async () => {
    const { ask } = await bench();
    for (const path of [`${local}/topup`, `${local}/wallet/topup`, `${global}/topup`]) expect((await ask("POST", path, { amount: 1 })).status).toBe(404);
  });
  test("service 1.1a: payments run on the Kenyan wallet: KES, Kenyan numbers, a mobile-money provider", async () => {
    const { push, payout, ask, transaction } = await bench();
    expect((await ask("GET", `${local}/wallet`)).body.wallet.currency).toBe("KES");
    for (const create of [push, payout]) {
      expect((await create({ phone: "256772000001" })).body).toMatchObject({ code: "VALIDATION", field: "phone" });
      expect((await transaction((await create()).body.transactionId)).provider).toMatch(/^MPESA/);
    }
  });
  test("service 1.4b: a payment whose callback is lost is known by a query", async () => {
    const { push, wait, posted, transaction } = await bench();
    const { transactionId } = (await push({ phone: "254712345021", callbackUrl: "http://127.0.0.1:9/hook" })).body;
    await wait(5_000);
    expect(posted).toEqual([]);
    expect((await transaction(transactionId)).status).toBe("COMPLETED");
  });
  test("service 1.9a: credits are added where a dashboard does it, not by an API key", async () => {
    const { control, ask, wallet } = await bench();
    const { apiKey } = (await control("POST", "keys", { scopes: ["wallet:read", "payments:write", "global:write"] })).body;
    const before = (await wallet()).balance;
    expect((await ask("POST", "/_sandbox/topup", { wallet: "balance", amount: 5 }, { key: apiKey })).status).toBe(403);
    await control("POST", "topup", { wallet: "balance", amount: 5 });
    expect((await wallet()).balance).toBe(before + 5);
  });
  test("service 1.8c: a negative balance blocks payouts too, until credits are added", async () => {
    const { payout, control, wallet } = await bench();
    await control("POST", "topup", { wallet: "balance", amount: -1 - (await wallet()).balance });
    expect((await wallet()).balance).toBe(-1);
    expect((await payout()).body).toMatchObject({ code: "PAYMENT_REQUIRED" });
    await control("POST", "topup", { wallet: "balance", amount: 3 });
    expect((await payout()).status).toBe(200);
  });
});
