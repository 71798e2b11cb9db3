import { describe, expect, it } from "vitest";
import { createDecimalJudge, minorOfJsonNumber, parseAmount } from "../../src/reconcile/amounts.ts";
import { createDateReader, createDayJudge, looksLikeDate } from "../../src/reconcile/dates.ts";
import { takeBy, usualReferences } from "../../src/reconcile/narrative.ts";
import { kindOfRow, stateOfWord } from "../../src/reconcile/words.ts";

describe("amounts", () => {
  it.each([
    ["1500", ".", 150_000n],
    ["1,234.50", ".", 123_450n],
    ["KES 1,234.5", ".", 123_450n],
    ["1.234,50", ",", 123_450n],
    ["2.500", ",", 250_000n],
    ["1\u00a0500,00", ",", 150_000n],
    ["1 020 300,25", ",", 102_030_025n],
    ["(12.30)", ".", -1230n],
    ["12.30-", ".", -1230n],
    ["-11,359.00", ".", -1_135_900n],
    ["0.10", ".", 10n],
    ["7.500", ".", 750n],
    ["99999999999999999999.99", ".", 9_999_999_999_999_999_999_999n],
  ] as const)("%s with %s", (cell, decimal, minor) => expect(parseAmount(cell, decimal)).toMatchObject({ minor }));
  it.each(["n/a", "1e5", "1,23,4", "12.345", "--5", "1.2.3", "NaN"])("%s is none", (cell) => expect(parseAmount(cell, ".")).toHaveProperty("problem"));
  it("is decided by the whole column", () => {
    const evidence = (cells: readonly string[]) => {
      const judge = createDecimalJudge();
      for (const cell of cells) judge.see(cell);
      return judge.evidence();
    };
    expect(evidence(["2.500", "99,90"])).toMatchObject({ point: undefined, comma: "99,90" });
    expect(evidence(["1,500"])).toEqual({ point: undefined, comma: undefined, unclear: "1,500" });
    expect(evidence(["1,500.00"])).toMatchObject({ point: "1,500.00", comma: undefined });
    expect(evidence(["1500", "7"])).toEqual({ point: undefined, comma: undefined, unclear: undefined });
  });
  it.each([
    ["1500", 150_000n],
    ["99.9", 9990n],
    ["1e3", 100_000n],
    ["1.5E-1", 15n],
    ["0.10", 10n],
    ["-4000", -400_000n],
    ["0.001", undefined],
    ["0.0010e1", 1n],
    ["x", undefined],
  ] as const)("JSON %s", (text, minor) => expect(minorOfJsonNumber(text)).toBe(minor));
});

describe("dates", () => {
  const nairobi = createDateReader("Africa/Nairobi");
  it.each([
    ["46023.5", "2026-01-01T09:00:00Z"],
    ["46083.01", "2026-03-01T21:14:24Z"],
    ["2026-03-01T04:59:00Z", "2026-03-01T04:59:00Z"],
    ["2026-03-01 07:59", "2026-03-01T04:59:00Z"],
    ["2026-03-01T07:59:00+03:00", "2026-03-01T04:59:00Z"],
    ["02-03-2026 00:10:00", "2026-03-01T21:10:00Z"],
    ["13/02/2026", "2026-02-13"],
    ["5 Mar 2026, 9:05 pm", "2026-03-05T18:05:00Z"],
    ["March 5, 2026", "2026-03-05"],
    ["20260305091200", "2026-03-05T06:12:00Z"],
    ["31-02-2026", undefined],
    ["2026-03-01 25:00", undefined],
    ["tomorrow", undefined],
  ])("%s", (cell, at) => expect(nairobi.read(cell, "dmy")).toBe(at));
  it("R4: a serial is the wall clock of the zone, whatever this machine's is", () => {
    const before = process.env["TZ"];
    for (const zone of ["Africa/Nairobi", "Africa/Lagos", "UTC"]) {
      process.env["TZ"] = zone;
      expect(createDateReader("Africa/Nairobi").read("46023.5", "dmy")).toBe("2026-01-01T09:00:00Z");
    }
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
    expect(createDateReader("Africa/Lagos").read("46023.5", "dmy")).toBe("2026-01-01T11:00:00Z");
    expect(createDateReader("Europe/Berlin").read("2026-07-01 12:00", "dmy")).toBe("2026-07-01T10:00:00Z");
  });
  it("R3: one date of the column decides for all", () => {
    const judge = createDayJudge();
    for (const cell of ["03/02/2026", "13/02/2026"]) judge.see(cell);
    expect(judge.evidence()).toMatchObject({ dmy: "13/02/2026", mdy: undefined });
    expect(nairobi.read("03/02/2026", "dmy")).toBe("2026-02-03");
    expect(nairobi.read("03/02/2026", "mdy")).toBe("2026-03-02");
  });
  it("knows the day in the zone", () => expect(nairobi.dayOf("2026-03-01T21:10:00Z")).toBe("2026-03-02"));
  it.each([
    ["INV-1001", false],
    ["1500", false],
    ["0712345678", false],
    ["46023.5", true],
  ])("%s looks like a date: %s", (cell, is) => expect(looksLikeDate(cell)).toBe(is));
});

