import { describe, expect, test } from "vitest";
import { verifySignature } from "../../src/webhooks/webhook-signature.ts";
import { type Bench, type Body, bench, global, local } from "./harness.ts";

const callbackUrl = "http://127.0.0.1:9/hook";
const phone = (digits: string): string => `254712345${digits}`;
const valid = (made: Bench, index: number): boolean => {
  const one = made.posted[index];
  if (one === undefined) throw new Error(`There is no callback ${index}.`);
  return verifySignature({
    scheme: "standard-webhooks",
    headers: one.headers,
    body: Buffer.from(one.body),
    secrets: [made.sandbox.webhookSecret],
    nowSeconds: made.clock.nowMs / 1000,
  }).valid;
};
const types = (made: Bench): readonly string[] => made.posted.map((one) => JSON.parse(one.body).type);

describe("how payments end, by the phone's last three digits", () => {
  test.each([
    ["000", "COMPLETED"],
    ["009", "COMPLETED"],
    ["011", "FAILED"],
    ["012", "CANCELLED"],
    ["013", "FAILED"],
    ["014", "FAILED"],
    ["015", "EXPIRED"],
    ["016", "FAILED"],
    ["017", "FAILED"],
    ["018", "FAILED"],
    ["041", "COMPLETED"],
    ["038", "REVERSED"],
    ["036", "SENT"],
  ])("a push to …%s ends %s", async (digits, status) => {
    const made = await bench();
    const { transactionId } = (await made.push({ phone: phone(digits) })).body;
    expect((await made.transaction(transactionId)).status).toBe("SENT");
    await made.wait(10_000);
    expect((await made.transaction(transactionId)).status).toBe(status);
  });
  test.each([
    ["001", "COMPLETED"],
    ["011", "FAILED"],
    ["012", "COMPLETED"],
    ["017", "FAILED"],
    ["018", "FAILED"],
    ["036", "PROCESSING"],
    ["038", "REVERSED"],
    ["041", "FAILED"],
    ["042", "FAILED"],
  ])("a payout to …%s ends %s", async (digits, status) => {
    const made = await bench();
    const { transactionId } = (await made.payout({ phone: phone(digits) })).body;
    await made.wait(20_000);
    expect((await made.transaction(transactionId)).status).toBe(status);
  });
  test("the header wins over the digits; what is armed strikes the next creation alone", async () => {
    const made = await bench();
    const named = await made.push({ phone: phone("011") }, { headers: { "x-sandbox-scenario": "cancelled" } });
    await made.control("POST", "arm", { scenario: "wrong-pin" });
    const armed = await made.push({ phone: phone("001") });
    const next = await made.push({ phone: phone("001") });
    await made.wait(5_000);
    expect((await made.transaction(named.body.transactionId)).status).toBe("CANCELLED");
    expect((await made.transaction(armed.body.transactionId)).status).toBe("FAILED");
    expect((await made.transaction(next.body.transactionId)).status).toBe("COMPLETED");
    expect((await made.push({}, { headers: { "x-sandbox-scenario": "nonsense" } })).status).toBe(400);
  });
  test("037 moves another amount, and the ledger has what moved", async () => {
    const made = await bench();
    const { transactionId } = (await made.payout({ phone: phone("037") })).body;
    const before = await made.wallet();
    await made.wait(5_000);
    expect((await made.transaction(transactionId)).amount).toBe(999);
    expect((await made.wallet()).b2cBalance).toBe(before.b2cBalance - 1004);
  });
  test("038: a payout that is reversed comes back to the float and leaves the stats; what it cost stays", async () => {
    const made = await bench();
    const before = await made.wallet();
    const { transactionId, pricingQuote } = (await made.payout({ phone: phone("038") })).body;
    await made.wait(2_000);
    expect((await made.ask("GET", `${local}/stats/b2c`)).body.stats).toEqual({ totalVolume: 1000, count: 1 });
    await made.wait(3_000);
    expect((await made.transaction(transactionId)).status).toBe("REVERSED");
    expect((await made.ask("GET", `${local}/stats/b2c`)).body.stats).toEqual({ totalVolume: 0, count: 0 });
    const after = await made.wallet();
    expect([before.b2cBalance - after.b2cBalance, before.balance - after.balance, after.b2cHeldBalance]).toEqual([pricingQuote.fee, 2, 0]);
  });
});

