import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber, isObject, type Json } from "../../src/json/exact-json.ts";
import type { View } from "../../src/outcome.ts";
import { renderOutcome } from "../../src/output/render.ts";
import { globalWalletView, localWalletView, statsView } from "../../src/output/views/balances.ts";
import { awaitedView, createdView } from "../../src/output/views/created.ts";
import { railsView } from "../../src/output/views/rails.ts";
import { ratesView } from "../../src/output/views/rates.ts";
import { transactionColumns, transactionView } from "../../src/output/views/transaction.ts";
import { findRail, railAmountProblem, toRail, unusable } from "../../src/payments/rails.ts";

const made = { operation: "b2c", reference: "R", payee: "254712345678", amount: "100", currency: "KES" } as const;
const flags = { sandbox: false };

/** Names that the views look at, with whatever a service may put there. */
const names = [
  "id",
  "transactionId",
  "reference",
  "amount",
  "currency",
  "status",
  "metadata",
  "wallet",
  "balance",
  "b2cHolds",
  "transactions",
  "pricingQuote",
  "rates",
  "base",
];
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((each) => each as Json),
  fc.constantFrom<Json>(new ExactNumber("1e400"), new ExactNumber("12345678901234567890"), "\u001b[2J\u202e", "", "COMPLETED", -0.5, [null, 3, {}], {
    receipt: null,
    mReceipt: "Q",
  }),
);
const body: fc.Arbitrary<Json> = fc.oneof(
  value,
  fc.dictionary(fc.constantFrom(...names, "collection", "disbursement", "capabilities", "currencies", "conversion"), value),
);

const viewsOf = (json: Json): readonly View[] => [
  createdView(made, json, flags),
  createdView({ ...made, operation: "collect" }, json, flags),
  createdView({ ...made, operation: "withdraw" }, json, flags),
  awaitedView({ ...made, operation: "stk" }, flags),
  transactionView("unknown", "KES"),
  localWalletView(json),
  globalWalletView(json),
  statsView,
  railsView,
  ratesView,
  { kind: "table", columns: transactionColumns({ direction: "unknown", rows: [json] }), empty: "" },
];

describe("views", () => {
  it("show whatever the service answers, and never fail: a payment may have been made by then", async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(20, 80, Number.POSITIVE_INFINITY), async (json, width) => {
        for (const view of viewsOf(json)) {
          let text = "";
          await renderOutcome(
            { rows: [json], view },
            {
              format: "table",
              colour: false,
              style: { zone: "Africa/Nairobi", nowMs: 0, width },
              write: async (chunk) => {
                text += String(chunk);
              },
            },
          );
          expect(/[\u001b\u202e]/.test(text)).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });
});

const row = {
  rail: "X",
  country: "UG",
  currencies: ["UGX"],
  collectionFlow: "PUSH",
  minAmount: 500,
  maxAmount: 5000000,
  live: true,
  capabilities: { collect: true, disburse: true, disbursementChannels: ["MOBILE_MONEY"] },
};
const railOf = (changes: Readonly<Record<string, Json>>) => toRail({ ...row, ...changes }) ?? expect.fail("no rail");

describe("rails", () => {
  it("bounds are compared exactly, however the number is written", () => {
    const rail = railOf({ currencies: ["KES"], minAmount: new ExactNumber("0.10"), maxAmount: new ExactNumber("1e3") });
    expect(["0.09", "0.1", "1000", "1000.01"].map((text) => railAmountProblem(rail, text, "KES") === undefined)).toEqual([false, true, true, false]);
  });
  it("a bound that is not given bounds nothing", () => {
    expect(railAmountProblem(railOf({ minAmount: null, maxAmount: "many" }), "1", "UGX")).toBeUndefined();
  });
  it("what is missing or odd is not offered", () => {
    expect(unusable(railOf({ live: "yes" }), "collect")).toContain("not live");
    expect(unusable(railOf({ capabilities: null }), "withdraw")).toContain("does not");
    expect(unusable(railOf({ collectionFlow: 7 }), "collect")).toContain("7");
    expect(unusable(railOf({ capabilities: { disburse: true, disbursementChannels: ["CARRIER_PIGEON"] } }), "withdraw")).toContain("CARRIER_PIGEON");
    expect(toRail({ rail: "" })).toBeUndefined();
  });
  it("whatever a row holds, reading it never fails", () => {
    fc.assert(
      fc.property(body, (json) => {
        const rail = toRail(isObject(json) ? { rail: "R", ...json } : json);
        if (rail === undefined) return;
        expect(typeof unusable(rail, "collect")).toMatch(/string|undefined/);
        railAmountProblem(rail, "10", "KES");
      }),
    );
  });
  it("a code is found in any case of letters, its own spelling first", () => {
    const rails = [railOf({ rail: "x" }), railOf({ rail: "X" })];
    expect(findRail(rails, "X", "collect").code).toBe("X");
    expect(findRail([railOf({ rail: "Abc" })], "ABC", "collect").code).toBe("Abc");
  });
});
