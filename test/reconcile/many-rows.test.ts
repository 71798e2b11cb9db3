import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { settleAlone } from "../../src/reconcile/entries.ts";
import { openInput } from "../../src/reconcile/input.ts";
import { proveReference } from "../../src/reconcile/narrative.ts";
import { pairEntries } from "../../src/reconcile/pair.ts";
import { emptyRecord, type FileRecord } from "../../src/reconcile/record.ts";
import { createHome } from "../support/cli.ts";

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

it("thousands of reversals of one receipt or one reference cost no minutes", () => {
  const rows = (count: number, row: Partial<FileRecord>): FileRecord[] =>
    Array.from({ length: count }, (_, index) => ({ ...emptyRecord, state: "paid", line: index + 2, amountMinor: 5n, kind: "payment", ...row }));
  const reversal = { kind: "reversal", amountMinor: -5n, direction: "out" } as const;
  const joined = (records: readonly FileRecord[]) => settleAlone({ kind: "statement", records }).entries.map((entry) => entry.joined?.length ?? 1);
  expect(joined([...rows(1, { receipt: "UC1A" }), ...rows(40_000, { ...reversal, reverses: "UC1A" })])).toEqual([40_001]);
  expect(new Set(joined([...rows(40_000, { reference: "RENT" }), ...rows(40_000, { ...reversal, reference: "RENT" })]))).toEqual(new Set([2]));
});

it("each time a large file is gone through, a line shows how many of its rows have been", async () => {
  const file = join(createHome(), "large.csv");
  writeFileSync(file, `reference,amount\n${"A-1,5\n".repeat(25_000)}`);
  const shown: string[] = [];
  const line = { update: (text: string | (() => string)) => shown.push(String(text)), end: () => shown.push("end") };
  const context = {
    readStdin: async () => new Uint8Array(),
    signal: new AbortController().signal,
    progress: () => line,
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
  };
  const told = { told: new Map(), layouts: [], usually: "orders", zone: "UTC", sheetFlag: "--sheet" } as const;
  await openInput(file, told, context);
  expect(shown).toEqual([expect.stringMatching(/large\.csv 10,000/), expect.stringMatching(/large\.csv 20,000/), "end"]);
});

it("references of thousands of forms cost no minutes", () => {
  const tokens = Array.from({ length: 2000 }, (_, index) => [...index.toString(2).padStart(11, "0")].map((bit) => (bit === "0" ? "A" : "7")).join("-"));
  const references = new Map(tokens.map((token) => [token.replaceAll("-", "").toLowerCase(), { amountMinor: 1n, direction: "in" as const, at: undefined }]));
  const proof = proveReference(
    tokens.map((token) => ({ text: `x ${token} y`, agrees: () => false })),
    { name: "orders", references, receipts: new Map(), isDirected: false },
  );
  expect(proof?.found ?? 0).toBeGreaterThanOrEqual(0);
});
