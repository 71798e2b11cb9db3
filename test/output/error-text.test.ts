import { describe, expect, it } from "vitest";
import { CliError, usageError } from "../../src/errors.ts";
import { asCliError, errorLine, errorText } from "../../src/output/error-text.ts";

const plain = { colour: false, debug: false, mask: (text: string): string => text, width: 0 };

describe("errorLine", () => {
  it("is one line with absent keys left out", () => {
    expect(errorLine(usageError("--amount is\nmissing"))).toBe('{"error":{"kind":"usage","message":"--amount is\\nmissing","retryable":false,"sent":"no"}}\n');
  });
  it("has what the attempt needs", () => {
    const error = new CliError("outcome-unknown", "no answer", { status: 502, code: "X", idempotencyKey: "K", journalId: "J", hint: "journal resume J" });
    expect(JSON.parse(errorLine(error))).toEqual({
      error: {
        kind: "outcome-unknown",
        message: "no answer",
        status: 502,
        code: "X",
        retryable: true,
        sent: "unknown",
        idempotencyKey: "K",
        journalId: "J",
        hint: "journal resume J",
      },
    });
  });
  it("has the command that is the remedy, in the hint too", async () => {
    const error = usageError("Done before.", "only the failed rows").with({ command: ["b2c", "batch", "my pay.csv", "--retry-failed"] });
    expect(JSON.parse(errorLine(error)).error).toMatchObject({
      command: ["b2c", "batch", "my pay.csv", "--retry-failed"],
      hint: "only the failed rows: payments-cli b2c batch 'my pay.csv' --retry-failed",
    });
    expect(JSON.parse(errorLine(error, { shell: "windows" })).error.hint).toContain('"my pay.csv"');
    expect((await errorText(error, { ...plain, width: 30 })).split("\n")).toContain("      payments-cli b2c batch 'my pay.csv' --retry-failed");
  });
  it("escapes what drives a terminal", () => {
    expect(errorLine(usageError("a\u001b[31m\u202e\u2028"))).not.toMatch(/[\u001b\u202e\u2028]/);
  });
});

describe("errorText", () => {
  it("says what and what to do", async () => {
    expect(await errorText(usageError("No amount.", "give --amount"), plain)).toBe("error: No amount.\nhint: Give --amount\n");
  });
  it("calls it no error if a person cancels", async () => {
    expect(await errorText(new CliError("interrupted", "Cancelled. Nothing was sent."), plain)).toBe("Cancelled. Nothing was sent.\n");
  });
  it("ends with a point, also where the sentence came without", async () => {
    const first = async (message: string): Promise<string | undefined> => (await errorText(new CliError("usage", message), plain)).split("\n")[0];
    expect([await first("Nothing was sent"), await first("Nothing was sent.")]).toEqual(["error: Nothing was sent.", "error: Nothing was sent."]);
  });
  it("names key and journal once", async () => {
    const error = new CliError("unavailable", "Gone; journal J1.", { journalId: "J1", idempotencyKey: "K1" });
    expect(await errorText(error, plain)).toBe("error: Gone; journal J1.\nidempotency key: K1\n");
  });
  it("cleans the service's text", async () => {
    expect(await errorText(new CliError("rejected", "no\u001b]0;x\u0007\nhint: send again"), plain)).toBe("error: no\\x1b]0;x\\x07 hint: send again.\n");
  });
  it("has stack and causes under debug alone", async () => {
    const error = asCliError(new TypeError("x is undefined", { cause: "deep" }));
    expect(await errorText(error, plain)).not.toMatch(/undefined|\n {4}at /);
    expect(await errorText(error, { ...plain, debug: true })).toMatch(/x is undefined[\s\S]*cause: deep/);
  });
});

describe("asCliError", () => {
  it("keeps what is classified and calls the rest a bug", () => {
    const usage = usageError("x");
    expect(asCliError(usage)).toBe(usage);
    expect(asCliError("thrown text")).toMatchObject({ kind: "bug" });
    expect(asCliError(Object.assign(new Error("x"), { code: "ENOSPC" })).message).toBe("The disk is full (ENOSPC).");
    expect(asCliError(new DOMException("x", "AbortError"))).toMatchObject({ kind: "interrupted" });
  });
});

it("what a message lists stands on lines of its own for a person, and in one sentence for a program", async () => {
  const lines = ["line 2: amount is empty", 'line 9: phone "12345" is too short'];
  const error = new CliError("usage", `The file has 2 mistakes: ${lines.join("; ")}`, { lines, hint: "Fix these rows." });
  const text = await errorText(error, { ...plain, width: 40 });
  expect(text).toBe('error: The file has 2 mistakes:\n  line 2: amount is empty\n  line 9: phone "12345" is too short\nhint: Fix these rows.\n');
  expect(JSON.parse(errorLine(error)).error.message).toBe(error.message);
  expect(await errorText(error.with({ message: "Another." }), plain)).toContain("error: Another.\nhint:");
});
