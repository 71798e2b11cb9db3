import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import {
  classifyStatus,
  createClient,
  findReceipt,
  isPaid,
  type Payments,
  PaymentsError,
  type StkPushInput,
  type StkPushReply,
  verifyWebhook,
  type WalletReply,
} from "../../src/library.ts";
import { createSandbox, type ScenarioName } from "../../src/sandbox/library.ts";
import { signDelivery } from "../../src/webhooks/webhook-signature.ts";
import { createHome, runCli } from "../support/cli.ts";
import { jsonAnswer, type OnRequest, type RawServer, startRawServer } from "../support/raw-server.ts";

describe("the library", () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const over = async (onRequest: OnRequest, options: { readonly retries?: number } = {}): Promise<{ payments: Payments; server: RawServer }> => {
    const server = await startRawServer(onRequest);
    const payments = createClient({ baseUrl: `${server.url.href}base`, apiKey: "k1_secret", timeoutMs: 2_000, ...options });
    closing.push(server.close, () => payments.close());
    return { payments, server };
  };
  const bodyOf = (request = ""): string => request.slice(request.indexOf("\r\n\r\n") + 4);
  const keyOf = (request = ""): string | undefined => /^idempotency-key: (.*)$/im.exec(request)?.[1];

  it("pays with a phone in any spelling, exact digits and a key", async () => {
    const { payments, server } = await over((socket) => socket.end(jsonAnswer('{"transactionId":"T1","status":"SENT","more":1}')));
    const reply = await payments.stkPush({ phone: "0712 345 678", amount: "150.00", reference: "R1", description: undefined });
    expect(reply).toEqual({ transactionId: "T1", status: "SENT", more: 1 });
    expect(server.requests[0]).toMatch(/^POST \/base\/api\/v1\/merchants\/payments\/stk-push /);
    expect(bodyOf(server.requests[0])).toBe('{"phone":"254712345678","amount":150,"reference":"R1"}');
    expect(keyOf(server.requests[0])).toMatch(/^[0-9a-f-]{36}$/);
    await payments.b2c({ phone: "0712345678", amount: 10.5, reference: "R2" }, { idempotencyKey: "mine" });
    expect(keyOf(server.requests[1])).toBe("mine");
  });

  it("retries a lost answer with the same key and bytes, and says what is not known", async () => {
    const { payments, server } = await over((socket, _, tries) =>
      tries === 1 ? socket.destroy() : socket.end(jsonAnswer('{"transactionId":"T1","status":"S"}')),
    );
    expect((await payments.b2c({ phone: "0712345678", amount: 100, reference: "R" })).transactionId).toBe("T1");
    expect(new Set(server.requests.map((request) => `${keyOf(request)} ${bodyOf(request)}`)).size).toBe(1);
    const lost = await over((socket) => socket.destroy(), { retries: 0 });
    const error: unknown = await lost.payments.b2c({ phone: "0712345678", amount: 100, reference: "R" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PaymentsError);
    expect(error).toMatchObject({
      kind: "outcome-unknown",
      sent: "unknown",
      idempotencyKey: keyOf(lost.server.requests[0]),
      hint: expect.not.stringContaining("payments-cli"),
    });
  });

  it("sends nothing that a policy of this machine's journal holds back", async () => {
    const home = createHome();
    vi.stubEnv("PAYMENTS_HOME", home);
    closing.push(async () => vi.unstubAllEnvs());
    await runCli(["approval", "policy", "--from", "500"], { home });
    const { payments, server } = await over((socket) => socket.end(jsonAnswer('{"transactionId":"T1","status":"QUEUED"}')));
    const held = await payments.b2c({ phone: "0712345678", amount: 500, reference: "R" }).catch((thrown: unknown) => thrown);
    expect(held).toMatchObject({ kind: "approval-required", sent: "no" });
    expect(server.requests).toEqual([]);
    expect((await payments.b2c({ phone: "0712345678", amount: 499.99, reference: "R" })).transactionId).toBe("T1");
  });

  it("gives every transaction once, waits for a payment to end, and checks callbacks, against the sandbox", async () => {
    const sandbox = await createSandbox({ seed: 7, autoApproveAfterMs: null });
    const payments = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    closing.push(
      () => sandbox.close(),
      () => payments.close(),
    );
    const made = await payments.stkPush({ phone: "0712345000", amount: 150, reference: "INV-1" });
    for (let n = 2; n <= 25; n += 1) await payments.stkPush({ phone: "0712345000", amount: 150, reference: `INV-${n}` });
    const references = new Set<string>();
    for await (const { reference } of payments.transactions()) references.add(reference);
    expect(references.size).toBe(25);
    await sandbox.answerPrompt(made.transactionId, "approve");
    const { outcome, transaction } = await payments.waitForPayment(made.transactionId, { flow: "standard" });
    expect([outcome, transaction?.status, findReceipt(transaction ?? {})]).toEqual(["paid", "COMPLETED", expect.stringMatching(/^[A-Z0-9]{10}$/)]);
    expect(await payments.waitForPayment("TX-not-there", { timeoutMs: 1 })).toEqual({ outcome: "open" });
    expect([classifyStatus("expired", "in"), classifyStatus("ON_HOLD", "in"), isPaid("SUCCESS")]).toEqual(["unpaid", "open", true]);
  });

  it("verifies a callback, and says why one is not valid", () => {
    const nowMs = Date.UTC(2026, 2, 1);
    const secret = `whsec_${Buffer.from("a secret of many bytes for a test").toString("base64")}`;
    const body = '{"type":"payment.completed"}';
    const headers =
      signDelivery({ scheme: "standard-webhooks", id: "evt_1", body: Buffer.from(body), secrets: [secret], timestampSeconds: nowMs / 1000 }) ?? {};
    expect(verifyWebhook({ headers, body, secret, nowMs })).toEqual({ valid: true, id: "evt_1" });
    expect(verifyWebhook({ headers, body: `${body} `, secret, nowMs })).toMatchObject({ valid: false });
    expect(verifyWebhook({ headers, body, secret: undefined, nowMs })).toEqual({ valid: false, reason: "the webhook secret is missing" });
    expect(verifyWebhook({ headers: {}, body, secret: [secret], nowMs })).toMatchObject({ valid: false, reason: expect.stringContaining("missing") });
  });

  it("names its errors as it exports them, and a missing key among them", () => {
    const withoutKey = () => createClient({ baseUrl: "https://api.example", apiKey: process.env["NO_SUCH_KEY"] });
    expect(withoutKey).toThrow(expect.objectContaining({ name: "PaymentsError", kind: "config", message: expect.stringContaining("apiKey is missing") }));
    expectTypeOf<StkPushReply>().not.toHaveProperty("transactonId");
    expectTypeOf<StkPushReply>().toHaveProperty("transactionId");
    expectTypeOf<WalletReply["wallet"]>().not.toHaveProperty("ballance");
    expectTypeOf<ScenarioName>().extract<"no-funds" | "no-fund">().toEqualTypeOf<"no-funds">();
  });

  it("reads", async () => {
    const { payments, server } = await over((socket) =>
      socket.write(jsonAnswer('{"transactions":[],"total":0,"wallet":{},"stats":{},"providers":[],"rates":{},"id":"a","status":"b"}')),
    );
    await payments.listTransactions({ limit: 5, flow: "all" });
    await payments.getTransaction("a/b");
    await payments.fxRates({ base: "KES" });
    for (const read of [payments.wallet, payments.b2cStats, payments.providers, payments.globalWallet]) await read();
    expect(server.requests.map((request) => request.split(" ")[1]?.replace(/^\/base\/api\/v1/, ""))).toEqual([
      "/merchants/payments/transactions?limit=5&flow=all",
      "/merchants/payments/transactions/a%2Fb",
      "/global/fx/rates?base=KES",
      "/merchants/payments/wallet",
      "/merchants/payments/stats/b2c",
      "/global/providers",
      "/global/wallet",
    ]);
  });

  it("refuses what can't be right before sending", async () => {
    const { payments, server } = await over((socket) => socket.end(jsonAnswer("{}")));
    const local = { phone: "0712345678", amount: 100, reference: "R" };
    const wrong = [
      payments.stkPush({ ...local, amount: 1.5 }),
      payments.stkPush({ ...local, phone: "12" }),
      payments.b2c({ ...local, amount: 9 }),
      payments.b2c({ ...local, reference: " " }),
      payments.b2c(local, { idempotencyKey: "a b" }),
      payments.collect({ rail: "X", amount: 1e21, currency: "UGX", msisdn: "1" }),
      payments.withdraw({ rail: "X", channel: "BANK", amount: Number.NaN, currency: "UGX" }),
      payments.getTransaction(".."),
      payments.waitForPayment("T1", { timeoutMs: 0 }),
      // JavaScript lets the input be left out.
      Reflect.apply(payments.b2c, undefined, []),
    ];
    for (const sending of wrong) await expect(sending).rejects.toMatchObject({ kind: "usage", sent: "no" });
    expect(server.connections()).toBe(0);
    expect(() => createClient({ baseUrl: "http://pay.example.com", apiKey: "k" })).toThrow(PaymentsError);
    expect(() => createClient({ baseUrl: "https://pay.example.com", apiKey: "k\n" })).toThrow(PaymentsError);
    expect(() => createClient({ baseUrl: "https://pay.example.com", apiKey: "k", retries: -1 })).toThrow(PaymentsError);
  });

  it("has the contract's fields in its types, and no others", () => {
    type Returned<M extends keyof Payments> = Payments[M] extends (...given: never) => Promise<infer R> ? R : never;
    expectTypeOf<keyof StkPushInput>().toEqualTypeOf<"phone" | "amount" | "reference" | "channelId" | "description" | "callbackUrl">();
    expectTypeOf<StkPushInput["amount"]>().toEqualTypeOf<number | string>();
    expectTypeOf<keyof Returned<"stkPush">>().toEqualTypeOf<"transactionId" | "status">();
    expectTypeOf<keyof Returned<"wallet">["wallet"]["b2cHolds"][number]>().toEqualTypeOf<"id" | "amount" | "reason" | "holdType" | "reference" | "createdAt">();
    expectTypeOf<Returned<"fxRates">["rates"]["rates"]["KES"]>().toEqualTypeOf<number>();
    expectTypeOf<NonNullable<Returned<"getTransaction">["metadata"]>["mobileMoneyReceipt"]>().toEqualTypeOf<unknown>();
    // A misspelt field of a reply does not compile.
    expectTypeOf<Returned<"b2c">>().toHaveProperty("transactionId");
    expectTypeOf<Returned<"b2c">>().not.toHaveProperty("transactonId");
  });
});
