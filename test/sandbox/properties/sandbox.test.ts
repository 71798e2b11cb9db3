import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { routes } from "../../../src/service/contract/routes.ts";
import { type Bench, type Body, bench, global, local } from "../harness.ts";

const creations = Object.values(routes).filter((route) => route.effect === "creates-payment");

describe("whatever is sent", () => {
  test("arbitrary JSON, text and paths never give 500", async () => {
    const { ask, sandbox } = await bench();
    const field = fc.constantFrom(
      "phone",
      "amount",
      "reference",
      "rail",
      "msisdn",
      "currency",
      "channel",
      "callbackUrl",
      "customerEmail",
      "__proto__",
      "constructor",
    );
    const almost = fc.dictionary(field, fc.oneof(fc.jsonValue(), fc.constantFrom("254712345678", "UG_MOMO", "UGX", 150, 1e308, -0, "x".repeat(400), "\u0000")));
    const text = fc.oneof(
      fc.json(),
      fc.string(),
      almost.map((value) => JSON.stringify(value)),
      fc.integer({ min: 1, max: 9_000 }).map((depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`),
    );
    const control = ["reset", "topup", "prompts/x", "faults", "settings", "keys", "crypto", "arm", "collections/GC-1"].map((name) => `/_sandbox/${name}`);
    const path = fc.oneof(
      fc.constantFrom(...creations.map((route) => route.path), ...control),
      fc.string().map((rest) => `/${rest}`),
      fc.string().map((rest) => `${local}/transactions?limit=${rest}&offset=${rest}`),
      fc.string().map((rest) => `${local}/transactions/${rest}`),
    );
    const header = fc.option(fc.string(), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD"), path, text, header, header, async (method, target, body, key, scenario) => {
        // A fault that was put up on purpose may well answer with 500.
        if (method === "PUT" && target.includes("faults")) return;
        const headers = { authorization: `Bearer ${sandbox.apiKey}`, "idempotency-key": key, "x-sandbox-scenario": scenario };
        const answer = await sandbox.handle({ method, path: target, headers, body });
        if ("drop" in answer) return;
        expect(answer.status).not.toBe(500);
        if (answer.status >= 400 && answer.status !== 502)
          expect(JSON.parse(String(answer.body))).toMatchObject({
            success: false,
            code: expect.any(String),
            message: expect.any(String),
            requestId: expect.any(String),
          });
      }),
      { numRuns: 400 },
    );
    expect((await ask("GET", `${local}/wallet`)).status).toBe(200);
  });
});

type Move =
  | { readonly kind: "push" | "payout" | "collect" | "withdraw"; readonly digits: string; readonly amount: number; readonly key: number }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "topup"; readonly wallet: string; readonly amount: number };
const digits = fc.constantFrom("000", "011", "012", "015", "018", "024", "027", "028", "031", "034", "036", "037", "038", "041", "678");
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("push", "payout", "collect", "withdraw"),
    digits,
    amount: fc.integer({ min: 500, max: 120_000 }),
    key: fc.integer({ min: 0, max: 30 }),
  }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 60_000 }) }),
  fc.record({ kind: fc.constant("topup" as const), wallet: fc.constantFrom("balance", "b2c", "global"), amount: fc.integer({ min: -900_000, max: 900_000 }) }),
);

const send = async (made: Bench, one: Move, seen: Map<string, string>): Promise<void> => {
  if (one.kind === "wait") return await made.wait(one.ms);
  if (one.kind === "topup") {
    await made.control("POST", "topup", { wallet: one.wallet, amount: one.amount });
    return;
  }
  const phone = `254712345${one.digits}`;
  const momo = { rail: "KE_MPESA", currency: "KES", amount: one.amount };
  const [path, body] = {
    push: [`${local}/stk-push`, { phone, amount: one.amount, reference: "R" }],
    payout: [`${local}/b2c`, { phone, amount: one.amount, reference: "R" }],
    collect: [`${global}/collections`, { ...momo, msisdn: `0712345${one.digits}` }],
    withdraw: [`${global}/disbursements`, { ...momo, channel: "MOBILE_MONEY", operator: "MPESA", payeeMsisdn: `0712345${one.digits}` }],
  }[one.kind] as [string, object];
  // One key always goes with one body: each answer to it must be the same payment.
  const key = `${one.key}-${JSON.stringify(body)}`.replace(/[^\x21-\x7e]/g, "").slice(0, 200);
  const answer = await made.sandbox.handle({
    method: "POST",
    path,
    headers: { authorization: `Bearer ${made.sandbox.apiKey}`, "idempotency-key": key },
    body: JSON.stringify(body),
  });
  if ("drop" in answer || answer.status !== 200) return;
  const before = seen.get(path + key);
  if (before !== undefined) expect(answer.body).toBe(before);
  seen.set(path + key, String(answer.body));
};

const cents = (value: number): number => Math.round(value * 100);
const sumOf = (entries: readonly Body[]): number => entries.reduce((sum, entry) => sum + cents(entry.amount), 0);

const checkBooks = async (made: Bench): Promise<void> => {
  const ledger = async (name: string): Promise<readonly Body[]> => (await made.control("GET", `ledger?wallet=${name}`)).body.entries;
  const wallet = await made.wallet();
  expect(cents(wallet.balance)).toBe(sumOf(await ledger("balance")));
  expect(cents(wallet.b2cBalance)).toBe(sumOf(await ledger("b2c")));
  expect(cents(wallet.b2cHeldBalance)).toBe(-sumOf(await ledger("b2cHeld")) + 0);
  expect(cents(wallet.b2cHeldBalance)).toBe(sumOf(wallet.b2cHolds));
  expect(cents(wallet.b2cAvailableBalance)).toBe(cents(wallet.b2cBalance) - cents(wallet.b2cHeldBalance));
  const far = (await made.ask("GET", `${global}/wallet`)).body.wallet;
  expect(cents(far.availableBalance)).toBe(sumOf(await ledger("global")));
  expect(cents(far.heldBalance)).toBe(-sumOf(await ledger("globalHeld")) + 0);
  // What was charged follows from what completed.
  const all: readonly Body[] = (await made.ask("GET", `${local}/transactions?flow=b2c&limit=100`)).body.transactions;
  const stats = (await made.ask("GET", `${local}/stats/b2c`)).body.stats;
  expect(stats.count).toBeGreaterThanOrEqual(all.filter((one) => one.status === "COMPLETED").length);
};

describe("whatever happens", () => {
  test("every balance equals its ledger, and one key has one effect", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 60 }), async (moves) => {
        const made = await bench();
        const seen = new Map<string, string>();
        for (const one of moves) await send(made, one, seen);
        await checkBooks(made);
        await made.wait(3_600_000);
        await checkBooks(made);
      }),
      { numRuns: 40 },
    );
  });
});
