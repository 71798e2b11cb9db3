import { describe, expect, test } from "vitest";
import { type Bench, type Body, bench, global, local } from "./harness.ts";

const collect = async ({ ask }: Bench, more: object = {}): Promise<string> =>
  (await ask("POST", `${global}/collections`, { rail: "UG_MOMO", msisdn: "0772345678", amount: 5000, currency: "UGX", ...more })).body.collection.reference;
const statusOf = async ({ control }: Bench, reference: string): Promise<string> => (await control("GET", `collections/${reference}`)).body.status;

describe("a collection over a PUSH rail rings like a push (service 1.5)", () => {
  test("it is among the prompts, and takes what the phone says", async () => {
    const made = await bench();
    await made.control("PUT", "settings", { autoApproveAfterMs: null });
    const made4 = [await collect(made), await collect(made), await collect(made), await collect(made)];
    const [approved = "", declined = "", wrong = "", left = ""] = made4;
    const { prompts } = (await made.control("GET", "prompts")).body;
    expect(prompts).toHaveLength(4);
    expect(prompts.find((one: Body) => one.transactionId === approved)).toMatchObject({
      kind: "collection",
      phone: "0772345678",
      amount: 5000,
      currency: "UGX",
      reference: approved,
      status: "PENDING",
    });
    for (const [reference, action] of [
      [approved, "approve"],
      [declined, "decline"],
      [wrong, "wrong-pin"],
      [left, "ignore"],
    ] as const)
      expect((await made.control("POST", `prompts/${reference}`, { action })).status).toBe(200);
    await made.wait(120_000);
    const statuses = [await statusOf(made, approved), await statusOf(made, declined), await statusOf(made, wrong), await statusOf(made, left)];
    expect(statuses).toEqual(["COMPLETED", "FAILED", "FAILED", "EXPIRED"]);
    expect((await made.control("POST", `prompts/${approved}`, { action: "decline" })).status).toBe(409);
    expect((await made.control("GET", "prompts")).body.prompts).toEqual([]);
  });
  test("it waits while somebody looks at the phone, then expires; a failing number fails by itself", async () => {
    const made = await bench();
    const leave = made.sandbox.subscribe(() => undefined, { watchesPhone: true });
    const [waits, fails] = [await collect(made), await collect(made, { msisdn: "0772345011" })];
    await made.wait(100_000);
    expect([await statusOf(made, waits), await statusOf(made, fails)]).toEqual(["PENDING", "FAILED"]);
    await made.wait(20_000);
    expect(await statusOf(made, waits)).toBe("EXPIRED");
    const soon = await collect(made);
    await made.wait(10_000);
    leave();
    await made.wait(2_000);
    expect(await statusOf(made, soon)).toBe("COMPLETED");
  });
  test("a checkout does not ring", async () => {
    const made = await bench();
    const { reference } = (await made.ask("POST", `${global}/collections`, { rail: "KE_CARD", customerEmail: "a@example.com", amount: 50, currency: "KES" }))
      .body.collection;
    expect((await made.control("GET", "prompts")).body.prompts).toEqual([]);
    expect((await made.control("POST", `prompts/${reference}`, { action: "approve" })).status).toBe(404);
  });
});

test("armed scenarios are listed, replaced and ended; each strikes one creation", async () => {
  const { control, push, wait, transaction } = await bench();
  await control("POST", "arm", { scenario: "no-funds", times: 2 });
  expect((await control("GET", "arm")).body).toEqual({ armed: ["no-funds", "no-funds"] });
  const { transactionId } = (await push({ phone: "254712345000" })).body;
  await wait(4_000);
  expect((await transaction(transactionId)).status).toBe("FAILED");
  expect((await control("GET", "arm")).body).toEqual({ armed: ["no-funds"] });
  expect((await control("PUT", "arm", ["reversed"])).body).toEqual({ armed: ["reversed"] });
  for (const list of [["odd"], {}, [null]]) expect((await control("PUT", "arm", list)).status).toBe(400);
  expect((await control("PUT", "arm", [])).body).toEqual({ armed: [] });
});

