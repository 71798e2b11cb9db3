import { expect, test } from "vitest";
import { toGuardText } from "../../src/payments/guard-key.ts";
import { classifyStatus, isRecognisedStatus } from "../../src/transactions/status.ts";

test.each([
  ["SENT QUEUED PENDING PROCESSING", "open", "open"],
  ["COMPLETED SUCCESS SUCCEEDED SUCCESSFUL PAID SETTLED", "paid", "paid"],
  ["FAILED CANCELLED CANCELED DECLINED REJECTED REVERSED UNSUCCESSFUL", "unpaid", "unpaid"],
  ["EXPIRED TIMEOUT ABANDONED", "unpaid", "open"],
] as const)("%s", (words, moneyIn, moneyOut) => {
  for (const word of words.split(" ")) {
    for (const status of [word, word.toLowerCase(), `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`]) {
      expect([status, classifyStatus(status, "in"), classifyStatus(status, "out")]).toEqual([status, moneyIn, moneyOut]);
      expect(isRecognisedStatus(status, "in")).toBe(true);
    }
  }
});

test.each(["", "NOT_PAID", "PARTIALLY PAID", "UNPAID", "COMPLETED ", "COMPLETED_WITH_ERRORS", "constructor"])("%j is open and not recognised", (status) => {
  expect([classifyStatus(status, "in"), isRecognisedStatus(status, "in")]).toEqual(["open", false]);
});
test("what may still arrive at a payee is not recognised as an end", () => {
  expect([classifyStatus("EXPIRED", "unknown"), isRecognisedStatus("EXPIRED", "out")]).toEqual(["open", false]);
});

test("likeness", () => {
  const parts = { operation: "b2c", payee: "254700000001", reference: "R", amount: "100", currency: "KES" } as const;
  const global = { ...parts, operation: "withdraw", rail: "KE" } as const;
  const alike = (a: Parameters<typeof toGuardText>[0], b: Parameters<typeof toGuardText>[0]): boolean => toGuardText(a) === toGuardText(b);
  expect(alike(parts, { ...parts, reference: " R\n", amount: "7" })).toBe(true);
  expect(alike(parts, { ...parts, reference: "r" })).toBe(false);
  expect(alike(parts, { ...parts, operation: "stk" })).toBe(false);
  expect(alike(global, { ...global, amount: "100.00", reference: "other" })).toBe(true);
  expect(alike(global, { ...global, amount: "100.01" })).toBe(false);
  expect(alike(global, { ...global, rail: "UG" })).toBe(false);
});
