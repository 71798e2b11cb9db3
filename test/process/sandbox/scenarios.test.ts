import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifySignature } from "../../../src/webhooks/webhook-signature.ts";
import type { Body } from "../../sandbox/harness.ts";
import { startBinary } from "../../support/process.ts";

// Each row of sandbox.md's table, over real HTTP, with the built binary; one process for all.
type Ready = { readonly baseUrl: string; readonly apiKey: string; readonly webhookSecret: string };
type Answer = { readonly status: number; readonly body: Body; readonly headers: IncomingHttpHeaders };
type Heard = { readonly id: string; readonly headers: Readonly<Record<string, string>>; readonly body: string };
const local = "/api/v1/merchants/payments";
const home = mkdtempSync(join(tmpdir(), "payments-scenarios-"));
const child = startBinary(["sandbox", "--ephemeral", "--port", "0", "--json"], { home });
const heard: Heard[] = [];
const shop = createServer((asked, response) => {
  let body = "";
  asked.on("data", (part) => {
    body += String(part);
  });
  asked.on("end", () => {
    const headers = Object.fromEntries(Object.entries(asked.headers).map(([name, value]) => [name, String(value)]));
    heard.push({ id: JSON.parse(body).data.id, headers, body });
    response.end();
  });
});
let ready: Ready;
let callbackUrl: string;

