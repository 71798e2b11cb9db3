import { describe, expect, it } from "vitest";
import { compareDecimals, multiplyDecimals, readAmount, toDecimal, toFixedText } from "../../src/money/money.ts";
import { payoutAmountProblem, pushAmountProblem, toBody } from "../../src/payments/creation.ts";
import { offerReference, readReference } from "../../src/payments/reference.ts";

describe("amounts", () => {
  it("keeps the digits and the currency's decimals", () => {
    expect(readAmount("150.50", "KES")).toEqual({ amount: { text: "150.5", minor: 15_050n } });
    expect(readAmount("007", "KES")).toEqual({ amount: { text: "7", minor: 700n } });
    expect(readAmount("5000", "UGX")).toEqual({ amount: { text: "5000", minor: 5000n } });
  });
  it("takes a code that Intl does not know, with two decimals: which ones there are is the service's to say", () => {
    for (const code of ["ABC", "USDT"]) expect(readAmount("10.5", code)).toEqual({ amount: { text: "10.5", minor: 1050n } });
  });
  for (const [text, currency, why] of [
    ["1,500", "KES", "commas"],
    ["1e3", "KES", "scientific"],
    ["-5", "KES", "positive"],
    ["0", "KES", "positive"],
    ["0.00", "KES", "positive"],
    ["NaN", "KES", "digits"],
    ["", "KES", "empty"],
    [".5", "KES", "digits"],
    ["5.", "KES", "digits"],
    ["0x10", "KES", "digits"],
    ["Infinity", "KES", "digits"],
    ["10.555", "KES", "decimals"],
    ["10.5", "UGX", "no decimals"],
    ["10.555", "ABC", "at most 2 decimals"],
    ["10", "", "currency"],
    ["10", "K S", "currency"],
    ["99999999999999999999", "KES", "too large"],
  ] as const) {
    it(`${JSON.stringify(text)} ${currency} is refused: ${why}`, () =>
      expect(readAmount(text, currency)).toMatchObject({ problem: expect.stringContaining(why) }));
  }
  it("has the bounds of pushes and payouts", () => {
    expect(pushAmountProblem("10.50")).toContain("whole shillings");
    expect(pushAmountProblem("10")).toBeUndefined();
    expect(["9", "10", "150000", "150000.01", "150001"].map((text) => payoutAmountProblem(text) === undefined)).toEqual([false, true, true, false, false]);
    expect(payoutAmountProblem("9")).toMatch(/10 to 150,000/);
  });
  it("writes a body with the amount as a number, and nothing for what was not given", () => {
    const read = readAmount("150.50", "KES");
    expect("amount" in read && toBody({ phone: "254712345678", amount: read.amount, reference: "R", description: undefined, callbackUrl: "" })).toBe(
      '{"phone":"254712345678","amount":150.5,"reference":"R"}',
    );
  });
});

describe("exact decimals", () => {
  const decimal = (text: string) => toDecimal(text) ?? { digits: 0n, scale: 0 };
  it("compares and multiplies without floats", () => {
    expect(compareDecimals(decimal("0.1"), decimal("0.10"))).toBe(0);
    expect(compareDecimals(decimal("1e6"), decimal("999999.99"))).toBe(1);
    expect(toFixedText(multiplyDecimals(decimal("1.005"), decimal("100")), 2)).toBe("100.50");
    expect(toFixedText(decimal("2.675"), 2)).toBe("2.68");
    expect(toFixedText(decimal("0.004"), 2)).toBe("0.00");
    expect(toFixedText(decimal("12950"), 0)).toBe("12950");
    expect(toDecimal("abc")).toBeUndefined();
  });
});

describe("references", () => {
  it("trims, refuses control characters, offers one", () => {
    expect(readReference("  INV-1 ")).toEqual({ reference: "INV-1" });
    expect(readReference(" ")).toHaveProperty("problem");
    expect(readReference("A\nB")).toHaveProperty("problem");
    expect(offerReference("STK", "2026-11-28", new Uint8Array([1, 2, 3, 4]))).toMatch(/^STK-20261128-[2-9A-Z]{4}$/);
  });
});
