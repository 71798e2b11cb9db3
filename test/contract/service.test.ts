import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type RouteId, routes } from "../../src/contract/routes.ts";
import { schemas } from "../../src/contract/schemas.ts";
import { type Body, bench, global, local } from "../unit/sandbox/harness.ts";

// One test a sentence of service.md, against the service's own surface; names carry the section.
const collection = { rail: "UG_MOMO", msisdn: "0772000001", amount: 5000, currency: "UGX" };
const redirect = { rail: "NG_CHECKOUT", customerEmail: "a@example.com", amount: 5000, currency: "NGN", callbackReturnUrl: "https://shop.example/back" };
const momo = { rail: "UG_MOMO", channel: "MOBILE_MONEY", operator: "MTN", payeeMsisdn: "0772000001", amount: 5000, currency: "UGX" };
const bank = { rail: "KE_BANK", channel: "BANK", bankCode: "01", accountNumber: "0123456789", accountName: "A Person", amount: 500, currency: "KES" };

describe("service 1: what the service does", () => {
  test("1.1 local payments are separate from the Global Wallet", async () => {
    const { ask, push, payout, wait } = await bench();
    const before = (await ask("GET", `${global}/wallet`)).body;
    await push();
    await payout();
    await wait(10_000);
    expect((await ask("GET", `${global}/wallet`)).body).toEqual(before);
  });
  test("1.2 a push prompts a phone, and its approval completes it", async () => {
    const { push, control, transaction } = await bench();
    const { transactionId } = (await push()).body;
    expect((await control("GET", "prompts")).body.prompts).toMatchObject([{ transactionId, amount: 150, phone: "254712345678" }]);
    await control("POST", `prompts/${transactionId}`, { action: "approve" });
    expect((await transaction(transactionId)).status).toBe("COMPLETED");
  });
  test("1.3 a payout reaches a registered number", async () => {
    const { payout, wait, transaction } = await bench();
    const { transactionId } = (await payout()).body;
    await wait(5_000);
    expect((await transaction(transactionId)).status).toBe("COMPLETED");
  });
  test("1.4 a transaction is found by id and by its reference in the list", async () => {
    const { push, transaction, ask } = await bench();
    const { transactionId } = (await push({ reference: "REF-9" })).body;
    expect(await transaction(transactionId)).toMatchObject({ id: transactionId, reference: "REF-9" });
    expect((await ask("GET", `${local}/transactions`)).body.transactions[0].reference).toBe("REF-9");
  });
  test("1.5 rails, collections of both flows, withdrawals to phone and bank, wallet and rates are there", async () => {
    const { ask } = await bench();
    for (const body of [collection, redirect]) expect((await ask("POST", `${global}/collections`, body)).status).toBe(200);
    for (const body of [momo, bank]) expect((await ask("POST", `${global}/disbursements`, body)).status).toBe(200);
    for (const path of ["providers", "wallet", "fx/rates"]) expect((await ask("GET", `${global}/${path}`)).status).toBe(200);
  });
  test("1.6 a rail exposes its flows, and nothing of the sandbox's own is served", async () => {
    const { ask } = await bench();
    const catalogue: readonly Body[] = JSON.parse(readFileSync("test/cases/rails.json", "utf8"));
    const served = catalogue.map(({ x: _, ...rest }) => rest);
    expect((await ask("GET", `${global}/providers`)).body.providers).toEqual(served);
  });
  test("1.7 a push's fee is deducted only once it completes; failed and abandoned prompts cost nothing", async () => {
    const { push, wait, wallet } = await bench();
    const start = (await wallet()).balance;
    await push({ phone: "254712345012" });
    await push({ phone: "254712345036" });
    await wait(200_000);
    expect((await wallet()).balance).toBe(start);
    await push();
    expect((await wallet()).balance).toBe(start);
    await wait(3_000);
    expect((await wallet()).balance).toBe(start - 3);
  });
  test("1.7 a crypto payment is charged on confirmation, converted to KES", async () => {
    const { control, wallet } = await bench();
    const start = (await wallet()).balance;
    const paid = (await control("POST", "crypto", { asset: "USDT", amount: 25 })).body;
    expect(paid).toMatchObject({ status: "COMPLETED", amount: 3235 });
    expect((await wallet()).balance).toBe(start - 10);
  });
  test("1.7 a payout takes amount and carrier cost from b2cBalance, and the platform fee from balance", async () => {
    const { payout, wait, wallet } = await bench();
    const before = await wallet();
    await payout();
    await wait(5_000);
    const after = await wallet();
    expect(after.b2cBalance).toBe(before.b2cBalance - 1005);
    expect(after.balance).toBe(before.balance - 2);
  });
  test("1.7 a payout needs both balances funded", async () => {
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
  test("1.8 a completed payment stays, the balance becomes negative, and new ones are blocked until credits are added", async () => {
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
  test("1.9 no top-up endpoint exists", async () => {
    const { ask } = await bench();
    for (const path of [`${local}/topup`, `${local}/wallet/topup`, `${global}/topup`]) expect((await ask("POST", path, { amount: 1 })).status).toBe(404);
  });
});

describe("service 2: resources and their fields", () => {
  test("2.1 a transaction has its fields, and a receipt when it completed; the list shows four of them", async () => {
    const { push, wait, transaction, ask } = await bench();
    const { transactionId } = (await push()).body;
    await wait(5_000);
    const found = await transaction(transactionId);
    expect(Object.keys(found)).toEqual(["id", "reference", "amount", "status", "provider", "providerRef", "metadata"]);
    expect(found.metadata.mobileMoneyReceipt).toMatch(/^[A-Z0-9]{10}$/);
    expect(Object.keys((await ask("GET", `${local}/transactions`)).body.transactions[0])).toEqual(["id", "reference", "amount", "status"]);
  });
  test("2.2 the wallet: balances, holds, stats and the 20 newest entries, debits negative", async () => {
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
  test("2.3 stats count completed payouts", async () => {
    const { payout, wait, ask } = await bench();
    await payout();
    await payout({ phone: "254712345041" });
    expect((await ask("GET", `${local}/stats/b2c`)).body).toEqual({ success: true, stats: { totalVolume: 0, count: 0 } });
    await wait(5_000);
    expect((await ask("GET", `${local}/stats/b2c`)).body).toEqual({ success: true, stats: { totalVolume: 1000, count: 1 } });
  });
  test("2.4 a rail has its fields", async () => {
    const { ask } = await bench();
    const { body } = await ask("GET", `${global}/providers`);
    expect(schemas.providers.reply.parse(body)).toEqual(body);
  });
  test("2.5 references begin GC- and GD-", async () => {
    const { ask } = await bench();
    const collected = (await ask("POST", `${global}/collections`, collection)).body.collection;
    expect(collected).toEqual({ reference: expect.stringMatching(/^GC-/), status: "PENDING", amount: 5000, fee: 100 });
    const paid = (await ask("POST", `${global}/disbursements`, momo)).body.disbursement;
    expect(paid).toEqual({ reference: expect.stringMatching(/^GD-/), status: "PROCESSING", amount: 5000, fee: 100 });
  });
  test("2.6 collections, fees, holds and withdrawals are ledgered in the Global Wallet", async () => {
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
  test("2.7 the base maps to 1, and display rates post nothing", async () => {
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
});

describe("service 3: states and transitions", () => {
  test("3 creation answers SENT, QUEUED, PENDING, PROCESSING; a paid one is COMPLETED", async () => {
    const { ask, push, payout, wait, transaction } = await bench();
    const sent = await push();
    expect(sent.body.status).toBe("SENT");
    expect((await payout()).body.status).toBe("QUEUED");
    expect((await ask("POST", `${global}/collections`, collection)).body.collection.status).toBe("PENDING");
    expect((await ask("POST", `${global}/disbursements`, momo)).body.disbursement.status).toBe("PROCESSING");
    await wait(5_000);
    expect((await transaction(sent.body.transactionId)).status).toBe("COMPLETED");
  });
  test("3 a payout goes QUEUED, PROCESSING, COMPLETED", async () => {
    const { payout, wait, transaction } = await bench();
    const { transactionId } = (await payout()).body;
    expect((await transaction(transactionId)).status).toBe("QUEUED");
    await wait(1_000);
    expect((await transaction(transactionId)).status).toBe("PROCESSING");
    await wait(1_000);
    expect((await transaction(transactionId)).status).toBe("COMPLETED");
  });
  test("3 a push collection is credited when the provider's callback is reconciled, less its fee", async () => {
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
  test("3 a redirect collection is credited once confirmed, never twice", async () => {
    const { ask, control, wait } = await bench();
    const { reference } = (await ask("POST", `${global}/collections`, redirect)).body.collection;
    await wait(60_000);
    expect((await ask("GET", `${global}/wallet`)).body.wallet.totalCollected).toBe(0);
    expect((await control("POST", `collections/${reference}`, { action: "confirm" })).status).toBe(200);
    expect((await control("POST", `collections/${reference}`, { action: "confirm" })).status).toBe(409);
  });
  test("3 while a payout is pending its amount is held; a failed one releases the hold and costs nothing", async () => {
    const { payout, wait, wallet } = await bench();
    const before = await wallet();
    await payout({ phone: "254712345041" });
    expect(await wallet()).toMatchObject({ b2cHeldBalance: 1005, b2cBalance: before.b2cBalance });
    await wait(5_000);
    expect(await wallet()).toEqual(before);
  });
  test("3 a withdrawal is held, then taken; a failed one comes back", async () => {
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
});

describe("service 4: endpoints", () => {
  const bodies: Partial<Record<RouteId, object>> = {
    stkPush: { phone: "254712345678", amount: 150, reference: "R" },
    b2c: { phone: "254712345678", amount: 150, reference: "R" },
    collect: collection,
    withdraw: momo,
  };
  test.each(Object.values(routes))("4 $id answers as the contract has it, and wants a key", async (route) => {
    const { ask, push } = await bench();
    const { transactionId } = (await push()).body;
    const path = route.path.replace(":transactionId", transactionId);
    expect((await ask(route.method, path, bodies[route.id], { key: "sk_live_of_somebody" })).body).toMatchObject({
      success: false,
      code: "UNAUTHORIZED",
      requestId: expect.any(String),
    });
    const answer = await ask(route.method, path, bodies[route.id]);
    expect(answer.status).toBe(200);
    expect(schemas[route.id].reply.parse(answer.body)).toEqual(answer.body);
  });
  test.each(Object.entries(bodies))("4 %s supports Idempotency-Key", async (id, body) => {
    const { ask } = await bench();
    const { path } = routes[id as RouteId];
    const first = await ask("POST", path, body, { idempotencyKey: "k1" });
    const again = await ask("POST", path, body, { idempotencyKey: '"k1"' });
    expect(again.text).toBe(first.text);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect((await ask("POST", path, body, { idempotencyKey: "k2" })).text).not.toBe(first.text);
  });
  test.each(Object.entries(bodies))("4 %s refuses each missing or foreign field by name", async (id, body) => {
    const { ask } = await bench();
    const { path } = routes[id as RouteId];
    for (const field of Object.keys(body)) {
      const { [field]: _, ...rest } = body as Record<string, unknown>;
      expect((await ask("POST", path, rest)).body, field).toMatchObject({ code: "VALIDATION", field });
    }
    expect((await ask("POST", path, { ...body, surprise: 1 })).body).toMatchObject({ code: "VALIDATION", field: "surprise" });
    expect((await ask("POST", path, undefined, { text: "{" })).status).toBe(400);
    expect((await ask("POST", path, body, { headers: { "content-type": "text/plain" } })).status).toBe(400);
  });
  test("4 stk-push: 402 PAYMENT_REQUIRED when balance is below the fee for that amount", async () => {
    const { push, control, wallet } = await bench();
    await control("POST", "topup", { wallet: "balance", amount: 2 - (await wallet()).balance });
    expect((await push({ amount: 100 })).status).toBe(200);
    expect((await push({ amount: 101 })).body).toMatchObject({ code: "PAYMENT_REQUIRED" });
  });
  test("4 b2c: description and remarks are one; commandId is one of three; total is amount plus fee", async () => {
    const { payout } = await bench();
    const { pricingQuote } = (await payout({ remarks: "refund", commandId: "SalaryPayment" })).body;
    expect(pricingQuote).toEqual({ amount: 1000, fee: 5, total: 1005 });
    expect((await payout({ commandId: "Gift" })).body).toMatchObject({ code: "VALIDATION", field: "commandId" });
  });
  test("4 list: limit, offset and flow (standard unless said), newest first, total of the flow", async () => {
    const { ask, push, payout } = await bench();
    for (let n = 0; n < 25; n += 1) await push({ reference: `S-${n}` });
    for (let n = 0; n < 3; n += 1) await payout({ reference: `B-${n}` });
    const list = async (query: string): Promise<Body> => (await ask("GET", `${local}/transactions${query}`)).body;
    const references = (body: Body): readonly string[] => body.transactions.map((one: Body) => one.reference);
    expect((await list("")).total).toBe(25);
    expect(references(await list(""))).toEqual(Array.from({ length: 20 }, (_, n) => `S-${24 - n}`));
    expect(references(await list("?limit=3&offset=23"))).toEqual(["S-1", "S-0"]);
    expect(references(await list("?flow=b2c"))).toEqual(["B-2", "B-1", "B-0"]);
    expect(await list("?flow=all&limit=1000")).toMatchObject({ total: 28 });
    expect(references(await list("?offset=99"))).toEqual([]);
    for (const query of ["?limit=0", "?limit=x", "?offset=-1", "?flow=odd"]) expect((await ask("GET", `${local}/transactions${query}`)).status).toBe(400);
  });
  test("4 list: more than 100 is capped", async () => {
    const { ask, push } = await bench();
    await Promise.all(Array.from({ length: 120 }, () => push()));
    expect((await ask("GET", `${local}/transactions?limit=500`)).body.transactions).toHaveLength(100);
  });
  test("4 get: an unknown transaction is 404", async () => {
    const { ask } = await bench();
    expect((await ask("GET", `${local}/transactions/nope`)).body).toMatchObject({ success: false, code: "NOT_FOUND" });
  });
  test("4 wallet requires wallet:read; other scopes are named likewise", async () => {
    const { ask, control } = await bench();
    const { apiKey } = (await control("POST", "keys", { scopes: ["payments:read"] })).body;
    expect((await ask("GET", `${local}/transactions`, undefined, { key: apiKey })).status).toBe(200);
    expect((await ask("GET", `${local}/wallet`, undefined, { key: apiKey })).body).toMatchObject({
      code: "SCOPE_REQUIRED",
      message: expect.stringContaining("wallet:read"),
    });
    expect((await ask("POST", `${local}/b2c`, bodies.b2c, { key: apiKey })).body.message).toContain("payments:write");
    expect((await ask("GET", "/_sandbox/prompts", undefined, { key: apiKey })).status).toBe(403);
  });
  test("4 collections: PUSH takes msisdn, REDIRECT customerEmail instead, with an authorizationUrl", async () => {
    const { ask } = await bench();
    expect((await ask("POST", `${global}/collections`, { ...collection, customerEmail: "a@example.com" })).body.field).toBe("customerEmail");
    expect((await ask("POST", `${global}/collections`, { ...redirect, msisdn: "0700000001" })).body.field).toBe("msisdn");
    expect((await ask("POST", `${global}/collections`, collection)).body.authorizationUrl).toBeUndefined();
    expect((await ask("POST", `${global}/collections`, redirect)).body.authorizationUrl).toMatch(/^http:\/\/.*\/checkout\/GC-/);
  });
  test("4 disbursements: the rail must disburse, the channel be one of its own, operator and bank known", async () => {
    const { ask } = await bench();
    const refused = async (body: object): Promise<string> => (await ask("POST", `${global}/disbursements`, body)).body.field;
    expect(await refused({ ...momo, rail: "KE_CARD", currency: "KES" })).toBe("rail");
    expect(await refused({ ...momo, channel: "BANK" })).toBe("channel");
    expect(await refused({ ...momo, operator: "MPESA" })).toBe("operator");
    expect(await refused({ ...bank, bankCode: "99" })).toBe("bankCode");
    expect(await refused({ ...bank, operator: "MTN" })).toBe("operator");
    expect(await refused({ ...momo, rail: "NOPE" })).toBe("rail");
    expect(await refused({ ...momo, rail: "SL_ORANGE", operator: "ORANGE", currency: "SLE" })).toBe("rail");
    expect(await refused({ ...momo, currency: "KES" })).toBe("currency");
  });
  test("4 disbursements come from available Global Wallet funds", async () => {
    const { ask, control } = await bench();
    const { availableBalance } = (await ask("GET", `${global}/wallet`)).body.wallet;
    await control("POST", "topup", { wallet: "global", amount: 549 - availableBalance });
    expect((await ask("POST", `${global}/disbursements`, bank)).body).toMatchObject({ code: "PAYMENT_REQUIRED" });
  });
  test("4 rates: an unknown base is refused", async () => {
    const { ask } = await bench();
    expect((await ask("GET", `${global}/fx/rates?base=XYZ`)).body.field).toBe("base");
    expect((await ask("GET", `${global}/fx/rates`)).body.rates.base).toBe("USD");
  });
  test("4 another method is 405, another path 404", async () => {
    const { ask } = await bench();
    expect((await ask("GET", `${local}/stk-push`)).status).toBe(405);
    expect((await ask("POST", `${local}/wallet`, {})).status).toBe(405);
    expect((await ask("GET", "/api/v2/anything")).status).toBe(404);
  });
});

describe("service 8: limits", () => {
  test.each([
    [9, 400],
    [10, 200],
    [150_000, 200],
    [150_000.01, 400],
    [150_001, 400],
  ])("8 a payout of %d KES is answered %d", async (amount, status) => {
    const { payout } = await bench();
    expect((await payout({ amount })).status).toBe(status);
  });
  test.each([
    [499, 400],
    [500, 200],
    [5_000_000, 200],
    [5_000_001, 400],
    [500.5, 400],
  ])("8 minAmount and maxAmount of a rail hold: %d UGX is answered %d", async (amount, status) => {
    const { ask } = await bench();
    expect((await ask("POST", `${global}/collections`, { ...collection, amount })).status).toBe(status);
    expect((await ask("POST", `${global}/disbursements`, { ...momo, amount })).status).toBe(status);
  });
});
