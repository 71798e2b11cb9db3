import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { rails } from "../../src/sandbox/engine/rails.ts";
import { createHome } from "../support/ends.ts";
import { type Body, bench, global, local } from "./harness.ts";

test("the rails are those of cases/rails.json", () => {
  expect(rails).toEqual(JSON.parse(readFileSync("test/cases/rails.json", "utf8")));
});

test("a body of unknown fields is refused in few words", async () => {
  const { push } = await bench();
  const { status, text, body } = await push(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`${"long".repeat(50)}${n}`, n])));
  expect(status).toBe(400);
  expect(text.length).toBeLessThan(400);
  expect(body.message).toMatch(/^longlong[^,]*…, .*\b4997\b/);
  expect((await push({ colour: 1 })).body).toMatchObject({ code: "VALIDATION", field: "colour" });
});

describe("idempotency", () => {
  test("a key with another body is 422; the body is compared by meaning", async () => {
    const { push, ask } = await bench();
    const first = await push({}, { idempotencyKey: "k" });
    expect((await push({ amount: 151 }, { idempotencyKey: "k" })).body).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    const again = await ask("POST", `${local}/stk-push`, undefined, {
      idempotencyKey: "k",
      text: '{ "reference":"INV-1",\n"amount": 1.50e2, "phone":"254712345678"}',
    });
    expect(again.text).toBe(first.text);
  });
  test("it is scoped by path, and kept for 24 hours", async () => {
    const { push, payout, ask, clock } = await bench();
    const first = await push({}, { idempotencyKey: "k" });
    expect((await payout({}, { idempotencyKey: "k" })).status).toBe(200);
    expect((await ask("GET", `${local}/transactions?flow=all`)).body.total).toBe(2);
    clock.nowMs += 86_400_000 - 1;
    expect((await push({}, { idempotencyKey: "k" })).text).toBe(first.text);
    clock.nowMs += 1;
    expect((await push({}, { idempotencyKey: "k" })).text).not.toBe(first.text);
  });
  test("400 and 402 are not kept; a kept key answers before 402 and 429", async () => {
    const { push, control, wallet } = await bench();
    expect((await push({ amount: 0 }, { idempotencyKey: "a" })).status).toBe(400);
    const first = await push({}, { idempotencyKey: "a" });
    expect(first.status).toBe(200);
    const { balance } = await wallet();
    await control("POST", "topup", { wallet: "balance", amount: -balance });
    expect((await push({}, { idempotencyKey: "b" })).status).toBe(402);
    expect((await push({}, { idempotencyKey: "a" })).text).toBe(first.text);
    await control("POST", "topup", { wallet: "balance", amount: 1000 });
    expect((await push({}, { idempotencyKey: "b" })).status).toBe(200);
    await control("PUT", "faults", [{ kind: "429" }]);
    expect((await push({}, { idempotencyKey: "c" })).status).toBe(429);
    expect((await push({}, { idempotencyKey: "a" })).text).toBe(first.text);
  });
  test.each(["", "x".repeat(256), "with space", "é"])("the key %j is refused", async (idempotencyKey) => {
    const { push } = await bench();
    expect((await push({}, { idempotencyKey })).body).toMatchObject({ code: "VALIDATION", field: "Idempotency-Key" });
  });
});

