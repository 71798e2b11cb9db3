import { describe, expect, it } from "vitest";
import type { Bounds, ReconcileOptions } from "../../src/reconcile/judge.ts";
import { judgePaired, pairSides, type Result, undatedLeft } from "../../src/reconcile/judge.ts";
import { emptyRecord, type FileRecord, type Side, type SideKind } from "../../src/reconcile/record.ts";

type Row = Partial<FileRecord>;
const side = (kind: SideKind, ...rows: readonly Row[]): Side => ({
  kind,
  records: rows.map(
    (row, index): FileRecord => ({ ...emptyRecord, state: "paid", ...(kind === "service" ? { id: `t${index + 1}` } : { line: index + 2 }), ...row }),
  ),
});
const judge = (ours: Side, theirs: Side, options: ReconcileOptions = {}) => {
  const results: Result[] = [];
  judgePaired(pairSides(ours, theirs, options), (result) => results.push(result), options);
  return results;
};
/** Each result as `category: lines here / ids there`. */
const outcomesOf = (ours: Side, theirs: Side, options: ReconcileOptions = {}): readonly string[] =>
  judge(ours, theirs, options)
    .map(({ category, ours: here, theirs: there }) => `${category}: ${here.map(({ line }) => line).join()} / ${there.map(({ id, line }) => id ?? line).join()}`)
    .sort();
const period = { from: "2026-03-02", to: "2026-03-03" };
const dayOf = (at: string): string => at.slice(0, 10);

it("an account that many share is no second payment of an order that was paired by its receipt", () => {
  const there = side(
    "statement",
    { receipt: "TB33AA0001", reference: "FEES", amountMinor: 100n, direction: "in" },
    { receipt: "TB33AA0002", reference: "FEES", amountMinor: 200n, direction: "in" },
  );
  expect(outcomesOf(side("orders", { receipt: "TB33AA0001", amountMinor: 100n, direction: "in" }), there)).toEqual(["matched: 2 / 2", "missing_here:  / 3"]);
  expect(outcomesOf(side("orders", { receipt: "TB33AA0001", reference: "FEES", amountMinor: 100n, direction: "in" }), there)).toEqual([
    "duplicate_there:  / 3",
    "matched: 2 / 2",
  ]);
});

const withDay = (day: string | undefined) => (day === undefined ? { file: undefined } : { day });

describe("the table of pairs", () => {
  const states = ["paid", "open", "unpaid"] as const;
  const table: Readonly<Record<string, string>> = {
    "paid paid": "matched",
    "open paid": "missed_callback",
    "unpaid paid": "status_conflict",
    "unpaid unpaid": "matched",
    "paid unpaid": "status_conflict",
    "open unpaid": "status_conflict",
    "paid open": "open_there",
    "open open": "open_there",
    "unpaid open": "open_there",
  };
  for (const here of states)
    for (const there of states)
      for (const differs of [false, true]) {
        const equal = table[`${here} ${there}`];
        const wanted = differs && there === "paid" ? "amount_mismatch" : equal;
        it(`${here} here, ${there} there${differs ? ", other amounts" : ""}: ${wanted}`, () => {
          const row = { reference: "A", amountMinor: 100n };
          const [result] = judge(side("orders", { ...row, state: here }), side("service", { ...row, state: there, amountMinor: differs ? 101n : 100n }));
          expect(result?.category).toBe(wanted);
        });
      }
});

