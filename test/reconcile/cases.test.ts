import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/json/exact-json.ts";
import { formatMinor } from "../../src/money/money.ts";
import { controlFaults } from "../../src/reconcile/control.ts";
import { judgePaired, pairSides, type Result } from "../../src/reconcile/judge.ts";
import { isRefusal } from "../../src/reconcile/layout.ts";
import { readRecords } from "../../src/reconcile/read-records.ts";
import { compareSides, countDifferences } from "../../src/reconcile/reconcile.ts";
import { recordOfTransaction } from "../../src/reconcile/reconcile-service.ts";
import { type Side, toShownRecord } from "../../src/reconcile/record.ts";
import { scanTable, settleLayout } from "../../src/reconcile/scan-table.ts";
import { tableOf } from "../../src/tables/read-table.ts";
import { toTransaction } from "../../src/transactions/transaction.ts";

const folder = new URL("../cases/reconcile/", import.meta.url);
type Expected = {
  readonly files: Readonly<
    Record<string, { readonly kind: string; readonly records: readonly Record<string, unknown>[]; readonly notRecords?: unknown; readonly control?: unknown }>
  >;
  readonly comparisons: readonly {
    readonly ours: string;
    readonly theirs: string;
    readonly differences: number;
    readonly alike?: readonly { readonly side: "ours" | "theirs"; readonly rows: readonly (number | string)[] }[];
    readonly results: readonly { category: string; reference: string | null; ours: (number | string)[]; theirs: (number | string)[] }[];
    readonly summary: Readonly<Record<string, unknown>>;
  }[];
};

const readFile = async (set: string, name: string) => {
  const table = await tableOf(readFileSync(new URL(`${set}/${name}`, folder)), name);
  const layout = await settleLayout(table, await scanTable(table), {
    told: new Map(),
    layouts: [],
    usually: name.startsWith("orders") ? "orders" : "statement",
  });
  if (isRefusal(layout)) throw new Error(layout.problem);
  const file = await readRecords(table, layout, { name, zone: "Africa/Nairobi" });
  return { table, file };
};

const readService = (set: string): Side => {
  const rows: (Record<string, Json> & { x: { flow: string } })[] = JSON.parse(readFileSync(new URL(`${set}/transactions.json`, folder), "utf8"));
  return { kind: "service", records: rows.map((row) => recordOfTransaction(toTransaction(row), row.x.flow === "b2c" ? "out" : "in")) };
};
const readSide = async (set: string, name: string): Promise<Side> => {
  if (name === "transactions.json") return readService(set);
  const { file } = await readFile(set, name);
  return { kind: file.layout.kind, records: file.records };
};

/** A row that cannot be read has its own reason; the sets say why in their words. */
const withoutNull = (record: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, name === "unreadable" ? "a reason" : value]])),
  );

for (const set of readdirSync(folder)) {
  const expected: Expected = JSON.parse(readFileSync(new URL(`${set}/expected.json`, folder), "utf8"));
  describe(`set ${set}`, () => {
    for (const [name, want] of Object.entries(expected.files)) {
      it(`reads ${name}`, async () => {
        if (want.kind === "service") {
          const records = readService(set)
            .records.map(toShownRecord)
            .map(({ status, flow, ...rest }) => withoutNull(rest));
          expect(records).toEqual(want.records.map(withoutNull));
          return;
        }
        const { table, file } = await readFile(set, name);
        const { encoding, bom, delimiter } = table;
        const { kind, decimal, headerLine } = file.layout;
        const { records, notRecords, control, ...shape } = want;
        expect({ kind, encoding, bom, delimiter, decimal, headerLine }).toEqual(shape);
        expect(file.notRecords).toEqual(notRecords);
        expect(file.records.map(toShownRecord).map(withoutNull)).toEqual(records.map(withoutNull));
        const found =
          file.control === undefined ? undefined : Object.fromEntries(Object.entries(file.control).map(([key, value]) => [key, formatMinor(value)]));
        expect(found).toEqual(control);
        if (file.control !== undefined) expect(controlFaults(file.control, file.records)).toEqual([]);
      });
    }
    for (const comparison of expected.comparisons) {
      it(`compares ${comparison.ours} with ${comparison.theirs}`, async () => {
        const ours = await readSide(set, comparison.ours);
        const theirs = await readSide(set, comparison.theirs);
        const results: Result[] = [];
        judgePaired(pairSides(ours, theirs), (result) => results.push(result));
        const { summary } = compareSides(ours, theirs);
        const rename = new Map<string, string>();
        for (const { side, rows } of comparison.alike ?? []) for (const row of rows) rename.set(`${side} ${row}`, `${side} ${rows[0]}`);
        const named = (side: "ours" | "theirs", row: number | string | undefined) => rename.get(`${side} ${row}`) ?? `${side} ${row}`;
        const shown = results.map((result) => ({
          category: result.category as string,
          reference: result.reference ?? null,
          ours: result.ours.map((record) => named("ours", record.line ?? record.id)).sort(),
          theirs: result.theirs.map((record) => named("theirs", record.line ?? record.id)).sort(),
        }));
        const wanted = comparison.results.map((result) => ({
          category: result.category,
          reference: result.reference,
          ours: result.ours.map((row) => named("ours", row)).sort(),
          theirs: result.theirs.map((row) => named("theirs", row)).sort(),
        }));
        const sorted = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).sort();
        expect(sorted(shown)).toEqual(sorted(wanted));
        for (const result of results) expect(result.reason).toMatch(/\w/);
        const total = ({ rows, amountMinor }: { rows: number; amountMinor: bigint }) => ({ rows, amount: formatMinor(amountMinor) });
        expect(
          Object.fromEntries(
            [...summary].map(([category, sum]) => [
              category,
              { count: sum.count, amount: formatMinor(sum.amountMinor), ours: total(sum.ours), theirs: total(sum.theirs) },
            ]),
          ),
        ).toEqual(comparison.summary);
        expect(countDifferences(summary)).toBe(comparison.differences);
      });
    }
  });
}