describe("queries that tell something else", () => {
  test("027 is open three times, then paid", async () => {
    const made = await bench();
    const { transactionId } = (await made.push({ phone: phone("027") })).body;
    await made.wait(10_000);
    const seen: Body[] = [];
    for (let n = 0; n < 4; n += 1) seen.push(await made.transaction(transactionId));
    expect(seen.map((one) => one.status)).toEqual(["SENT", "SENT", "SENT", "COMPLETED"]);
    expect(seen.map((one) => one.metadata.mobileMoneyReceipt !== undefined)).toEqual([false, false, false, true]);
    expect(seen.map((one) => one.metadata.completedAt !== undefined)).toEqual([false, false, false, true]);
  });
  test("028 is FAILED three times, then COMPLETED", async () => {
    const made = await bench();
    const { transactionId } = (await made.payout({ phone: phone("028") })).body;
    const seen: string[] = [];
    for (let n = 0; n < 4; n += 1) seen.push((await made.transaction(transactionId)).status);
    expect(seen).toEqual(["FAILED", "FAILED", "FAILED", "COMPLETED"]);
  });
});

describe("answers that do not come", () => {
  test.each([
    ["031", "reset-after"],
    ["032", "answered 500"],
  ])("%s strikes once a key, after the payment was made", async (digits, what) => {
    const made = await bench();
    const body = { phone: phone(digits), amount: 100, reference: "D1" };
    expect(await made.drop("POST", `${local}/b2c`, body, { idempotencyKey: "k" })).toBe(what);
    const again = await made.ask("POST", `${local}/b2c`, body, { idempotencyKey: "k" });
    expect(again.status).toBe(200);
    expect((await made.ask("GET", `${local}/transactions?flow=b2c`)).body.total).toBe(1);
    const entries: readonly Body[] = (await made.ask("GET", `${local}/wallet`)).body.transactions;
    expect(entries.filter((entry) => entry.type === "B2C_HOLD")).toHaveLength(1);
  });
  test("033 takes 45 s; the same key is in progress meanwhile", async () => {
    const made = await bench();
    const answer = await made.sandbox.handle({
      method: "POST",
      path: `${local}/stk-push`,
      headers: { authorization: `Bearer ${made.sandbox.apiKey}`, "idempotency-key": "k" },
      body: JSON.stringify({ phone: phone("033"), amount: 150, reference: "INV-1" }),
    });
    expect(answer).toMatchObject({ status: 200, delayMs: 45_000 });
    expect((await made.push({ phone: phone("033") }, { idempotencyKey: "k" })).body.code).toBe("IDEMPOTENCY_IN_PROGRESS");
    await made.wait(45_000);
    expect((await made.push({ phone: phone("033") }, { idempotencyKey: "k" })).status).toBe(200);
  });
  test("034 is 429 twice with Retry-After, then ok; nothing of it is kept", async () => {
    const made = await bench();
    const ask = () => made.push({ phone: phone("034") }, { idempotencyKey: "k" });
    const first = await ask();
    expect([first.status, first.headers["retry-after"], (await ask()).status, (await ask()).status]).toEqual([429, "1", 429, 200]);
  });
  test("035 is 503 before acceptance", async () => {
    const made = await bench();
    expect((await made.push({ phone: phone("035") })).status).toBe(503);
    expect((await made.ask("GET", `${local}/transactions`)).body.total).toBe(0);
  });
});