describe("faults", () => {
  const path = `${local}/stk-push`;
  test.each([
    ["reset-before", "reset-before", 0],
    ["503", "answered 503", 0],
    ["429", "answered 429", 0],
    ["html-502", "answered 502", 0],
    ["reset-after", "reset-after", 1],
    ["500-after", "answered 500", 1],
    ["truncate", "truncate", 1],
    ["hang", "hang", 1],
    ["slow", "answered 200", 1],
  ])("%s", async (kind, what, made) => {
    const { drop, control, ask } = await bench();
    await control("PUT", "faults", [{ method: "POST", path, kind, times: 1 }]);
    const body = { phone: "254712345678", amount: 150, reference: "F" };
    expect(await drop("POST", path, body)).toBe(what);
    expect((await ask("GET", `${local}/transactions`)).body.total).toBe(made);
    expect(await drop("POST", path, body)).toBe("answered 200");
  });
  test("a standing fault cuts replays too (reports H6)", async () => {
    const { drop, control, ask } = await bench();
    await control("PUT", "faults", [{ method: "POST", path: `${local}/b2c`, kind: "reset-after" }]);
    const body = { phone: "254712345678", amount: 150, reference: "H6" };
    for (let n = 0; n < 3; n += 1) expect(await drop("POST", `${local}/b2c`, body, { idempotencyKey: "k" })).toBe("reset-after");
    await control("PUT", "faults", []);
    expect((await ask("POST", `${local}/b2c`, body, { idempotencyKey: "k" })).status).toBe(200);
    expect((await ask("GET", `${local}/transactions?flow=b2c`)).body.total).toBe(1);
  });
  test("insert-between-pages lets a row arrive after each page", async () => {
    const { push, control, ask } = await bench();
    for (let n = 0; n < 3; n += 1) await push();
    await control("PUT", "faults", [{ method: "GET", path: `${local}/transactions`, kind: "insert-between-pages", times: 2 }]);
    const totals: number[] = [];
    for (let n = 0; n < 4; n += 1) totals.push((await ask("GET", `${local}/transactions`)).body.total);
    expect(totals).toEqual([3, 4, 5, 5]);
  });
  test("insert-between-pages is used up by pages alone, and one that cannot be paid for does not arrive", async () => {
    const { push, control, ask, wallet } = await bench();
    await control("PUT", "faults", [{ kind: "insert-between-pages", path: "*", times: 2 }]);
    for (let n = 0; n < 3; n += 1) expect((await push()).status).toBe(200);
    const { balance } = (await control("GET", "wallet")).body.wallet;
    await control("POST", "topup", { wallet: "balance", amount: -balance });
    const page = async () => (await ask("GET", `${local}/transactions`)).body.total;
    expect(await page()).toBe(3);
    await control("POST", "topup", { wallet: "balance", amount: 1000 });
    expect([await page(), await page()]).toEqual([3, 4]);
    expect((await wallet()).balance).toBe(1000);
  });
  test("a fault that is none is refused", async () => {
    const { control } = await bench();
    for (const list of [[{ kind: "odd" }], [{}], {}, [{ kind: "503", times: 0 }], [null]]) expect((await control("PUT", "faults", list)).status).toBe(400);
  });
});

