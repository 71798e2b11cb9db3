import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDecimalJudge, parseAmount } from "../../src/reconcile/amounts.ts";
import { currencyOfWord } from "../../src/reconcile/currency-words.ts";

describe("an amount as people write it", () => {
  it.each([
    ["1,500.00 CR", { minor: 150_000n, direction: "credit" }],
    ["950.00CR", { minor: 95_000n, direction: "credit" }],
    ["1500 Dr", { minor: 150_000n, direction: "debit" }],
    ["Dr. 1,500", { minor: 150_000n, direction: "debit" }],
    ["KES 1,500.00 Cr.", { minor: 150_000n, currency: "KES", direction: "credit" }],
    ["KES. 1,500", { minor: 150_000n, currency: "KES" }],
    ["Kshs. 1,500/=", { minor: 150_000n, currency: "KES" }],
    ["Ksh.1,500/-", { minor: 150_000n, currency: "KES" }],
    ["KSh\u00a02350.5/=", { minor: 235_050n, currency: "KES" }],
    ["K.Sh 450.00", { minor: 45_000n, currency: "KES" }],
    ["Kenya Shillings 20", { minor: 2000n, currency: "KES" }],
    ["Sh 999", { minor: 99_900n }],
    ["1500/=", { minor: 150_000n }],
    ["UGX 5,000", { minor: 500_000n, currency: "UGX" }],
    ["5,000 Ushs", { minor: 500_000n, currency: "UGX" }],
    ["20.00 usd", { minor: 2000n, currency: "USD" }],
    ["$20", { minor: 2000n, currency: "USD" }],
    ["US$ 20", { minor: 2000n, currency: "USD" }],
    ["₦1,500", { minor: 150_000n, currency: "NGN" }],
    ["1'500.00", { minor: 150_000n }],
    ["1’500.00", { minor: 150_000n }],
    ["1,50,000.00", { minor: 15_000_000n }],
    ["12,34,567", { minor: 123_456_700n }],
    ["1\u00a0500.25", { minor: 150_025n }],
    ["1\u2009500", { minor: 150_000n }],
    ["1\u202f500", { minor: 150_000n }],
    ["\u200e1,500\ufeff", { minor: 150_000n }],
    ["(1,500.00)", { minor: -150_000n }],
    ["KES (1,500.00)", { minor: -150_000n, currency: "KES" }],
    ["(KES 1,500.00)", { minor: -150_000n, currency: "KES" }],
    ["\u22121,500.00", { minor: -150_000n }],
    ["–1,500.00", { minor: -150_000n }],
    ["1,500.00-", { minor: -150_000n }],
    ["KES -1,500.00", { minor: -150_000n, currency: "KES" }],
    ["-KES 1,500.00", { minor: -150_000n, currency: "KES" }],
    ["+1,500", { minor: 150_000n }],
    ["'1500", { minor: 150_000n }],
    ['="1500.00"', { minor: 150_000n }],
    [".50", { minor: 50n }],
    ["1500.", { minor: 150_000n }],
  ] as const)("%s", (cell, amount) => expect(parseAmount(cell, ".")).toEqual(amount));

  it.each(["", " ", "-", "--", "–", "—", "\u2212", "\u00a0", "KES -", "'", '=""'])("%j is no amount", (cell) => expect(parseAmount(cell, ".")).toBeUndefined());

  it.each([
    "1e3",
    "1.5E+3",
    "2.5E-1",
    "300 bob",
    "n/a",
    "one",
    "1,23,4",
    "1,2345",
    "--5",
    "(-5)",
    "-5-",
    "(5",
    "5)",
    "1'500.-",
    "500 1,500",
    "KES 100 UGX",
    "5 CR DR",
    "=1+1",
    '="1"+"2"',
    "12:30",
    "50%",
    "9".repeat(101),
  ])("%s is refused", (cell) => expect(parseAmount(cell, ".")).toHaveProperty("problem"));
});

it("R2-24: a column of whole thousands says itself what its commas are; 1,500 alone says nothing", () => {
  const evidence = (...cells: readonly string[]) => {
    const judge = createDecimalJudge();
    for (const cell of cells) judge.see(cell);
    return judge.evidence();
  };
  expect(evidence("1,500", "2,355")).toMatchObject({ point: "2,355", comma: undefined });
  expect(evidence("1,500", "12,750")).toEqual({ point: undefined, comma: undefined, unclear: "1,500" });
  expect(evidence("1,50,000")).toMatchObject({ point: "1,50,000", comma: undefined });
  expect(evidence("Kshs. 1,500.00 CR")).toMatchObject({ point: "Kshs. 1,500.00 CR" });
  expect(evidence("2.355")).toMatchObject({ unclear: "2.355" });
});

it.each([
  ["Ksh.", "KES"],
  ["KES.", "KES"],
  ["kes", "KES"],
  ["Kenya Shillings", "KES"],
  ["K.Sh", "KES"],
  ["Tshs", "TZS"],
  ["UGX", "UGX"],
  ["RWF", "RWF"],
  ["GH₵", "GHS"],
  ["Sh", ""],
  ["/=", ""],
  ["UGX-MTNMM", "UGX"],
  ["KES-1500", undefined],
  ["bob", undefined],
  ["", undefined],
  ["INV", undefined],
] as const)("R2-32: the word %j names the currency %j", (word, code) => expect(currencyOfWord(word)).toBe(code));

describe("what is written is read back, by whatever form", () => {
  const grouped = (digits: string, mark: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, mark);
  const forms: readonly ((whole: string, fraction: string) => readonly [text: string, decimal: "." | ","])[] = [
    (whole, fraction) => [`${whole}.${fraction}`, "."],
    (whole, fraction) => [`${grouped(whole, ",")}.${fraction}`, "."],
    (whole, fraction) => [`${grouped(whole, "\u00a0")}.${fraction}`, "."],
    (whole, fraction) => [`${grouped(whole, "'")}.${fraction}`, "."],
    (whole, fraction) => [`${grouped(whole, ".")},${fraction}`, ","],
    (whole, fraction) => [`${grouped(whole, "\u202f")},${fraction}`, ","],
  ];
  const around = ["#", "KES #", "Kshs. #/=", "#/-", "# CR", "'#", '="#"', " #\u00a0"];
  it("positive and negative", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 14n }),
        fc.constantFrom(...forms),
        fc.constantFrom(...around),
        fc.constantFrom("#", "-#", "(#)", "\u2212#", "#-"),
        (minor, form, words, sign) => {
          const [text, decimal] = form(String(minor / 100n), String(minor % 100n).padStart(2, "0"));
          const read = parseAmount(words.replace("#", sign.replace("#", text)), decimal);
          expect(read).toMatchObject({ minor: sign === "#" ? minor : -minor });
        },
      ),
    );
  });
  it("a mark that was decided reads every cell of its column, or refuses it", () => {
    const piece = fc.constantFrom("0", "1", "5", "00", "500", ".", ",", " ", "-", "(", ")", "KES", "CR", "/=", "'", "e");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 7 }).map((parts) => parts.join("")),
        (cell) => {
          const judge = createDecimalJudge();
          judge.see(cell);
          const { point, comma } = judge.evidence();
          const [asPoint, asComma] = [parseAmount(cell, "."), parseAmount(cell, ",")];
          const differ = asPoint !== undefined && asComma !== undefined && "minor" in asPoint && "minor" in asComma && asPoint.minor !== asComma.minor;
          // Where the two readings differ, the cell alone decides nothing, or decides for one of them.
          if (differ) expect([point, comma].filter((proof) => proof !== undefined).length).toBeLessThan(2);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