test("what belongs to one payment is found, however much came after it", async () => {
  const { control, push, wait } = await bench();
  const callbackUrl = "http://127.0.0.1:9/told";
  const { transactionId } = (await push({ callbackUrl })).body;
  for (let n = 0; n < 201; n += 1) await push({ reference: `LATER-${n}`, callbackUrl });
  await wait(5_000);
  expect((await control("GET", "deliveries")).body.deliveries.some((one: Body) => one.transactionId === transactionId)).toBe(false);
  expect((await control("GET", `deliveries?transaction=${transactionId}`)).body.deliveries).toMatchObject([{ transactionId, type: "payment.completed" }]);
  expect((await control("GET", `ledger?wallet=balance&transaction=${transactionId}`)).body).toMatchObject({
    total: 1,
    entries: [{ type: "FEE", transactionId }],
  });
});

test("scenarios say their digits and what happens", async () => {
  const { scenarios } = (await (await bench()).control("GET", "scenarios")).body;
  expect(scenarios.find((one: Body) => one.name === "no-funds")).toMatchObject({ digits: "011", for: "both", says: expect.stringContaining("no funds") });
  for (const one of scenarios) expect([one.digits, one.says]).toEqual([expect.stringMatching(/^\d{3}$/), expect.stringMatching(/\w/)]);
});

test("the statement takes chosen defects, and names them", async () => {
  const { control, push, wait } = await bench();
  for (let n = 0; n < 2; n += 1) await push({ reference: `INV-${n}`, amount: 100 + n });
  await wait(5_000);
  const rowsOf = (text: string): number => text.split("\r\n").filter((line) => line.includes(",Pay Bill Online,")).length;
  expect(rowsOf((await control("GET", "statement.csv")).text)).toBe(2);
  expect(rowsOf((await control("GET", "statement.csv?defects=duplicate")).text)).toBe(3);
  const { defects } = (await control("GET", "statement-defects?defects=reversal,missing-row")).body;
  expect(defects.map((one: Body) => one.kind).sort()).toEqual(["missing-row", "reversal"]);
  expect((await control("GET", "statement.csv?defects=odd")).status).toBe(400);
  for (const method of ["PUT", "POST"]) expect((await control(method, "statement.csv", {})).status).toBe(404);
});

test("transactions are searched by flow, status, and part of reference, phone or receipt", async () => {
  const { control, push, payout, wait } = await bench();
  for (let n = 0; n < 30; n += 1) await push({ reference: `INV-${n}`, phone: n === 7 ? "254799000011" : "254712345678" });
  await payout({ reference: "PAY-1" });
  await wait(5_000);
  const search = async (query: string): Promise<Body> => (await control("GET", `transactions?${query}`)).body;
  expect(await search("limit=5&offset=28")).toMatchObject({
    total: 31,
    transactions: [{ reference: "INV-2" }, { reference: "INV-1" }, { reference: "INV-0" }],
  });
  expect(await search("status=FAILED")).toMatchObject({ total: 1, transactions: [{ reference: "INV-7", phone: "254799000011" }] });
  expect(await search("text=799000")).toMatchObject({ total: 1 });
  expect(await search("flow=b2c&text=pay-")).toMatchObject({ total: 1 });
  const receipt: string = (await search("text=inv-12")).transactions[0].metadata.mobileMoneyReceipt;
  expect((await search(`text=${receipt.toLowerCase()}`)).transactions[0].reference).toBe("INV-12");
  // By the status that is shown, also where a scenario shows another one for a while.
  await push({ reference: "LAGS", phone: "254799000027" });
  await wait(5_000);
  expect(await search("status=SENT")).toMatchObject({ total: 1, transactions: [{ reference: "LAGS", status: "SENT" }] });
  const all = (await control("GET", "ledger?wallet=balance")).body.entries.length;
  for (const query of ["limit=-1", "limit=0.5", "limit=x", "offset=-1"])
    expect((await control("GET", `ledger?wallet=balance&${query}`)).body.entries, query).toHaveLength(all);
});

test("looking by control is struck by no fault, and uses none up", async () => {
  const { ask, control } = await bench();
  const asked = { wallet: `${local}/wallet`, "global-wallet": `${global}/wallet`, providers: `${global}/providers` };
  const plain = await Promise.all(Object.values(asked).map(async (path) => (await ask("GET", path)).body));
  await control("PUT", "faults", [{ kind: "503", path: "*", times: 1 }]);
  expect(await Promise.all(Object.keys(asked).map(async (name) => (await control("GET", name)).body))).toEqual(plain);
  expect((await ask("GET", asked.wallet)).status).toBe(503);
  expect((await control("GET", "payees")).body.payees).toMatchObject({
    UG_MOMO: { operators: ["MTN", "AIRTEL"] },
    ZA_EFT: { bankCodes: ["632005", "250655", "470010"] },
  });
});