beforeAll(async () => {
  ready = await new Promise<Ready>((resolve) => child.stdout?.once("data", (part) => resolve(JSON.parse(String(part)) as Ready)));
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  callbackUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  child.kill("SIGTERM");
  await child;
  shop.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

type Asked = { readonly key?: string; readonly scenario?: string; readonly timeoutMs?: number };
/** Rejects with `reset` where the connection is cut, and with `silence` where no answer comes in time. */
const ask = (method: string, path: string, body?: object, { key, scenario, timeoutMs = 10_000 }: Asked = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const named = { "idempotency-key": key, "x-sandbox-scenario": scenario };
    const more = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
    const headers = { authorization: `Bearer ${ready.apiKey}`, "content-type": "application/json", ...more };
    const sent = request(new URL(path, ready.baseUrl), { method, agent: false, headers }, (answer) => {
      let text = "";
      answer.on("data", (part) => {
        text += String(part);
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text), headers: answer.headers }));
    });
    const timer = setTimeout(() => sent.destroy(new Error("silence")), timeoutMs);
    sent.on("close", () => clearTimeout(timer));
    sent.on("error", (error) => reject("code" in error && error.code === "ECONNRESET" ? new Error("reset") : error));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
const bodyOf = (digits: string, reference = `S-${digits}`): object => ({ phone: `254712345${digits}`, amount: 200, reference, callbackUrl });
const push = (digits: string, asked?: Asked) => ask("POST", `${local}/stk-push`, bodyOf(digits), asked);
const payout = (digits: string, asked?: Asked) => ask("POST", `${local}/b2c`, bodyOf(digits), asked);
const later = (advanceMs: number) => ask("POST", "/_sandbox/clock", { advanceMs });
const status = async (id: string): Promise<string> => (await ask("GET", `${local}/transactions/${id}`)).body.status;
const made = async (flow: string, reference: string): Promise<readonly Body[]> =>
  (await ask("GET", `${local}/transactions?flow=${flow}&limit=100`)).body.transactions.filter((one: Body) => one.reference === reference);
const callbacksOf = (id: string, count: number): Promise<readonly Heard[]> =>
  expect
    .poll(() => heard.filter((one) => one.id === id), { interval: 20, timeout: 10_000 })
    .toHaveLength(count)
    .then(() => heard.filter((one) => one.id === id));
const typesOf = (list: readonly Heard[]): readonly string[] => list.map((one) => JSON.parse(one.body).type);

describe("scenarios over HTTP, by the phone's digits", () => {
  test("000 to 018, 036, 038, 041, 042: how each ends, for pushes and for payouts", async () => {
    const ends: Readonly<Record<string, readonly [string, string]>> = {
      "000": ["COMPLETED", "COMPLETED"],
      "009": ["COMPLETED", "COMPLETED"],
      "011": ["FAILED", "FAILED"],
      "012": ["CANCELLED", "COMPLETED"],
      "013": ["FAILED", "COMPLETED"],
      "014": ["FAILED", "COMPLETED"],
      "015": ["EXPIRED", "COMPLETED"],
      "016": ["FAILED", "COMPLETED"],
      "017": ["FAILED", "FAILED"],
      "018": ["FAILED", "FAILED"],
      "036": ["SENT", "PROCESSING"],
      "038": ["REVERSED", "REVERSED"],
      "041": ["COMPLETED", "FAILED"],
      "042": ["COMPLETED", "FAILED"],
    };
    const ids: [string, string, string][] = [];
    for (const digits of Object.keys(ends)) ids.push([digits, (await push(digits)).body.transactionId, (await payout(digits)).body.transactionId]);
    await later(130_000);
    const found = await Promise.all(ids.map(async ([digits, pushed, paid]) => [digits, [await status(pushed), await status(paid)]]));
    expect(Object.fromEntries(found)).toEqual(ends);
  });

  test("021 to 026: what a callback may do", async () => {
    const sent = await Promise.all(["021", "022", "023", "025", "026"].map(async (digits) => (await push(digits)).body.transactionId));
    const [lost, twice, late, disordered, forged] = sent as [string, string, string, string, string];
    const early = (await payout("024")).body;
    expect([early.status, typesOf(heard.filter((one) => one.id === early.transactionId))]).toEqual(["QUEUED", ["payment.completed"]]);
    await later(5_000);
    const [first, second] = await callbacksOf(twice, 2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    const [bad] = await callbacksOf(forged, 1);
    const check = (one: Heard | undefined) =>
      verifySignature({
        scheme: "standard-webhooks",
        headers: one?.headers ?? {},
        body: Buffer.from(one?.body ?? ""),
        secrets: [ready.webhookSecret],
        nowSeconds: Date.now() / 1000,
      }).valid;
    expect([check(first), check(bad)]).toEqual([true, false]);
    expect(heard.filter((one) => one.id === late)).toEqual([]);
    await later(31_000);
    await callbacksOf(late, 1);
    expect(typesOf(await callbacksOf(disordered, 2))).toEqual(["payment.completed", "payment.processing"]);
    expect([await status(lost), heard.filter((one) => one.id === lost)]).toEqual(["COMPLETED", []]);
  });

  test("027 and 028: queries that lag and contradict, three times", async () => {
    const sent = [(await push("027")).body.transactionId, (await payout("028")).body.transactionId];
    await later(10_000);
    const seen: (readonly string[])[] = [];
    for (let n = 0; n < 4; n += 1) seen.push(await Promise.all(sent.map(status)));
    expect(seen).toEqual([...Array.from({ length: 3 }, () => ["SENT", "FAILED"]), ["COMPLETED", "COMPLETED"]]);
  });

  test("031 and 032: the payment is made and no good answer comes, once a key", async () => {
    await expect(payout("031", { key: "s31" })).rejects.toThrow("reset");
    expect((await payout("032", { key: "s32" })).status).toBe(500);
    for (const digits of ["031", "032"]) {
      const again = await payout(digits, { key: `s${Number(digits)}` });
      expect([again.status, again.headers["idempotent-replayed"]]).toEqual([200, "true"]);
      expect((await made("b2c", `S-${digits}`)).map((one) => one.id)).toEqual([again.body.transactionId]);
    }
  });

  test("033 to 035: slow, too many, unavailable", async () => {
    await expect(payout("033", { key: "s33", timeoutMs: 300 })).rejects.toThrow("silence");
    expect((await payout("033", { key: "s33" })).body.code).toBe("IDEMPOTENCY_IN_PROGRESS");
    await later(45_000);
    expect((await payout("033", { key: "s33" })).status).toBe(200);
    expect(await made("b2c", "S-033")).toHaveLength(1);
    const limited: Answer[] = [];
    for (let n = 0; n < 3; n += 1) limited.push(await push("034", { key: "s34" }));
    expect(limited.map((one) => [one.status, one.headers["retry-after"]])).toEqual([
      [429, "1"],
      [429, "1"],
      [200, undefined],
    ]);
    expect([(await push("035")).body.code, await made("standard", "S-035")]).toEqual(["UNAVAILABLE", []]);
  });

  test("037 moves another amount; the header wins over the digits; what is armed strikes the next", async () => {
    const other = (await payout("037")).body.transactionId;
    const named = (await push("011", { scenario: "cancelled" })).body.transactionId;
    await ask("POST", "/_sandbox/arm", { scenario: "wrong-pin" });
    const armed = (await push("001")).body.transactionId;
    await later(5_000);
    expect((await ask("GET", `${local}/transactions/${other}`)).body).toMatchObject({ status: "COMPLETED", amount: 199 });
    expect([await status(named), await status(armed)]).toEqual(["CANCELLED", "FAILED"]);
  });
});