describe("rows left over there", () => {
  const ours = side("orders", { reference: "A", amountMinor: 1n, at: "2026-03-02" });
  const left = (row: Row, options: ReconcileOptions = { period, dayOf }) =>
    outcomesOf(ours, side("service", { reference: "A", amountMinor: 1n }, { reference: "B", amountMinor: 1n, ...row }), options).find((line) =>
      line.endsWith("t2"),
    );
  it.each([
    ["2026-03-01T23:59:59Z", "other_period"],
    ["2026-03-02T00:00:00Z", "missing_here"],
    ["2026-03-03T23:59:59Z", "missing_here"],
    ["2026-03-04T00:00:00Z", "other_period"],
    [undefined, "missing_here"],
  ])("paid at %s: %s", (at, category) => expect(left({ at })).toBe(`${category}:  / t2`));
  it("of other days, but not paid, is what it is on any day", () => {
    const at = "2026-03-01T09:00:00Z";
    expect(left({ at, state: "open" })).toBe("open_there:  / t2");
    expect(left({ at, state: "unpaid" })).toBe("ignored:  / t2");
    expect(left({ at, reference: "A" })).toBe("duplicate_there:  / t2");
  });
  it.each([
    [{ notAfter: "2026-03-01T09:00:00Z" }, "other_period"],
    [{ notAfter: "2026-03-02T09:00:00Z" }, "missing_here"],
    [{ notBefore: "2026-03-04T09:00:00Z" }, "other_period"],
    [{ notBefore: "2026-03-03T09:00:00Z" }, "missing_here"],
    [{ notBefore: "2026-03-01T09:00:00Z" }, "missing_here"],
    [{ notAfter: "2026-03-04T09:00:00Z" }, "missing_here"],
  ] satisfies [Bounds, string][])("without a date, known to be made %j: %s", (bounds, category) => {
    expect(left({}, { period, dayOf, boundsOf: () => bounds })).toBe(`${category}:  / t2`);
    expect(left({}, { dayOf, boundsOf: () => bounds })).toBe("missing_here:  / t2");
  });
  it.each([
    ["2026-03-01", "other_period"],
    ["2026-03-02", "missing_here"],
    ["2026-03-03", "missing_here"],
    ["2026-03-04", "other_period"],
    [undefined, "other_period"],
  ])("paired by an earlier run with a row of %s: %s", (day, category) => {
    const pairedBefore = ({ id }: FileRecord) => (id === "t2" ? withDay(day) : undefined);
    expect(left({}, { period, dayOf, pairedBefore })).toBe(`${category}:  / t2`);
    expect(left({}, { dayOf, pairedBefore })).toBe("other_period:  / t2");
    expect(left({ state: "open" }, { period, dayOf, pairedBefore })).toBe("open_there:  / t2");
  });
  it("the receipt of a pair in other letters is that pair's again", () => {
    const here = side("orders", { receipt: "UC1A", amountMinor: 1n }, { receipt: "uc1a", amountMinor: 2n });
    expect(outcomesOf(here, side("service", { receipt: "UC1A", amountMinor: 1n }))).toEqual(["duplicate_here: 3 / ", "matched: 2 / t1"]);
    const there = side("service", { receipt: "UC1A", amountMinor: 1n }, { receipt: "uc 1a", amountMinor: 1n });
    expect(outcomesOf(side("orders", { receipt: "UC1A", amountMinor: 1n }), there).map((line) => line.split(":")[0])).toEqual(["duplicate_there", "matched"]);
    const out = side("service", { receipt: "UC1A", amountMinor: 1n }, { receipt: "UC1A", amountMinor: 1n, direction: "out" });
    expect(outcomesOf(side("orders", { receipt: "UC1A", amountMinor: 1n }), out)).toEqual(["matched: 2 / t1", "missing_here:  / t2"]);
  });
  it("beside a statement, a reference that was used is no duplicate", () => {
    const statement = side("statement", { reference: "A", amountMinor: 1n, whole: "1" }, { reference: "A", amountMinor: 2n, whole: "2" });
    expect(outcomesOf(statement, side("service", { reference: "A", amountMinor: 1n }))).toEqual(["matched: 2 / t1", "missing_there: 3 / "]);
    const one = side("statement", { reference: "A", amountMinor: 1n, whole: "1" });
    const two = side("service", { reference: "A", amountMinor: 1n }, { reference: "A", amountMinor: 2n });
    expect(outcomesOf(one, two)).toEqual(["matched: 2 / t1", "missing_here:  / t2"]);
  });
  it("only those that may be missing here, and have no date, need their details", () => {
    const theirs = side(
      "service",
      { reference: "A", amountMinor: 1n },
      { reference: "A" },
      { reference: "B", at: "2026-03-02T09:00:00Z" },
      { reference: "C", state: "open" },
      { reference: "D" },
    );
    expect(undatedLeft(pairSides(ours, theirs), { period, dayOf }).map(({ id }) => id)).toEqual(["t5"]);
  });
});

