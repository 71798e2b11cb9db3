import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldNames } from "../../src/reconcile/columns.ts";
import type { LayoutOptions } from "../../src/reconcile/draft.ts";
import { openKeptLayouts } from "../../src/reconcile/kept-layouts.ts";
import { isRefusal, type Layout } from "../../src/reconcile/layout.ts";
import { type LayoutData, layoutSchema } from "../../src/reconcile/layout-schema.ts";
import { readRecords } from "../../src/reconcile/read-records.ts";
import { scanTable, settleLayout } from "../../src/reconcile/scan-table.ts";
import { toLayoutData } from "../../src/reconcile/to-layout-data.ts";
import { tableOf } from "../../src/tables/read-table.ts";
import { createHome } from "../support/cli.ts";

const saved = async (layout: LayoutData): Promise<readonly LayoutData[]> => {
  const kept = openKeptLayouts(createHome());
  await kept.save(layout);
  return await kept.list();
};

describe("a layout that is saved", () => {
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const text = (maxLength: number) => fc.string({ unit: "grapheme", minLength: 1, maxLength }).filter((each) => each.length <= maxLength);
  const words = optional(fc.array(text(60), { maxLength: 4 }));
  const patterns = optional(fc.array(fc.constantFrom("^fee$", "\\bREF:(\\S+)", '[é"]+', "(?<=x)y", "\\p{L}"), { maxLength: 3 }));
  const layout = fc
    .record({
      name: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,40}$/),
      title: text(120),
      kind: fc.constantFrom("statement", "orders"),
      recognise: optional(fc.record({ headings: fc.array(fc.array(text(60), { maxLength: 3 }), { minLength: 1, maxLength: 3 }), preamble: words })),
      columns: fc.dictionary(fc.constantFrom(...fieldNames), fc.array(fc.oneof(text(120), fc.integer({ min: 1, max: 1000 })), { minLength: 1, maxLength: 3 })),
      status: optional(fc.record({ paid: words, open: words, unpaid: words })),
      directions: optional(fc.record({ in: words, out: words })),
      amounts: optional(fc.constantFrom("signed", "in", "out")),
      rows: optional(fc.record({ charge: patterns, internal: patterns, reversal: patterns, other: patterns })),
      narrative: optional(fc.record({ reference: patterns, receipt: patterns, phone: patterns })),
      items: optional(fc.boolean()),
      currency: optional(fc.constantFrom("KES", "USD")),
      zone: optional(fc.constantFrom("UTC", "Africa/Lagos")),
      dates: optional(fc.constantFrom("dmy", "mdy")),
      decimal: optional(fc.constantFrom("point", "comma")),
    })
    .map((each): LayoutData => layoutSchema.parse(JSON.parse(JSON.stringify(each))));
  it("is what it was when it is loaded", async () => {
    await fc.assert(
      fc.asyncProperty(layout, async (each) => {
        expect(await saved(each)).toEqual([each]);
      }),
      { numRuns: 60 },
    );
  });
});

type Field = (typeof fieldNames)[number];
/** Headings that a file may have for a field: usual ones, and some that say nothing. */
const names: Readonly<Partial<Record<Field, readonly string[]>>> = {
  reference: ["Ref", "Order", "Your reference", "Spalte 1", "", "2026"],
  amount: ["Amount", "Total", "Was, wo", "x=y", ""],
  "paid-in": ["Paid In", "Cr", "Plus"],
  withdrawn: ["Withdrawn", "Dr", "Minus"],
  status: ["Status", "State", "Outcome of it"],
  date: ["Date", "Posted", "When\nit was", ""],
  time: ["Time", "At"],
  details: ["Narrative", "Text", "Words"],
  type: ["Type", "Kind of row"],
  direction: ["D/C", "Way"],
  phone: ["Phone", "MSISDN"],
  currency: ["Currency", "Cur"],
  receipt: ["Receipt", "Code"],
};
const shapes: readonly (readonly Field[])[] = [
  ["reference", "amount", "status", "date"],
  ["reference", "amount"],
  ["reference", "amount", "status", "date", "time", "phone", "currency", "receipt"],
  ["date", "details", "reference", "paid-in", "withdrawn"],
  ["date", "receipt", "details", "amount", "direction", "status"],
  ["date", "reference", "type", "amount", "phone"],
  ["date", "reference", "amount"],
];
type Marks = { readonly comma: boolean; readonly mdy: boolean };
/** Rows of one file; those of another begin on a day that leaves the order open. */
const cellOf = (field: Field, index: number, { comma, mdy }: Marks, firstDay: number): string => {
  const amount = ["1,500.25", "70.5", "2,355", "12"][index % 4] ?? "";
  const marked = comma ? amount.replace(/[.,]/g, (mark) => (mark === "." ? "," : ".")) : amount;
  const cells: Readonly<Partial<Record<Field, string>>> = {
    reference: `INV-${100 + index}`,
    amount: marked,
    "paid-in": index % 3 === 0 ? "" : marked,
    withdrawn: index % 3 === 0 ? marked : "",
    status: ["paid", "Pending", "FAILED"][index % 3] ?? "",
    date: mdy ? `03/${firstDay + index}/2026` : `${firstDay + index}/03/2026`,
    time: `1${index % 10}:05`,
    details: `Pay Bill from 254722000${100 + index} for goods`,
    type: ["Payment", "Refund", "Service fee"][index % 3] ?? "",
    direction: index % 3 === 0 ? "D" : "C",
    phone: `2547220001${10 + index}`,
    currency: "KES",
    receipt: `UCL4AA${1000 + index}`,
  };
  return cells[field] ?? "";
};