describe("control", () => {
  test("approval by hand: a prompt waits, then takes what the phone says, or expires", async () => {
    const { push, control, wait, transaction } = await bench();
    await control("PUT", "settings", { autoApproveAfterMs: null });
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await push()).body.transactionId);
    await wait(60_000);
    const [approved = "", declined = "", wrong = "", left = ""] = ids;
    expect((await transaction(approved)).status).toBe("SENT");
    await control("POST", `prompts/${approved}`, { action: "approve" });
    await control("POST", `prompts/${declined}`, { action: "decline" });
    await control("POST", `prompts/${wrong}`, { action: "wrong-pin" });
    await wait(60_000);
    const statuses: string[] = [];
    for (const id of [approved, declined, wrong, left]) statuses.push((await transaction(id)).status);
    expect(statuses).toEqual(["COMPLETED", "CANCELLED", "FAILED", "EXPIRED"]);
    expect((await control("POST", `prompts/${approved}`, { action: "decline" })).status).toBe(409);
    expect((await control("POST", `prompts/${left}`, { action: "dance" })).status).toBe(400);
    expect((await control("POST", "prompts/nope", { action: "approve" })).status).toBe(404);
  });
  test.each([
    [119_999, "COMPLETED", "COMPLETED"],
    [120_000, "EXPIRED", "EXPIRED"],
    [600_000, "EXPIRED", "EXPIRED"],
  ])("a prompt that would approve itself after %d ms ends %s within its two minutes, a push and a collection alike", async (ms, pushed, collected) => {
    const { ask, push, control, wait, transaction } = await bench();
    await control("PUT", "settings", { autoApproveAfterMs: ms });
    const { transactionId } = (await push()).body;
    const ordered = (await push({ phone: "254712345011" })).body.transactionId;
    await ask("POST", `${global}/collections`, { rail: "UG_MOMO", msisdn: "0772000678", amount: 5000, currency: "UGX" });
    await wait(120_000);
    expect((await transaction(transactionId)).status).toBe(pushed);
    expect((await transaction(ordered)).status).toBe("FAILED");
    expect((await control("GET", "collections")).body.collections[0].status).toBe(collected);
  });
  test("a PIN does not pay what the scenario of the phone ends unpaid", async () => {
    const { push, control } = await bench();
    const { transactionId } = (await push({ phone: "254712345011" })).body;
    expect((await control("POST", `prompts/${transactionId}`, { action: "approve" })).body).toMatchObject({
      status: "FAILED",
      metadata: { failureReason: "The balance is insufficient for the transaction." },
    });
  });
  test("a prompt whose end comes while the dashboard is closed has expired, and is not paid", async () => {
    const { push, sandbox, wait, transaction } = await bench();
    const leave = sandbox.subscribe(() => undefined, { watchesPhone: true });
    const { transactionId } = (await push()).body;
    await wait(119_500);
    leave();
    await wait(1_000);
    expect(await transaction(transactionId)).toMatchObject({ status: "EXPIRED" });
  });
  test("a crypto payment rings on no phone", async () => {
    const { control } = await bench();
    const { timeline, status } = (await control("POST", "crypto", { asset: "USDT", amount: 25 })).body;
    expect([timeline.map((step: Body) => step.status), status]).toEqual([["PENDING", "COMPLETED"], "COMPLETED"]);
  });
  test("while a dashboard is open prompts wait for the phone", async () => {
    const { push, sandbox, wait, transaction } = await bench();
    const leave = sandbox.subscribe(() => undefined, { watchesPhone: true });
    const { transactionId } = (await push()).body;
    await wait(30_000);
    expect((await transaction(transactionId)).status).toBe("SENT");
    leave();
    await wait(2_000);
    expect((await transaction(transactionId)).status).toBe("COMPLETED");
  });
  test("the clock moves, and what falls due on the way happens in order", async () => {
    const { push, control, transaction } = await bench();
    const { transactionId } = (await push({ phone: "254712345038" })).body;
    await control("POST", "clock", { advanceMs: 3_600_000 });
    expect((await transaction(transactionId)).status).toBe("REVERSED");
    const { timeline } = (await control("GET", `transactions/${transactionId}`)).body;
    expect(timeline.map((one: Body) => one.status)).toEqual(["SENT", "COMPLETED", "REVERSED"]);
    expect(Date.parse(timeline[1].at) - Date.parse(timeline[0].at)).toBe(3_000);
    expect((await control("GET", "clock")).body.now).toBe("2026-03-01T09:00:00.000Z");
  });
  test("what fell due while nobody looked is posted in the order it fell due, whatever it is", async () => {
    const { push, payout, ask, control, clock } = await bench();
    const far = (more: object) => ask("POST", `${global}/disbursements`, { rail: "KE_MPESA", channel: "MOBILE_MONEY", operator: "MPESA", ...more });
    for (let n = 0; n < 3; n += 1) {
      await push();
      await payout({ phone: "254712345038" });
      await ask("POST", `${global}/collections`, { rail: "KE_MPESA", msisdn: "0712345678", amount: 500, currency: "KES" });
      clock.nowMs += 400;
      await far({ payeeMsisdn: "0712345678", amount: 100, currency: "KES" });
    }
    await control("POST", "clock", { advanceMs: 3_600_000 });
    for (const wallet of ["balance", "b2c", "b2cHeld", "global"]) {
      const times = (await control("GET", `ledger?wallet=${wallet}`)).body.entries.map((entry: Body) => entry.createdAt);
      expect(times.length, wallet).toBeGreaterThan(5);
      expect(times, wallet).toEqual([...times].sort().reverse());
    }
  });
  test("reset starts afresh, key and secret stay", async () => {
    const { push, control, ask, wallet } = await bench();
    const before = await wallet();
    await push();
    await control("POST", "topup", { wallet: "balance", amount: 5 });
    expect((await control("POST", "reset", {})).status).toBe(200);
    expect((await ask("GET", `${local}/transactions?flow=all`)).body).toEqual({ transactions: [], total: 0 });
    expect(await wallet()).toEqual(before);
  });
  test("topups are checked", async () => {
    const { control } = await bench();
    for (const body of [
      { wallet: "odd", amount: 1 },
      { wallet: "b2c" },
      { wallet: "b2c", amount: "5" },
      { wallet: "b2c", amount: 0.001 },
      { wallet: "global", amount: -1e9 },
    ])
      expect((await control("POST", "topup", body)).status).toBe(400);
  });
  test("requests are logged without the key, newest first", async () => {
    const { push, control, sandbox } = await bench();
    await push({ reference: "LOG-1" }, { idempotencyKey: "k" });
    const { requests } = (await control("GET", "requests")).body;
    expect(requests[0]).toMatchObject({ method: "POST", path: `${local}/stk-push`, status: 200, idempotencyKey: "k", body: expect.stringContaining("LOG-1") });
    expect(JSON.stringify(requests)).not.toContain(sandbox.apiKey);
  });
  test("the same seed and calls give the same answers", async () => {
    const play = async (): Promise<readonly string[]> => {
      const { push, payout, ask, wait, sandbox } = await bench({ seed: 42 });
      const texts = [sandbox.apiKey, sandbox.webhookSecret, (await push()).text, (await payout()).text];
      await wait(5_000);
      return [...texts, (await ask("GET", `${local}/wallet`)).text, (await ask("GET", `${local}/nope`)).text];
    };
    expect(await play()).toEqual(await play());
  });
  test("the pace of the calls changes nothing of it: neither ids nor receipts", async () => {
    const play = async (paceMs: number): Promise<readonly string[]> => {
      const { push, payout, ask, control, wait } = await bench({ seed: 42 });
      const texts: string[] = [];
      const card = { rail: "KE_CARD", customerEmail: "a@example.com", amount: 100, currency: "KES" };
      for (const call of [push, payout, () => ask("POST", `${global}/collections`, card), () => control("POST", "topup", { wallet: "b2c", amount: 5 }), push]) {
        texts.push((await call()).text);
        await wait(paceMs);
      }
      texts.push((await control("POST", "keys", { scopes: ["wallet:read"] })).text);
      await wait(10_000);
      const { transactions } = (await control("GET", "transactions")).body;
      return [...texts, ...transactions.map((one: Body) => `${one.id} ${one.providerRef} ${one.metadata.mobileMoneyReceipt}`)];
    };
    expect(await play(1_500)).toEqual(await play(0));
  });
  test("what was answered is there when it is opened again", async () => {
    const data = createHome();
    const first = await bench({ data });
    const { transactionId } = (await first.push({}, { idempotencyKey: "k" })).body;
    await first.sandbox.close();
    const second = await bench({ data, seed: 99 });
    expect(second.sandbox.apiKey).toBe(first.sandbox.apiKey);
    expect((await second.transaction(transactionId)).status).toBe("SENT");
    expect((await second.push({}, { idempotencyKey: "k" })).body.transactionId).toBe(transactionId);
  });
  test("collections and disbursements of a failing number fail", async () => {
    const { ask, wait, control } = await bench();
    await ask("POST", `${global}/collections`, { rail: "UG_MOMO", msisdn: "0772000011", amount: 5000, currency: "UGX" });
    await ask("POST", `${global}/disbursements`, {
      rail: "UG_MOMO",
      channel: "MOBILE_MONEY",
      operator: "mtn",
      payeeMsisdn: "0772000041",
      amount: 5000,
      currency: "UGX",
    });
    await wait(5_000);
    expect((await control("GET", "collections")).body.collections[0].status).toBe("FAILED");
    expect((await control("GET", "disbursements")).body.disbursements[0].status).toBe("FAILED");
  });
});

