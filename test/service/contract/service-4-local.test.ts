import { describe, expect, test } from "vitest";
import { type EndpointName, routes } from "../../../src/service/contract/routes.ts";
import { schemas } from "../../../src/service/contract/schemas.ts";
import { verifySignature } from "../../../src/webhooks/webhook-signature.ts";
import { type Body, bench, local } from "../../sandbox/harness.ts";
import { creations } from "./bodies.ts";

describe("service 4: endpoints", () => {
  test.each(Object.values(routes))("service 4a: $id answers as the contract has it, and wants a key", async (route) => {
    const { ask, push } = await bench();
    const { transactionId } = (await push()).body;
    const path = route.path.replace(":transactionId", transactionId);
    expect((await ask(route.method, path, Reflect.get(creations, route.id), { key: "sk_live_of_somebody" })).body).toMatchObject({
      success: false,
      code: "UNAUTHORIZED",
      requestId: expect.any(String),
    });
    const answer = await ask(route.method, path, Reflect.get(creations, route.id));
    expect(answer.status).toBe(200);
    expect(schemas[route.id].reply.parse(answer.body)).toEqual(answer.body);
  });
  test.each(Object.entries(creations))("service 4c: %s supports Idempotency-Key", async (id, body) => {
    const { ask } = await bench();
    const { path } = routes[id as EndpointName];
    const first = await ask("POST", path, body, { idempotencyKey: "k1" });
    const again = await ask("POST", path, body, { idempotencyKey: '"k1"' });
    expect(again.text).toBe(first.text);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect((await ask("POST", path, body, { idempotencyKey: "k2" })).text).not.toBe(first.text);
  });
  test.each(Object.entries(creations))("service 4b, 4.1a, 4.2a: %s refuses each missing or foreign field by name", async (id, body) => {
    const { ask } = await bench();
    const { path } = routes[id as EndpointName];
    for (const field of Object.keys(body)) {
      const { [field]: _, ...rest } = body as Record<string, unknown>;
      expect((await ask("POST", path, rest)).body, field).toMatchObject({ code: "VALIDATION", field });
    }
    expect((await ask("POST", path, { ...body, surprise: 1 })).body).toMatchObject({ code: "VALIDATION", field: "surprise" });
    expect((await ask("POST", path, undefined, { text: "{" })).status).toBe(400);
    expect((await ask("POST", path, body, { headers: { "content-type": "text/plain" } })).status).toBe(400);
  });
  test("service 4.1e: 402 PAYMENT_REQUIRED when balance is below the fee for that amount", async () => {
    const { push, control, wallet } = await bench();
    await control("POST", "topup", { wallet: "balance", amount: 2 - (await wallet()).balance });
    expect((await push({ amount: 100 })).status).toBe(200);
    expect((await push({ amount: 101 })).body).toMatchObject({ code: "PAYMENT_REQUIRED" });
  });
  test("service 4.2c, 4.2e: description and remarks are one; commandId is one of three; total is amount plus fee", async () => {
    const { payout } = await bench();
    const { pricingQuote } = (await payout({ remarks: "refund", commandId: "SalaryPayment" })).body;
    expect(pricingQuote).toEqual({ amount: 1000, fee: 5, total: 1005 });
    for (const commandId of ["BusinessPayment", "PromotionPayment"]) expect((await payout({ commandId })).status).toBe(200);
    expect((await payout({ commandId: "Gift" })).body).toMatchObject({ code: "VALIDATION", field: "commandId" });
  });
  test("service 4.4a, 4.4b, 4.4c, 8d: limit, offset and flow (standard unless said), newest first, total of the flow", async () => {
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
  test("service 4.4, assumed: more than 100 is capped", async () => {
    const { ask, push } = await bench();
    await Promise.all(Array.from({ length: 120 }, () => push()));
    expect((await ask("GET", `${local}/transactions?limit=500`)).body.transactions).toHaveLength(100);
  });
  test("service 4.3, assumed: an unknown transaction is 404", async () => {
    const { ask } = await bench();
    expect((await ask("GET", `${local}/transactions/nope`)).body).toMatchObject({ success: false, code: "NOT_FOUND" });
  });
  test("service 4.6a: the wallet requires wallet:read; other scopes are named likewise", async () => {
    const { ask, control } = await bench();
    const { apiKey } = (await control("POST", "keys", { scopes: ["payments:read"] })).body;
    expect((await ask("GET", `${local}/transactions`, undefined, { key: apiKey })).status).toBe(200);
    expect((await ask("GET", `${local}/wallet`, undefined, { key: apiKey })).body).toMatchObject({
      code: "SCOPE_REQUIRED",
      message: expect.stringContaining("wallet:read"),
    });
    expect((await ask("POST", `${local}/b2c`, creations.b2c, { key: apiKey })).body.message).toContain("payments:write");
    expect((await ask("GET", "/_sandbox/prompts", undefined, { key: apiKey })).status).toBe(403);
  });
  test("service 4, assumed: another method is 405, another path 404", async () => {
    const { ask } = await bench();
    expect((await ask("GET", `${local}/stk-push`)).status).toBe(405);
    expect((await ask("POST", `${local}/wallet`, {})).status).toBe(405);
    expect((await ask("GET", "/api/v2/anything")).status).toBe(404);
  });
  test.each(Object.entries(creations))("service 4b: %s takes application/json and nothing else", async (id, body) => {
    const { ask } = await bench();
    const { path } = routes[id as EndpointName];
    for (const type of ["application/json", "application/json; charset=utf-8"])
      expect((await ask("POST", path, body, { headers: { "content-type": type } })).status).toBe(200);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
      expect((await ask("POST", path, body, { headers: { "content-type": type } })).body.field).toBe("Content-Type");
  });
  test("service 4a: no key, another scheme or an empty one is 401", async () => {
    const { ask } = await bench();
    for (const authorization of ["", "Bearer", "Basic abc", "Bearer "])
      expect((await ask("GET", `${local}/wallet`, undefined, { headers: { authorization } })).body.code).toBe("UNAUTHORIZED");
  });
  test("service 4.1b: channelId, description and callbackUrl may be given, and need not be", async () => {
    const { push } = await bench();
    expect((await push()).status).toBe(200);
    expect((await push({ channelId: "CH-1", description: "Shoes", callbackUrl: "https://shop.example/hook" })).status).toBe(200);
    for (const callbackUrl of ["not a url", "ftp://shop.example/"]) expect((await push({ callbackUrl })).body.field).toBe("callbackUrl");
  });
  test("service 4.1c, 4.2d: notifications go to callbackUrl, signed with the webhook secret; without it nowhere", async () => {
    const { push, payout, wait, posted, sandbox, clock } = await bench();
    for (const create of [push, payout]) {
      await create();
      await create({ callbackUrl: "https://shop.example/hook" });
    }
    await wait(5_000);
    expect(posted.map((one) => [one.url, JSON.parse(one.body).data.status])).toEqual(posted.map(() => ["https://shop.example/hook", "COMPLETED"]));
    expect(posted).toHaveLength(2);
    for (const { headers, body } of posted) {
      const asked = { scheme: "standard-webhooks", headers, body: Buffer.from(body), nowSeconds: clock.nowMs / 1000 } as const;
      expect(verifySignature({ ...asked, secrets: [sandbox.webhookSecret] }).valid).toBe(true);
      expect(verifySignature({ ...asked, secrets: [`whsec_${Buffer.from("another").toString("base64")}`] }).valid).toBe(false);
    }
  });
  test("service 4.1d, 4.2e: the fields of both replies", async () => {
    const { push, payout } = await bench();
    expect((await push()).body).toEqual({ transactionId: expect.any(String), status: "SENT" });
    const text = expect.any(String);
    const ids = { transactionId: text, originatorConversationId: text, conversationId: text };
    expect((await payout()).body).toEqual({ ...ids, status: "QUEUED", message: text, pricingQuote: { amount: 1000, fee: 5, total: 1005 } });
  });
  test("service 4.2b: remarks and description are one field", async () => {
    const { payout, control } = await bench();
    const seen: unknown[] = [];
    for (const more of [{ remarks: "Refund" }, { description: "Refund" }]) {
      const { transactionId } = (await payout(more)).body;
      seen.push((await control("GET", `transactions/${transactionId}`)).body.description);
    }
    expect(seen).toEqual(["Refund", "Refund"]);
  });
  test("service 4.3a: a query answers the transaction itself, without an envelope", async () => {
    const { push, transaction } = await bench();
    const { transactionId } = (await push()).body;
    expect(await transaction(transactionId)).toMatchObject({ id: transactionId, status: "SENT" });
  });
  test("service 4.6b: reading the wallet changes nothing", async () => {
    const { ask } = await bench();
    const first = await ask("GET", `${local}/wallet`);
    expect((await ask("GET", `${local}/wallet`)).text).toBe(first.text);
    for (const method of ["POST", "PUT", "DELETE"]) expect((await ask(method, `${local}/wallet`, {})).status).toBe(405);
  });
});
