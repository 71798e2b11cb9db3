import { expect, it } from "vitest";
import { pairEntries } from "../../src/reconcile/pair.ts";
import { emptyRecord, type FileRecord } from "../../src/reconcile/record.ts";

it("thousands of one reference cost no minutes, whether they have receipts of their own or nothing at all", () => {
  const many = (row: (index: number) => Partial<FileRecord>): FileRecord[] =>
    Array.from({ length: 20_000 }, (_, index) => ({ ...emptyRecord, state: "paid", ...row(index) }));
  const count = (ours: FileRecord[], theirs: FileRecord[]) => {
    const { pairs, ties } = pairEntries(ours, theirs);
    return [pairs.length, ties.length];
  };
  const own = (reference: string, prefix: string) => many((index) => ({ reference, receipt: `${prefix}${index}AAAA`, amountMinor: BigInt(index % 50) }));
  expect(count(own("TITHE", "UA"), own("TITHE", "UB"))).toEqual([0, 0]);
  expect(count(own("TITHE", "UA"), own("tithe", "UB"))).toEqual([0, 0]);
  const amounts = (reference: string | undefined) => many((index) => ({ reference, amountMinor: BigInt(index) }));
  expect(count(amounts("TITHE"), amounts("tithe"))).toEqual([20_000, 0]);
  expect(
    count(
      many(() => ({ amountMinor: 5n })),
      many((index) => ({ reference: `x${index}`, amountMinor: 5n })),
    ),
  ).toEqual([0, 1]);
});
