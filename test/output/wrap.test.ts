import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wrapText } from "../../src/output/wrap.ts";

describe("wrapText", () => {
  it("breaks at words, under the text's own second column", () => {
    expect(wrapText("  stk   Send a push prompt to a customer's phone", { width: 32 })).toBe("  stk   Send a push prompt to a\n        customer's phone");
    expect(wrapText("Nothing was sent to it at all", { width: 20 })).toBe("Nothing was sent to\nit at all");
  });
  it("puts the second column on a line below where there is no room beside the first", () => {
    const line = "      --reference TEXT       Your reference, such as an invoice number";
    expect(wrapText(line, { width: 40 })).toBe("      --reference TEXT\n        Your reference, such as an\n        invoice number");
  });
  it.each([
    ["Settle it with: payments-cli journal resume X --sandbox; --allow-duplicate sends it", "payments-cli journal resume X --sandbox;"],
    ["Log in with: payments-cli login --name shop    or try --sandbox", "payments-cli login --name shop"],
    ["  $ payments-cli stk --phone 0712345678 --amount 150", "$ payments-cli stk --phone 0712345678 --amount 150"],
    ["Is it running there? `payments-cli doctor --sandbox` looks", "`payments-cli doctor --sandbox`"],
    ["The payer pays at https://pay.example.com/checkout/0123456789 now", "https://pay.example.com/checkout/0123456789"],
  ])("keeps what is to be pasted in one line: %s", (text, whole) => {
    expect(wrapText(text, { width: 24 }).split("\n")).toContainEqual(expect.stringContaining(whole));
  });
  it("changes nothing off a terminal, and never more than white space", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "pay", " ", "  ", "\n", "payments-cli ", "; ", "`", "山", "$ ") }), fc.nat(60), (text, width) => {
        expect(wrapText(text, { width: 0 })).toBe(text);
        expect(wrapText(text, { width: Number.POSITIVE_INFINITY })).toBe(text);
        expect(wrapText(text, { width }).replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      }),
    );
  });
});
