import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgePaired, pairSides, type Result } from "../../src/reconcile/judge.ts";
import { compareSides } from "../../src/reconcile/reconcile.ts";
import { emptyRecord, type FileRecord, type Side, type SideKind, toShownRecord } from "../../src/reconcile/record.ts";

const references = ["A-1", "a1", "A 1", "00731", "731", "KILIMO-EAST-01", "KILIMO-EAST-02", "KILIMO-EAST-", "B", undefined];
const record = (kind: SideKind) =>
  fc
    .record({
      reference: fc.constantFrom(...references),
      receipt: kind === "orders" ? fc.constant(undefined) : fc.constantFrom("UC1", "UC2", "UC3", "UC4", undefined),
      amountMinor: fc.constantFrom(10n, 20n, 15_000n),
      state: fc.constantFrom("paid" as const, "open" as const, "unpaid" as const),
      out: fc.boolean(),
      kind: fc.constantFrom("payment" as const, "charge" as const, "internal" as const, "reversal" as const),
      reverses: fc.constantFrom("UC1", "UC2", undefined),
      broken: fc.integer({ min: 0, max: 9 }),
    })
    .map(({ out, broken, kind: rowKind, reverses, amountMinor, ...rest }): FileRecord => {
      const statement = kind === "statement";
      const moneyOut = out && kind !== "orders";
      const type = !statement ? undefined : rowKind === "payment" && moneyOut ? "payout" : rowKind;
      const signed = statement && moneyOut ? -amountMinor : amountMinor;
      if (broken === 0) return { ...emptyRecord, unreadable: "broken" };
      const whole = statement ? JSON.stringify([rest.reference, rest.receipt, String(signed), rest.state, rowKind, reverses]) : undefined;
      return {
        ...emptyRecord,
        ...rest,
        amountMinor: signed,
        direction: moneyOut ? "out" : "in",
        kind: type,
        reverses: type === "reversal" ? reverses : undefined,
        whole,
      };
    });
const side = (kind: SideKind) =>
  fc.array(record(kind), { maxLength: 14 }).map(
    (records): Side => ({
      kind,
      records: records.map((one, index) => (kind === "service" ? { ...one, id: `t${index}` } : { ...one, line: index + 2 })),
    }),
  );
const comparison = fc
  .constantFrom(["orders", "statement"], ["orders", "service"], ["statement", "service"], ["statement", "orders"])
  .chain(([ours, theirs]) => fc.tuple(side(ours as SideKind), side(theirs as SideKind)));

const compare = (ours: Side, theirs: Side) => {
  const results: Result[] = [];
  judgePaired(pairSides(ours, theirs), (result) => results.push(result));
  return { results, summary: compareSides(ours, theirs).summary };
};
const sum = (records: readonly FileRecord[]): bigint => records.reduce((total, one) => total + one.amountMinor, 0n);
/** What is told of a result, but for where a row stood. */
const outcomesOf = (results: readonly Result[]) =>
  results
    .map((result) => {
      const bare = (records: readonly FileRecord[]) => records.map((one) => JSON.stringify({ ...toShownRecord(one), line: undefined, id: undefined })).sort();
      return JSON.stringify([result.category, result.reference, bare(result.ours), bare(result.theirs), result.reason]);
    })
    .sort();

describe("whatever the rows are", () => {
  it("every row is in exactly one result, and the sums add up on both sides", () => {
    fc.assert(
      fc.property(comparison, ([ours, theirs]) => {
        const { results, summary } = compare(ours, theirs);
        const seenOurs = results.flatMap((result) => result.ours);
        const seenTheirs = results.flatMap((result) => result.theirs);
        expect(seenOurs).toHaveLength(ours.records.length);
        expect(new Set(seenOurs)).toEqual(new Set(ours.records));
        expect(seenTheirs).toHaveLength(theirs.records.length);
        expect(new Set(seenTheirs)).toEqual(new Set(theirs.records));
        let [a, b] = [0n, 0n];
        for (const { ours: here, theirs: there } of summary.values()) {
          a += here.amountMinor;
          b += there.amountMinor;
        }
        expect([a, b]).toEqual([sum(ours.records), sum(theirs.records)]);
      }),
      { numRuns: 400 },
    );
  });

  it("the order of rows changes nothing", () => {
    fc.assert(
      fc.property(comparison, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), ([ours, theirs], stream) => {
        const shuffled = (one: Side): Side => ({
          ...one,
          records: [...one.records]
            .map((value) => ({ value, key: stream.next().value ?? 0 }))
            .sort((x, y) => x.key - y.key)
            .map(({ value }, index) => (one.kind === "service" ? value : { ...value, line: index + 2 })),
        });
        expect(outcomesOf(compare(shuffled(ours), shuffled(theirs)).results)).toEqual(outcomesOf(compare(ours, theirs).results));
      }),
      { numRuns: 400 },
    );
  });

  it("money in never meets money out, and two receipts never meet", () => {
    fc.assert(
      fc.property(comparison, ([ours, theirs]) => {
        for (const { category, ours: here, theirs: there } of compare(ours, theirs).results) {
          if (category === "ambiguous") continue;
          const [a] = here;
          const [b] = there;
          if (a === undefined || b === undefined) continue;
          expect(a.direction).toBe(b.direction);
          if (a.receipt !== undefined && b.receipt !== undefined) expect(a.receipt).toBe(b.receipt);
        }
      }),
      { numRuns: 400 },
    );
  });
});
