import { expect, test } from "vitest";
import { failureReasonOf } from "../../src/transactions/fields.ts";

test.each([
  ["a field of the transaction", { failureReason: "Not registered", metadata: { reason: "another" } }, "Not registered"],
  ["a field of the metadata", { status: "FAILED", metadata: { resultDesc: " Not registered " } }, "Not registered"],
  ["the more telling of two fields", { metadata: { message: "Failed", resultDesc: "Limit", reason: "Not registered" } }, "Not registered"],
  ["a message, for want of better", { metadata: { message: "Not registered", reason: "" } }, "Not registered"],
])("a payment's failure is explained by %s", (_, transaction, reason) => {
  expect(failureReasonOf(transaction)).toBe(reason);
});

test.each([undefined, null, "FAILED", { status: "FAILED", metadata: null }, { reason: 1032 }])("%j explains nothing", (transaction) => {
  expect(failureReasonOf(transaction)).toBeUndefined();
});