describe("words", () => {
  it.each([
    ["Paid", "paid", true],
    ["unpaid", "open", true],
    ["pending", "open", true],
    ["Cancelled", "unpaid", true],
    ["refunded", "unpaid", true],
    ["shipped", "open", false],
    ["", "open", false],
  ])("%s", (word, state, recognised) => expect(stateOfWord(word)).toEqual({ state, recognised }));
  it.each([
    ["processor_declined", "unpaid", true],
    ["Payment completed", "paid", true],
    ["Payment sent", "open", false],
    ["Refund failed", "open", false],
  ])("%s, in a column of statuses", (word, state, recognised) =>
    expect(stateOfWord(word, { kind: "orders", heading: "Transaction Status" })).toEqual({ state, recognised }),
  );
  it.each([
    ["Open Balance", "0.00", "paid"],
    ["Remaining Amount", "KES 800.00", "open"],
    ["Balance due", "1,200.50", "open"],
    ["Balance due", "(20.00)", "open"],
    ["Due?", "Paid", "paid"],
  ])("what is left of an order says its state: %s %s", (heading, cell, state) =>
    expect(stateOfWord(cell, { kind: "orders", heading })).toEqual({ state, recognised: true }),
  );
  const kind = (type: string, details: string, amountMinor: bigint) => kindOfRow({ type, details, amountMinor, linked: "" });
  it("payers' names decide nothing", () => {
    expect(kind("Pay Utility", "Pay Bill from 2547***003 - TOTAL STORES C", 100n)).toBe("payment");
    expect(kind("", "Pay Bill from 2547***003 - BANK CHARGES LTD Acc. 1", 100n)).toBe("payment");
    expect(kind("", "Pay Bill from 2547***003 - SETTLEMENT LTD Acc. 1", 100n)).toBe("payment");
    expect(kind("", "Business Payment to Customer Charge", -900n)).toBe("charge");
    for (const details of ["MOBILE BANKING CHG", "CHRG: NEFT TXN INCL GST", "COMMISSIONI SU BONIFICO"]) expect(kind("", details, -900n)).toBe("charge");
    expect(kind("", "Payment to EXCHANGE LTD", -900n)).toBe("payout");
    expect(kind("", "Organization Settlement from 600000", -900n)).toBe("internal");
    expect(kind("Business Payment to Customer via API", "Business Payment to 2547***007", -900n)).toBe("payout");
    expect(kind("Reversal", "Reversal of UC1A0000A2", -900n)).toBe("reversal");
  });
  it("takes the account from the end of the details", () => {
    expect(takeBy(usualReferences, "Pay Bill from 2547***001 - CUSTOMER A, LTD Acc. INV 1")).toBe("INV 1");
    expect(takeBy(usualReferences, "Organization Settlement")).toBeUndefined();
  });
});
