import { expect, test } from "vitest";
import { accountLine, askTypedAmount, isSameAmount } from "../../src/payments/consent.ts";

test.each(["100000", "100,000", "100000.00", "100,000.00", "KES 100,000.00", " kes100000 "])("%j is the amount 100000", (typed) => {
  expect(isSameAmount(typed, "100000", "KES")).toBe(true);
});

test("a currency without decimals may be typed with some", () => {
  expect([isSameAmount("100,000.00", "100000", "UGX"), isSameAmount("100000.50", "100000", "UGX")]).toEqual([true, false]);
});

test.each(["", "10,0000", "100.000", "1,00,000", "100000.01", "100001", "-100000", "yes", "USD 100000"])("%j is not the amount 100000", (typed) => {
  expect(isSameAmount(typed, "100000", "KES")).toBe(false);
});

const asker = (answer: string, faults: (string | undefined)[] = []) => ({
  text: async ({ check }: { readonly check?: (text: string) => string | undefined }) => {
    faults.push(...["", "abc", "50 00", "no", "7"].map((text) => check?.(text)), check?.(answer));
    return answer;
  },
});

test("what is no amount is asked again, the right amount goes on, and another one and no cancel", async () => {
  const faults: (string | undefined)[] = [];
  await askTypedAmount(["Withdraw"], { amount: "5000", currency: "UGX", what: "amount" }, asker("5,000", faults));
  expect(faults.map((fault) => fault === undefined)).toEqual([false, false, false, true, true, true]);
  for (const answer of ["no", "500"]) {
    const cancelled = askTypedAmount([], { amount: "5000", currency: "UGX", what: "amount" }, asker(answer));
    await expect(cancelled).rejects.toMatchObject({ kind: "interrupted", sent: "no" });
  }
});

test("real money is marked on every question", () => {
  expect(accountLine({ profile: "shop", mode: "live", baseUrl: "https://pay.example" })).toContain("REAL MONEY (live)");
  expect(accountLine({ profile: "shop", mode: "sandbox", baseUrl: "https://pay.example" })).not.toContain("live");
});