describe("what earlier runs paired", () => {
  const used = (id: string, day: string | undefined): ReconcileOptions => ({
    period,
    dayOf,
    pairedBefore: (row) => (row.id === id ? withDay(day) : undefined),
  });
  const rent = { reference: "RENT", amountMinor: 2500n } as const;
  it("is not used again by the same reference of another day", () => {
    const ours = side("orders", { ...rent, at: "2026-03-02" });
    expect(outcomesOf(ours, side("service", rent), used("t1", "2026-02-02"))).toEqual(["missing_there: 2 / ", "other_period:  / t1"]);
    expect(outcomesOf(ours, side("service", rent), used("t1", "2026-03-02"))).toEqual(["matched: 2 / t1"]);
    expect(outcomesOf(ours, side("service", { ...rent, reference: "rent" }), used("t1", "2026-02-02"))).toEqual(["missing_there: 2 / ", "other_period:  / t1"]);
    expect(outcomesOf(side("orders", rent), side("service", rent), used("t1", "2026-02-02"))).toEqual(["matched: 2 / t1"]);
  });
  it("is the same payment by its receipt, whatever the day", () => {
    const row = { receipt: "UC1A", amountMinor: 1n } as const;
    expect(outcomesOf(side("orders", { ...row, at: "2026-03-02" }), side("service", row), used("t1", "2026-02-02"))).toEqual(["matched: 2 / t1"]);
  });
  it("comes after what no run has used, whatever its amount", () => {
    const theirs = side("service", rent, { ...rent, amountMinor: 2400n });
    expect(outcomesOf(side("orders", rent), theirs, used("t1", undefined))).toEqual(["amount_mismatch: 2 / t2", "other_period:  / t1"]);
    expect(outcomesOf(side("orders", rent, { ...rent, amountMinor: 2400n }), theirs, used("t1", undefined)).map((line) => line.split(":")[0])).not.toContain(
      "missing_there",
    );
  });
  it("makes no choice ambiguous", () => {
    const theirs = side("service", { ...rent, reference: "rent" }, { ...rent, reference: "RENT." });
    expect(outcomesOf(side("orders", rent), theirs)).toEqual(["ambiguous: 2 / t2,t1"]);
    expect(outcomesOf(side("orders", rent), theirs, used("t1", undefined))).toEqual(["matched: 2 / t2", "other_period:  / t1"]);
    const blank = side("orders", { amountMinor: 2500n });
    expect(outcomesOf(blank, side("service", rent), used("t1", undefined))).toEqual(["missing_there: 2 / ", "other_period:  / t1"]);
  });
});

describe("rows without a name, and of no known direction", () => {
  it("a placeholder is no receipt: such a row is matched by nothing, and ties by its amount", () => {
    expect(outcomesOf(side("orders", { receipt: "N/A", amountMinor: 5n }), side("service", { reference: "x", amountMinor: 5n }))).toEqual([
      "ambiguous: 2 / t1",
    ]);
    expect(outcomesOf(side("orders", { receipt: "UC1A", amountMinor: 5n }), side("service", { reference: "x", amountMinor: 5n }))).toEqual([
      "missing_here:  / t1",
      "missing_there: 2 / ",
    ]);
  });
  it("a row there of both flows pairs in either direction", () => {
    const unknown = side("service", { reference: "A", amountMinor: 5n, direction: "unknown" });
    for (const direction of ["in", "out"] as const)
      expect(outcomesOf(side("orders", { reference: "A", amountMinor: 5n, direction }), unknown)).toEqual(["matched: 2 / t1"]);
    expect(outcomesOf(side("orders", { amountMinor: 5n, direction: "out" }), unknown)).toEqual(["ambiguous: 2 / t1"]);
    expect(outcomesOf(side("orders", { reference: "A", amountMinor: 5n, direction: "out" }), side("service", { reference: "A", amountMinor: 5n }))).toEqual([
      "missing_here:  / t1",
      "missing_there: 2 / ",
    ]);
  });
});

