import { describe, expect, it } from "vitest";
import { pairEntries } from "../../src/reconcile/pair.ts";
import { findParts } from "../../src/reconcile/parts.ts";
import { provePayouts } from "../../src/reconcile/payout-list.ts";
import { receiptKey } from "../../src/reconcile/receipts.ts";
import { compareSides, differenceOf, payoutsNotAskedFor } from "../../src/reconcile/reconcile.ts";
import { emptyRecord, type FileRecord, type Side, type SideKind } from "../../src/reconcile/record.ts";
import { createTransactionTimes } from "../../src/reconcile/transaction-times.ts";

type Row = Partial<FileRecord>;
const side = (kind: SideKind, ...rows: readonly Row[]): Side => ({
  kind,
  records: rows.map(
    (row, index): FileRecord => ({ ...emptyRecord, state: "paid", ...(kind === "service" ? { id: `t${index + 1}` } : { line: index + 2 }), ...row }),
  ),
});
const orders = (...rows: readonly Row[]): Side => side("orders", ...rows);
const service = (...rows: readonly Row[]): Side => side("service", ...rows);

describe("receipts", () => {
  it.each([
    ["uc1a0000a1", "UC1A0000A1"],
    [" UC1A 0000\u00a0A2 ", "UC1A0000A2"],
    ["ＵＣ１", "UC1"],
    ["SFGHXTRKLA", "SFGHXTRKLA"],
    ["QGH-7", "QGH-7"],
  ])("%s is %s", (receipt, key) => expect(receiptKey(receipt)).toBe(key));
  it.each(["N/A", "n/a", "-", "–", "", " ", "CASH", "none", "nil", "0", "0000", "TBC", "x", "Not available", undefined])("%s is no receipt", (receipt) =>
    expect(receiptKey(receipt)).toBeUndefined(),
  );
});

describe("when a transaction happened", () => {
  const timeOf = createTransactionTimes("Africa/Nairobi");
  it.each([
    [{ createdAt: "2026-03-01T09:00:00.123Z" }, "2026-03-01T09:00:00Z"],
    [{ metadata: { completedAt: "2026-03-02T00:10:00+03:00" }, createdAt: "2026-03-01T09:00:00Z" }, "2026-03-01T21:10:00Z"],
    [{ updatedAt: "2026-03-09T00:00:00Z", metadata: { initiated_at: "2026-03-01T09:00:00Z" } }, "2026-03-01T09:00:00Z"],
    [{ updated_at: "2026-03-09T00:00:00Z" }, "2026-03-09T00:00:00Z"],
    [{ metadata: { TransTime: "20260301091200" } }, "2026-03-01T06:12:00Z"],
    [{ metadata: { TransTime: 20260301091200 } }, "2026-03-01T06:12:00Z"],
    [{ timestamp: 1772355600 }, "2026-03-01T09:00:00Z"],
    [{ paidOn: 1772355600000 }, "2026-03-01T09:00:00Z"],
    [{ date: "2026-03-01" }, "2026-03-01"],
    [{ date: "2026-03-01 23:59" }, "2026-03-01T20:59:00Z"],
    [{ expiresAt: "2026-03-01T09:00:00Z", metadata: { nextRetryTime: "2026-03-01T09:00:00Z" } }, undefined],
    [{ reference: "2026-03-01", amount: 46082, metadata: { mobileMoneyReceipt: "UC1", format: "46082" } }, undefined],
    [{ times: 46082, lifetime: 3600, createdAt: "soon", datum: null }, undefined],
  ])("%j at %s", (transaction, at) => expect(timeOf(transaction)).toBe(at));
});

describe("payments that together make an order", () => {
  const partsOf = (order: bigint, ...payments: readonly bigint[]) => {
    const ours = orders({ reference: "A", amountMinor: order });
    const theirs = service(...payments.map((amountMinor): Row => ({ reference: "A", amountMinor })));
    return [...findParts(pairEntries(ours.records, theirs.records)).keys()].map(({ amountMinor }) => amountMinor).sort();
  };
  it.each([
    [300n, [150n, 150n], [150n, 150n]],
    [300n, [100n, 100n, 100n], [100n, 100n, 100n]],
    [300n, [150n, 150n, 150n], [150n, 150n]],
    [300n, [120n, 150n, 180n], [120n, 180n]],
    [300n, [150n, 149n], []],
    [300n, [300n, 300n], []],
    [300n, [400n, 100n], []],
  ] as const)("of %s, paid by %s: %s", (order, payments, parts) => expect(partsOf(order, ...payments)).toEqual(parts));
  it("neither open nor other references nor payouts are parts", () => {
    const ours = orders({ reference: "A", amountMinor: 300n });
    const one = { reference: "A", amountMinor: 150n } as const;
    for (const other of [
      { ...one, state: "open" },
      { ...one, reference: "B" },
      { ...one, direction: "out" },
    ] as const) {
      expect(findParts(pairEntries(ours.records, service(one, other).records)).size).toBe(0);
    }
  });
});

