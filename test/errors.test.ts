import { expect, test } from "vitest";
import { CliError, type ErrorDetails } from "../src/errors.ts";

const full: Required<ErrorDetails> = {
  hint: "do this",
  command: ["tx", "list"],
  cause: new Error("why"),
  status: 503,
  code: "BUSY",
  retryable: false,
  sent: "yes",
  retryAfterMs: 7_000,
  idempotencyKey: "key-1",
  journalId: "journal-1",
  lines: ["one", "two"],
};
const detailsOf = (error: CliError): Record<string, unknown> => {
  const { name, stack, kind, message, ...details } = error;
  return { ...details, cause: error.cause };
};

test("a copy of an error keeps every detail, and takes what is given anew", () => {
  const copy = new CliError("unavailable", "Busy.", full).with({ status: 502, message: "Very busy." });
  expect([copy.kind, copy.message, detailsOf(copy)]).toEqual(["unavailable", "Very busy.", { ...full, status: 502 }]);
});

test("a command belongs to its hint", () => {
  const error = new CliError("unavailable", "Busy.", full);
  expect(error.with({ hint: "do that" })).toMatchObject({ hint: "do that", command: undefined });
  expect(error.with({ hint: "do that", command: ["doctor"] })).toMatchObject({ hint: "do that", command: ["doctor"] });
});

test("as another kind it keeps the details, and what may have been sent follows the kind", () => {
  const copy = new CliError("unavailable", "Busy.", { ...full, sent: "no" }).with({ kind: "outcome-unknown" });
  expect(detailsOf(copy)).toEqual({ ...full, sent: "unknown", retryable: true });
  expect(new CliError("unavailable", "Busy.").with({ kind: "rejected", sent: "yes" })).toMatchObject({ sent: "yes", retryable: false });
});