describe("which of several pairs", () => {
  it("paid goes before open before ended, then equal amounts, then the order of time", () => {
    const row = (amountMinor: bigint, more: Row = {}): Row => ({ reference: "A", amountMinor, ...more });
    const theirs = side("service", row(1n, { state: "unpaid" }), row(1n, { state: "open" }), row(2n), row(1n));
    expect(outcomesOf(side("orders", row(1n)), theirs)[1]).toBe("ignored:  / t1");
    expect(outcomesOf(side("orders", row(1n)), theirs)).toContain("matched: 2 / t4");
    expect(outcomesOf(side("orders", row(9n)), theirs)).toContain("amount_mismatch: 2 / t4");
    const early = side("service", row(1n, { at: "2026-03-02T09:00:00Z" }), row(1n, { at: "2026-03-01T09:00:00Z" }));
    expect(outcomesOf(side("orders", row(1n)), early)).toContain("matched: 2 / t2");
    expect(outcomesOf(side("orders", row(1n, { state: "open" })), side("service", row(1n, { state: "open" }), row(1n)))).toContain("missed_callback: 2 / t2");
    expect(outcomesOf(side("orders", row(1n)), side("service", row(1n, { state: "unpaid" }), row(1n, { state: "open" })))).toContain("open_there: 2 / t2");
  });
  it("equal amounts meet before others do, each row once", () => {
    const rows = (...amounts: readonly bigint[]): Row[] => amounts.map((amountMinor) => ({ reference: "A", amountMinor }));
    expect(outcomesOf(side("orders", ...rows(1n, 2n)), side("service", ...rows(2n, 3n)))).toEqual(["amount_mismatch: 2 / t2", "matched: 3 / t1"]);
    expect(outcomesOf(side("orders", ...rows(5n, 5n, 5n)), side("service", ...rows(5n, 5n)))).toEqual([
      "duplicate_here: 4 / ",
      "matched: 2 / t1",
      "matched: 3 / t2",
    ]);
    expect(outcomesOf(side("orders", ...rows(7n)), side("service", ...rows(9n, 8n)))).toEqual(["amount_mismatch: 2 / t2", "duplicate_there:  / t1"]);
  });
  it("equal amounts of two currencies are not equal", () => {
    const row = (currency: string): Row => ({ reference: "A", amountMinor: 5n, currency });
    const there = side("statement", { ...row("KES"), whole: "1" }, { ...row("USD"), whole: "2" });
    expect(outcomesOf(side("orders", row("USD"), row("KES")), there)).toEqual(["matched: 2 / 3", "matched: 3 / 2"]);
    expect(outcomesOf(side("orders", row("USD")), side("statement", { ...row("KES"), whole: "1" }))).toEqual(["amount_mismatch: 2 / 2"]);
  });
  it.each(["A-1", "a 1"])("two different receipts are two payments, also under one reference (%s)", (reference) => {
    const row = (receipt: string | undefined, name = "A-1"): Row => ({ reference: name, amountMinor: 5n, receipt });
    const apart = ["missing_here:  / t1", "missing_there: 2 / "];
    expect(outcomesOf(side("orders", row("UC1A0000A1")), side("service", row("UC1A0000A2", reference)))).toEqual(apart);
    for (const [here, there] of [
      ["UC1A0000A1", undefined],
      [undefined, "UC1A0000A1"],
      ["N/A", "UC1A0000A1"],
      ["UC1A0000A1", "-"],
    ] as const)
      expect(outcomesOf(side("orders", row(here)), side("service", row(there, reference)))).toEqual(["matched: 2 / t1"]);
    // What has a receipt of its own leaves the row without one to whoever needs it.
    const two = side("service", row("UC1A0000A2", reference), row(undefined, reference));
    expect(outcomesOf(side("orders", row("UC1A0000A1")), two)).toContain("matched: 2 / t2");
  });
  it("rows that fit as well are shown in one order: by state, amount and time", () => {
    const loose = (reference: string, state: FileRecord["state"], at: string): Row => ({ reference, amountMinor: 5n, state, at });
    const theirs = side("service", loose("a-1", "open", "2026-03-01"), loose("A.1", "paid", "2026-03-03"), loose("a 1", "paid", "2026-03-02"));
    expect(outcomesOf(side("orders", { reference: "A1", amountMinor: 5n }), theirs)).toEqual(["ambiguous: 2 / t3,t2,t1"]);
  });
  it("a reference cut at 12 characters meets its whole, by equal amount, and what is left by what is left", () => {
    const ours = side("orders", { reference: "KILIMO-EAST-01", amountMinor: 1n }, { reference: "KILIMO-EAST-02", amountMinor: 2n });
    const cut = (amountMinor: bigint): Row => ({ reference: "KILIMO-EAST-", amountMinor });
    expect(outcomesOf(ours, side("service", cut(2n), cut(1n)))).toEqual(["matched: 2 / t2", "matched: 3 / t1"]);
    expect(outcomesOf(ours, side("service", cut(2n), cut(7n)))).toEqual(["amount_mismatch: 2 / t2", "matched: 3 / t1"]);
    expect(outcomesOf(ours, side("service", { reference: "KILIMO-EAST", amountMinor: 1n }))).toContain("missing_here:  / t1");
  });
  it("attempts that ended are no candidates beside one that did not", () => {
    const loose = (state: FileRecord["state"]): Row => ({ reference: "a-1", amountMinor: 1n, state });
    expect(outcomesOf(side("orders", { reference: "A1", amountMinor: 1n }), side("service", loose("unpaid"), loose("paid")))).toEqual([
      "ignored:  / t1",
      "matched: 2 / t2",
    ]);
    const here = side("orders", { reference: "A1", amountMinor: 1n, state: "unpaid" }, { reference: "A1", amountMinor: 1n });
    expect(outcomesOf(here, side("service", loose("paid")))).toEqual(["ignored: 2 / ", "matched: 3 / t1"]);
  });
});