describe("the provider's statement", () => {
  const play = async () => {
    const made = await bench();
    for (let n = 0; n < 6; n += 1) {
      await made.push({ reference: `INV-${n}`, amount: 100 + n });
      made.clock.nowMs += 4_000;
    }
    await made.payout({ reference: "PAY, 1" });
    await made.push({ phone: "254712345011", reference: "NEVER" });
    await made.wait(10_000);
    return made;
  };
  const linesOf = (text: string): readonly string[] =>
    text
      .replace(/^\ufeff/, "")
      .trimEnd()
      .split("\r\n");
  test("has the layout of the mini case", async () => {
    const { control } = await play();
    const mini = linesOf(readFileSync("test/cases/reconcile/mini/statement.csv", "utf8"));
    const made = await control("GET", "statement.csv");
    expect(made.text.startsWith("\ufeff")).toBe(true);
    const lines = linesOf(made.text);
    expect(lines[6]).toBe(mini[6]);
    for (const at of [0, 1, 2, 3, 4]) expect(lines[at]?.split(",")[0]).toBe(mini[at]?.split(",")[0]);
    const records = lines.slice(7, -1);
    expect(records).toHaveLength(8);
    expect(records.at(-1)).toMatch(
      /^[A-Z0-9]{10},01-03-2026 11:00:03,01-03-2026 11:00:00,Pay Bill from 2547\*\*\*678 - CUSTOMER 678 Acc\. INV-0,Completed,100\.00,,/,
    );
    expect(records.filter((line) => line.endsWith('"PAY, 1"'))).toHaveLength(2);
    expect(lines.at(-1)).toContain("Totals");
    expect((await control("GET", "statement.csv?day=2026-02-28")).text).not.toContain("INV-0");
    expect((await control("GET", "statement.csv?day=1.3.2026")).status).toBe(400);
  });
  test("with defects it lacks a row, has a wrong amount, a duplicate, a failed attempt and a reversal, and says which", async () => {
    const { control } = await play();
    const plain = linesOf((await control("GET", "statement.csv")).text);
    const wrong = linesOf((await control("GET", "statement.csv?defects=1")).text);
    const { defects } = (await control("GET", "statement-defects")).body;
    expect(defects.map((one: Body) => one.kind)).toEqual(["missing-row", "wrong-amount", "duplicate", "failed-attempt", "reversal"]);
    expect(wrong.length).toBe(plain.length - 1 + 1 + 1 + 1);
    const [missing, , twice] = defects;
    expect(wrong.some((line) => line.startsWith(missing.receipt))).toBe(false);
    expect(wrong.filter((line) => line.startsWith(twice.receipt))).toHaveLength(2);
    expect(wrong.filter((line) => line.includes(",Failed,"))).toHaveLength(1);
    expect(wrong.filter((line) => line.includes(",Reversal,"))).toHaveLength(1);
  });
  test("a statement of one row keeps it with all defects, and loses it if only that is asked for", async () => {
    const { push, wait, control } = await bench();
    await push({ reference: "INV-1", amount: 100 });
    await wait(10_000);
    const rows = async (query: string) => linesOf((await control("GET", `statement.csv${query}`)).text).filter((line) => line.includes("INV-1")).length;
    expect([await rows(""), await rows("?defects=1"), await rows("?defects=missing-row")]).toEqual([1, 1, 0]);
    expect((await control("GET", "statement-defects")).body.defects).toMatchObject([{ kind: "wrong-amount", reference: "INV-1" }]);
  });
});
