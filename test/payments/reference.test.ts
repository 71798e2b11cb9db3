import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toGuardText } from "../../src/payments/guard-key.ts";
import { lookAlikeOf, readReference } from "../../src/payments/reference.ts";
import { legitimate, lookAlikes, unseen } from "../support/references.ts";

describe("a reference", () => {
  it.each(legitimate)("of any script goes through as it is: %s", (reference) => {
    expect(readReference(reference)).toEqual({ reference });
  });

  it.each(unseen)("with an unseen character is refused, with its place: %s", (code) => {
    const character = String.fromCodePoint(Number.parseInt(code.slice(2), 16));
    const read = readReference(`🫖V${character}-1`);
    expect(read).toEqual({ problem: expect.stringContaining(`(${code}) at position 3`) });
  });

  it.each([
    "a\u200cb",
    "INV-1\ufe0f",
    "🫖\u200d",
    "🫖\u200d\u200d🔥",
    "1\u200d🔥",
    "❤\ufe0f\ufe0f",
    "日\u200b本",
    "می\u200c\u200cروم",
    "1\ufe0f",
    "\u{1f3f4}\u{e0067}",
  ])("with a joiner, selector or tag that belongs to no sign is refused: %j", (reference) => {
    expect(readReference(reference)).toHaveProperty("problem");
  });

  it.each(['"PAY-61"', "'PAY-61'", "“PAY-61”", "‘PAY 61’", "„PAY-61“", '"'.repeat(2)])("in quotes is refused: %s", (reference) => {
    expect(readReference(reference)).toEqual({ problem: expect.stringContaining("quotes") });
  });

  it("of printable ASCII is compared as it is: attempts that were made before are still found", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 1 }), (reference) => {
        expect(lookAlikeOf(reference)).toBe(reference);
      }),
    );
  });

  it.each(["\u2057", "\u2034\u2057", "\u0410\u0301"])("is compared by a text that is its own look-alike: %j", (reference) => {
    expect(lookAlikeOf(lookAlikeOf(reference))).toBe(lookAlikeOf(reference));
  });

  it("is compared by a text that is its own look-alike, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (reference) => {
        expect(lookAlikeOf(lookAlikeOf(reference))).toBe(lookAlikeOf(reference));
      }),
    );
  });
});

describe("the duplicate guard", () => {
  const payout = { operation: "b2c", payee: "254712345678", amount: "100", currency: "KES" } as const;

  it.each(lookAlikes)("takes %j and %j for one reference", (one, other) => {
    expect(toGuardText({ ...payout, reference: one })).toBe(toGuardText({ ...payout, reference: other }));
    expect(one).not.toBe(other);
  });

  it.each([
    ["INV-1", "inv-1"],
    ["INV-1", "INV-10"],
    ["INV-1", "INV1"],
    ["007", "7"],
    ["A B", "AB"],
    ["chai 🫖", "chai ☕"],
    ["مرحبا", "مرحب"],
  ])("keeps %j and %j apart", (one, other) => {
    expect(toGuardText({ ...payout, reference: one })).not.toBe(toGuardText({ ...payout, reference: other }));
  });

  const bank = { operation: "withdraw", rail: "KE_BANK", amount: "500", currency: "KES", reference: "" } as const;
  const guarded = (payee: string): string => toGuardText({ ...bank, payee: `KE_BANK/BANK/${payee}` });
  it.each([
    "01/0012 345678",
    "01/0012-345-678",
    " 01 /0012345678 ",
    "01/0012\u2013345678",
    "01/0012\u00a0345678",
    "０１/００１２３４５６７８",
    "01/0012.345.678",
  ])("takes the account %j for 01/0012345678", (account) => {
    expect(guarded(account)).toBe(guarded("01/0012345678"));
  });
  it("takes a bank code in any letter case for the same, and a leading zero for another account", () => {
    expect(guarded("kcb/1")).toBe(guarded("KCB/1"));
    expect(guarded("01/012345678")).not.toBe(guarded("01/0012345678"));
    expect(guarded("011/2")).not.toBe(guarded("01/12"));
  });
  it("takes a payer's address in any letter case for the same", () => {
    const collect = { operation: "collect", rail: "KE_CARD", amount: "5", currency: "KES", reference: "" } as const;
    expect(toGuardText({ ...collect, payee: "Payer@Example.com" })).toBe(toGuardText({ ...collect, payee: "payer@example.com" }));
  });
});