describe("callbacks", () => {
  test("are signed by Standard Webhooks and carry the transaction", async () => {
    const made = await bench();
    const { transactionId } = (await made.push({ callbackUrl })).body;
    await made.wait(1_000);
    expect(made.posted).toEqual([]);
    await made.wait(2_000);
    expect(JSON.parse(made.posted[0]?.body ?? "")).toMatchObject({
      type: "payment.completed",
      id: made.posted[0]?.headers["webhook-id"],
      createdAt: expect.any(String),
      data: { id: transactionId, status: "COMPLETED" },
    });
    expect(valid(made, 0)).toBe(true);
  });
  test("are retried after 5 s, 30 s, 2 min, 10 min and 1 h, each try recorded with its answer", async () => {
    const made = await bench({ answer: (_, count) => (count === 2 ? 0 : 500) });
    await made.push({ callbackUrl });
    await made.wait(3_000);
    const waits = [5_000, 30_000, 120_000, 600_000, 3_600_000];
    for (const [index, wait] of waits.entries()) {
      await made.wait(wait - 1_000);
      expect(made.posted).toHaveLength(index + 1);
      await made.wait(1_000);
      expect(made.posted).toHaveLength(index + 2);
    }
    await made.wait(86_400_000);
    expect(made.posted).toHaveLength(6);
    expect(new Set(made.posted.map((one) => one.headers["webhook-id"])).size).toBe(1);
    const [delivery] = (await made.control("GET", "deliveries")).body.deliveries;
    expect(delivery).toMatchObject({ state: "failed", type: "payment.completed", url: callbackUrl });
    expect(delivery.tries.map((one: Body) => one.status ?? one.error)).toEqual([500, "connection refused", 500, 500, 500, 500]);
    expect((await made.control("POST", `deliveries/${delivery.id}/resend`, {})).status).toBe(200);
    await made.wait(0);
    expect(made.posted).toHaveLength(7);
    expect((await made.control("POST", "deliveries/DL0/resend", {})).status).toBe(404);
  });
  test("021 is lost, 022 comes twice, 023 late, 026 badly signed", async () => {
    const made = await bench();
    await made.push({ phone: phone("021"), callbackUrl });
    await made.wait(5_000);
    expect(made.posted).toEqual([]);
    await made.push({ phone: phone("022"), callbackUrl });
    await made.wait(3_000);
    await made.wait(100);
    expect(made.posted.map((one) => one.headers["webhook-id"])).toEqual([made.posted[0]?.headers["webhook-id"], made.posted[0]?.headers["webhook-id"]]);
    await made.push({ phone: phone("023"), callbackUrl });
    await made.wait(30_000);
    expect(made.posted).toHaveLength(2);
    await made.wait(5_000);
    expect(made.posted).toHaveLength(3);
    await made.push({ phone: phone("026"), callbackUrl });
    await made.wait(3_000);
    expect([valid(made, 2), valid(made, 3)]).toEqual([true, false]);
  });
  test.each(["027", "028"])("%s: the query alone is wrong, the callback tells what happened", async (digits) => {
    const made = await bench();
    await made.push({ phone: phone(digits), callbackUrl });
    await made.wait(3_000);
    const { type, data } = JSON.parse(made.posted[0]?.body ?? "{}");
    expect([type, data.status, typeof data.metadata.mobileMoneyReceipt]).toEqual(["payment.completed", "COMPLETED", "string"]);
  });
  test("024 comes before the answer, 025 out of order", async () => {
    const made = await bench();
    const early = await made.payout({ phone: phone("024"), callbackUrl });
    expect(early.body.status).toBe("QUEUED");
    expect(types(made)).toEqual(["payment.completed"]);
    await made.push({ phone: phone("025"), callbackUrl });
    await made.wait(3_000);
    await made.wait(2_000);
    expect(types(made)).toEqual(["payment.completed", "payment.completed", "payment.processing"]);
    const [, newer, older] = made.posted.map((one) => JSON.parse(one.body));
    expect(older.createdAt < newer.createdAt).toBe(true);
  });
});

test.each(["other-amount", "reversed"])("%s is of pushes and payouts alone, and says so: the global side is paid as asked for", async (scenario) => {
  const made = await bench();
  const options = { headers: { "x-sandbox-scenario": scenario } };
  const far = { rail: "UG_MOMO", amount: 5000, currency: "UGX" };
  expect((await made.ask("POST", `${global}/collections`, { ...far, msisdn: "0772345678" }, options)).status).toBe(200);
  const paidOut = { ...far, channel: "MOBILE_MONEY", operator: "MTN", payeeMsisdn: "0772345678" };
  expect((await made.ask("POST", `${global}/disbursements`, paidOut, options)).body).toMatchObject({ success: true });
  await made.wait(3_600_000);
  const { collections } = (await made.control("GET", "collections")).body;
  const { disbursements } = (await made.control("GET", "disbursements")).body;
  expect([...collections, ...disbursements]).toMatchObject(Array.from({ length: 2 }, () => ({ scenario, status: "COMPLETED", amount: 5000 })));
  const { scenarios } = (await made.control("GET", "scenarios")).body;
  expect(scenarios.find((one: Body) => one.name === scenario).says).toContain("(pushes and payouts)");
});
