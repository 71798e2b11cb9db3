import { describe, expect, test } from "vitest";
import { type Body, bench, global } from "../../sandbox/harness.ts";
import { bank, collection, momo, redirect } from "./bodies.ts";

describe("service 4: the global endpoints", () => {
  test("service 4.8a, 4.8b, 4.8e: PUSH takes msisdn, REDIRECT customerEmail instead, with an authorizationUrl", async () => {
    const { ask } = await bench();
    expect((await ask("POST", `${global}/collections`, { ...collection, customerEmail: "a@example.com" })).body.field).toBe("customerEmail");
    expect((await ask("POST", `${global}/collections`, { ...redirect, msisdn: "0700000001" })).body.field).toBe("msisdn");
    expect((await ask("POST", `${global}/collections`, collection)).body.authorizationUrl).toBeUndefined();
    expect((await ask("POST", `${global}/collections`, redirect)).body.authorizationUrl).toMatch(/^http:\/\/.*\/checkout\/GC-/);
  });
  test("service 4.9b, 4.9c: the rail must disburse, the channel be one of its own, operator and bank known", async () => {
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
  test("service 4.9a: disbursements come from available Global Wallet funds", async () => {
    const { ask, control } = await bench();
    const { availableBalance } = (await ask("GET", `${global}/wallet`)).body.wallet;
    await control("POST", "topup", { wallet: "global", amount: 549 - availableBalance });
    expect((await ask("POST", `${global}/disbursements`, bank)).body).toMatchObject({ code: "PAYMENT_REQUIRED" });
  });
  test("service 4.11, assumed: an unknown base is refused", async () => {
    const { ask } = await bench();
    expect((await ask("GET", `${global}/fx/rates?base=XYZ`)).body.field).toBe("base");
    expect((await ask("GET", `${global}/fx/rates`)).body.rates.base).toBe("USD");
  });
  test("service 4.7a: the rails, each live or said not to be; one that is not live takes nothing", async () => {
    const { ask } = await bench();
    const { body } = await ask("GET", `${global}/providers`);
    expect(Object.keys(body)).toEqual(["success", "providers"]);
    const dead = body.providers.find((one: Body) => !one.live);
    const asked = { ...collection, rail: dead.rail, currency: dead.currencies[0] };
    expect((await ask("POST", `${global}/collections`, asked)).body).toMatchObject({ code: "VALIDATION", field: "rail" });
  });
  test("service 4.8b: a REDIRECT rail wants customerEmail, a PUSH rail msisdn", async () => {
    const { ask } = await bench();
    const { customerEmail: _email, ...noEmail } = redirect;
    const { msisdn: _msisdn, ...noMsisdn } = collection;
    expect((await ask("POST", `${global}/collections`, noEmail)).body.field).toBe("customerEmail");
    expect((await ask("POST", `${global}/collections`, noMsisdn)).body.field).toBe("msisdn");
  });
  test("service 4.8c, 4.8d: description and callbackReturnUrl are taken; success, message and collection come", async () => {
    const { ask } = await bench();
    const { body } = await ask("POST", `${global}/collections`, { ...collection, description: "Shoes" });
    expect(body).toEqual({ success: true, message: expect.any(String), collection: expect.any(Object) });
    expect((await ask("POST", `${global}/collections`, { ...redirect, callbackReturnUrl: "javascript:alert(1)" })).body.field).toBe("callbackReturnUrl");
  });
  test.each([
    ["MOBILE_MONEY", momo, ["operator", "payeeMsisdn"], { bankCode: "01" }],
    ["BANK", bank, ["bankCode", "accountNumber", "accountName"], { payeeMsisdn: "0772000001" }],
  ])("service 4.9d, 4.9e: %s takes its own fields, all of them, and no other's", async (_, body, wanted, foreign) => {
    const { ask } = await bench();
    for (const field of wanted) {
      const { [field]: _left, ...rest } = body as Record<string, unknown>;
      expect((await ask("POST", `${global}/disbursements`, rest)).body).toMatchObject({ code: "VALIDATION", field });
    }
    expect((await ask("POST", `${global}/disbursements`, { ...body, ...foreign })).body.field).toBe(Object.keys(foreign)[0]);
  });
  test("service 4.9f: success, message and disbursement come", async () => {
    const { ask } = await bench();
    const { body } = await ask("POST", `${global}/disbursements`, bank);
    expect(body).toEqual({ success: true, message: expect.any(String), disbursement: expect.any(Object) });
  });
  test("service 4.10a, 4.11a: wallet and rates come in an envelope", async () => {
    const { ask } = await bench();
    expect(Object.keys((await ask("GET", `${global}/wallet`)).body)).toEqual(["success", "wallet"]);
    expect(Object.keys((await ask("GET", `${global}/fx/rates?base=KES`)).body)).toEqual(["success", "rates"]);
  });
});