describe("the layout that a file was read by", () => {
  const file = fc
    .record({ shape: fc.constantFrom(...shapes), comma: fc.boolean(), mdy: fc.boolean(), rows: fc.integer({ min: 3, max: 9 }), preamble: fc.boolean() })
    .chain((chosen) =>
      fc.record({
        ...Object.fromEntries(Object.entries(chosen).map(([name, value]) => [name, fc.constant(value)])),
        columns: fc.shuffledSubarray([...chosen.shape], { minLength: chosen.shape.length }),
        headings: fc.tuple(...chosen.shape.map((field) => fc.constantFrom(...(names[field] ?? [])))),
        told: fc.shuffledSubarray([...chosen.shape]),
        kind: fc.constant(chosen.shape.includes("details") || chosen.shape.includes("type") ? ("statement" as const) : ("orders" as const)),
      }),
    )
    .map(
      (each) =>
        each as typeof each & {
          readonly shape: readonly Field[];
          readonly comma: boolean;
          readonly mdy: boolean;
          readonly rows: number;
          readonly preamble: boolean;
        },
    );
  type File = typeof file extends fc.Arbitrary<infer Each> ? Each : never;

  const textOf = ({ shape, columns, headings, rows, preamble, ...marks }: File, firstDay: number): string => {
    const quoted = (cells: readonly string[]): string => cells.map((cell) => `"${cell}"`).join(";");
    const lines = [
      ...(preamble ? [quoted(["Some bank", "", "", "of Nairobi"])] : []),
      quoted(columns.map((field) => headings[shape.indexOf(field)] ?? "")),
      ...Array.from({ length: rows }, (_, index) => quoted(columns.map((field) => cellOf(field, index, marks, firstDay)))),
    ];
    return lines.join("\n");
  };
  const readBy = async (text: string, options: Partial<LayoutOptions>) => {
    const table = await tableOf(new TextEncoder().encode(text), "t.csv");
    const layout = await settleLayout(table, await scanTable(table), { told: new Map(), layouts: [], usually: "statement", ...options });
    if (isRefusal(layout)) return undefined;
    return { layout, records: (await readRecords(table, layout, { name: "t", zone: "Africa/Nairobi" })).records };
  };
  /** Recognised by its headings; chosen by its name where there are too few of them. */
  const byLayout = (layout: LayoutData): Partial<LayoutOptions> => (layout.recognise === undefined ? { layout } : { layouts: [layout] });

  const headedByEquation: File = {
    ...{ shape: ["reference", "amount"], columns: ["reference", "amount"], headings: ["Ref", "x=y"], told: ["amount"] },
    ...{ comma: false, mdy: false, rows: 3, preamble: false, kind: "orders" },
  };

  it("reads it and files like it in the same way after it was saved", async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(file, async (each) => {
        const { columns, told, comma, mdy, kind } = each;
        const options: Partial<LayoutOptions> = {
          told: new Map(told.map((field) => [field, String(columns.indexOf(field) + 1)])),
          decimal: comma ? "," : ".",
          dayOrder: mdy ? "mdy" : "dmy",
          as: kind,
        };
        const first = await readBy(textOf(each, 12), options);
        if (first === undefined) return;
        read += 1;
        const layout: Layout = first.layout;
        const [loaded] = await saved(toLayoutData("kept", layout, {}, []));
        if (loaded === undefined) throw new Error("it was not saved");
        const again = await readBy(textOf(each, 12), byLayout(loaded));
        expect(again?.layout.columns).toEqual(layout.columns);
        expect(again?.records).toEqual(first.records);
        const next = textOf(each, 1);
        expect((await readBy(next, byLayout(loaded)))?.records).toEqual((await readBy(next, options))?.records);
      }),
      { numRuns: 80, examples: [[headedByEquation]] },
    );
    expect(read).toBeGreaterThan(25);
  });
});
