import { expect, test } from "vitest";
import { CliError, type ErrorKind, exitCodes } from "../../src/errors.ts";
import { failedRow } from "../../src/payments/batch/run-batch.ts";

const kinds = Object.keys(exitCodes) as ErrorKind[];
const refusals: readonly ErrorKind[] = ["rejected", "not-found"];
const beforeSending: readonly ErrorKind[] = ["auth", "payment-required", "unavailable", "config", "usage", "interrupted", "duplicate", "approval-required"];

test.each(kinds)("a row that fails with %s is refused only where the service refused it, and not sent only where nothing left", (kind) => {
  const { result } = failedRow(1, new CliError(kind, "Something."), false);
  expect(result.state).toBe(refusals.includes(kind) ? "refused" : beforeSending.includes(kind) ? "notSent" : "unknown");
});

test.each(kinds)("a row that fails with %s is unknown where its payment may exist", (kind) => {
  expect(failedRow(1, new CliError(kind, "Something.", { sent: "unknown" }), false).result.state).toBe("unknown");
  expect(failedRow(1, new CliError(kind, "Something.", { sent: "yes" }), false).result.state).toBe("unknown");
});

test.each(beforeSending)("a row that was open stays unknown when settling it fails with %s", (kind) => {
  expect(failedRow(1, new CliError(kind, "Something."), true).result.state).toBe("unknown");
});

test("a 429 that stays is not sent, and stops the run", () => {
  const { result, stop } = failedRow(1, new CliError("rejected", "Slow down.", { status: 429 }), false);
  expect([result.state, stop?.status]).toEqual(["notSent", 429]);
});