describe("a list of payouts", () => {
  const row = (reference: string, amountMinor: bigint, more: Row = {}): Row => ({ reference, amountMinor, ...more });
  const out = (reference: string, amountMinor: bigint, more: Row = {}): Row => row(reference, amountMinor, { direction: "out", ...more });
  it("is proved by money out there of the same reference or receipt, and amount", () => {
    const there = service(out("P-1", 100n), out("x", 200n, { receipt: "UC2A0000B4" }), row("I-1", 100n));
    const proved = provePayouts(orders(row("P-1", 100n), row("P-2", 200n, { receipt: "uc2a0000b4" }), row("P-3", 5n, { state: "unpaid" })), there);
    expect(proved?.proofs).toBe(2);
    expect(proved?.side.records.map(({ direction, amountMinor }) => [direction, amountMinor])).toEqual([
      ["out", 100n],
      ["out", 200n],
      ["out", 5n],
    ]);
  });
  it.each([
    ["less than half is found", orders(row("P-1", 100n), row("P-2", 1n), row("P-3", 1n)), service(out("P-1", 100n))],
    ["an amount differs", orders(row("P-1", 100n)), service(out("P-1", 101n))],
    ["a row is money in there", orders(row("P-1", 100n), row("I-1", 100n)), service(out("P-1", 100n), row("I-1", 7n))],
    ["the file has signs", orders(row("P-1", 100n), row("P-2", -5n, { direction: "out" })), service(out("P-1", 100n))],
    ["nothing there is money out", orders(row("P-1", 100n)), service(row("P-1", 100n))],
    ["the file is a statement", side("statement", row("P-1", 100n)), service(out("P-1", 100n))],
    ["only ended rows are left", orders(row("P-1", 100n, { state: "unpaid" })), service(out("P-1", 100n))],
  ])("is not proved if %s", (_, ours, theirs) => expect(provePayouts(ours, theirs)).toBeUndefined());
  it("exactly half is enough", () => expect(provePayouts(orders(row("P-1", 100n), row("P-2", 1n)), service(out("P-1", 100n)))?.proofs).toBe(1));
});

describe("differences in money", () => {
  it("are what was paid here less what was paid there, money out being negative on either side", () => {
    const ours = orders(
      { reference: "A", amountMinor: 300n },
      { reference: "B", amountMinor: 100n, state: "open" },
      { reference: "C", amountMinor: 70n },
      { reference: "D", amountMinor: -50n, direction: "out" },
    );
    const theirs = service(
      { reference: "A", amountMinor: 250n },
      { reference: "B", amountMinor: 100n },
      { reference: "C", amountMinor: 70n, state: "unpaid" },
      { reference: "D", amountMinor: 50n, direction: "out" },
      { reference: "E", amountMinor: 40n, direction: "out" },
      { reference: "F", amountMinor: 7n },
    );
    const compared = compareSides(ours, theirs);
    expect(Object.fromEntries([...compared.summary].map(([category, sum]) => [category, differenceOf(sum)]))).toEqual({
      matched: 0n,
      missed_callback: -100n,
      status_conflict: 70n,
      amount_mismatch: 50n,
      missing_here: 33n,
    });
    expect(payoutsNotAskedFor(compared)).toMatchObject({ rows: 1, paidMinor: -40n });
  });
});

describe("suggestions", () => {
  const ours = (more: Row): Side => orders({ reference: "A-1", amountMinor: 800n, ...more });
  const theirs = (more: Row): Side => service({ reference: "POS", amountMinor: 800n, ...more });
  const suggested = (here: Row, there: Row) =>
    compareSides(ours(here), theirs(there)).differing.find(({ category }) => category === "missing_there")?.suggestions;
  it.each([
    ["phone", { phone: "0712345678" }, { phone: "254712345678" }],
    ["phone", { phone: "254712345678" }, { phone: "2547***678" }],
    ["hour", { at: "2026-03-01T09:00:00Z" }, { at: "2026-03-01T10:00:00Z" }],
    ["day", { at: "2026-03-01" }, { at: "2026-03-01T10:00:00Z" }],
  ])("a row of the same amount and %s is named", (what, here, there) => {
    expect(suggested(here, there)).toMatchObject([{ because: `same amount and ${what}`, records: [{ id: "t1" }] }]);
  });
  it.each([
    ["another phone", { phone: "0712345678" }, { phone: "254712345679" }],
    ["a phone that shows two digits", { phone: "0712345678" }, { phone: "2547*****78" }],
    ["no phone and no time", {}, {}],
    ["more than an hour between", { at: "2026-03-01T09:00:00Z" }, { at: "2026-03-01T10:00:01Z" }],
    ["another day", { at: "2026-03-01" }, { at: "2026-03-02T10:00:00Z" }],
    ["another amount", { phone: "0712345678" }, { phone: "0712345678", amountMinor: 801n }],
    ["money out", { phone: "0712345678" }, { phone: "0712345678", direction: "out" }],
  ] as const)("%s names nothing", (_, here, there) => expect(suggested(here, there)).toBeUndefined());
  it("one settlement of several orders, less fees, is named with their sum", () => {
    const day = (amountMinor: bigint, reference: string): Row => ({ reference, amountMinor, at: "2026-03-01T09:00:00Z" });
    const settled = (amountMinor: bigint, at: string) =>
      compareSides(orders(day(1000n, "A"), day(2000n, "B")), side("statement", { receipt: "FT1", amountMinor, at, whole: "x" })).differing.find(
        ({ category }) => category === "missing_here",
      )?.suggestions;
    expect(settled(2910n, "2026-03-02T09:00:00Z")).toMatchObject([{ because: expect.stringMatching(/2 rows .*30\.00.*0\.90 of fees/) }]);
    expect(settled(3000n, "2026-03-04T09:00:00Z")).toHaveLength(1);
    for (const [amount, at] of [
      [2699n, "2026-03-02T09:00:00Z"],
      [3001n, "2026-03-02T09:00:00Z"],
      [2910n, "2026-03-05T09:00:00Z"],
      [2910n, "2026-02-28T09:00:00Z"],
    ] as const)
      expect(settled(amount, at)).toBeUndefined();
  });
});
