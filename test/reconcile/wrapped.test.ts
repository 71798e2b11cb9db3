import { describe, expect, it } from "vitest";
import { isRefusal } from "../../src/reconcile/layout.ts";
import type { OtherSide } from "../../src/reconcile/other-side.ts";
import { readRecords } from "../../src/reconcile/read-records.ts";
import { scanTable, settleLayout } from "../../src/reconcile/scan-table.ts";
import { tableOf } from "../../src/tables/read-table.ts";

const read = async (lines: readonly string[], other?: OtherSide) => {
  const table = await tableOf(new TextEncoder().encode(lines.join("\n")), "t.csv");
  const layout = await settleLayout(table, await scanTable(table), { told: new Map(), layouts: [], usually: "statement" }, other);
  if (isRefusal(layout)) throw new Error(layout.problem);
  const file = await readRecords(table, layout, { name: "t", zone: "Africa/Nairobi" });
  return { ...file, amounts: file.records.map(({ line, reference, amountMinor, unreadable }) => [line, reference ?? unreadable, Number(amountMinor) / 100]) };
};
const head = "Date,Narrative,Money Out,Money In,Balance";
/** Payments of 100, 200, … with the reference on a second line. */
const payments = (count: number, write: (row: string, text: string) => readonly string[]) =>
  Array.from({ length: count }, (_, index) =>
    write(`13/03/2026,MPESA C2B 25472200011${index},,${index + 1}00.00,${1000 + ((index + 1) * (index + 2) * 100) / 2}.00`, `,REF: INV-10${index},,,`),
  ).flat();
const known = (count: number): OtherSide => ({
  name: "orders",
  references: new Map(
    Array.from({ length: count }, (_, index) => [`inv10${index}`, { amountMinor: BigInt(index + 1) * 10_000n, direction: "in", at: undefined }]),
  ),
  receipts: new Map(),
  isDirected: false,
});
const references = [1, 2, 3, 4].map((index) => [`INV-10${index - 1}`, index * 100]);

describe("the text of a row that goes on in lines of its own", () => {
  it("belongs to the row above, if the last row has such lines behind it", async () => {
    const { amounts, continued, notRecords, layout } = await read(
      [head, "13/03/2026,Opening balance,,,1000.00", ...payments(4, (row, text) => [row, text])],
      known(4),
    );
    expect(amounts.map(([, ...rest]) => rest)).toEqual(references);
    expect([continued, notRecords.map(({ why }) => why)]).toEqual([4, ["balance"]]);
    expect(layout.notes.join("\n")).toMatch(/Texts: .*Narrative continue the row above them/);
  });
  it("belongs to the row below, if the first row has such lines before it, in several lines too", async () => {
    const { amounts, continued } = await read(
      [head, "13/03/2026,Opening balance,,,1000.00", ...payments(4, (row, text) => [",from a shop,,,", text, row])],
      known(4),
    );
    expect(amounts.map(([, ...rest]) => rest)).toEqual(references);
    expect(continued).toBe(8);
  });
  it("belongs to the row with the amount of what it names, if the outermost rows prove nothing", async () => {
    const charge = (balance: number) => `13/03/2026,SMS ALERT FEE,5.00,,${balance}.00`;
    const first = "13/03/2026,Cash deposit,,5.00,1000.00";
    const above = [head, first, ...payments(4, (row, text) => [row, text]), charge(1995)];
    expect((await read(above, known(4))).amounts.slice(1, 5).map(([, ...rest]) => rest)).toEqual(references);
    const below = [head, first, ...payments(4, (row, text) => [text, row]), charge(1995)];
    const found = await read(below, known(4));
    expect(found.amounts.slice(1, 5).map(([, ...rest]) => rest)).toEqual(references);
    expect(found.layout.notes.join("\n")).toContain("by the amounts of orders");
  });
  it("belongs to no row if nothing proves it, and is reported with its lines", async () => {
    const rows = payments(4, (row, text) => [row, text]).map((row, index) => row.replace(",", `,${index % 2 === 0 ? `A-${index}` : ""},`));
    const lines = [head.replace(",", ",Ref,"), "13/03/2026,D-1,Cash deposit,,5.00,1000.00", ...rows, "13/03/2026,,SMS ALERT FEE,5.00,,1995.00"];
    const { amounts, continued, loose } = await read(lines);
    expect(amounts.map(([, reference]) => reference)).toEqual(["D-1", "A-0", "A-2", "A-4", "A-6", undefined]);
    expect([continued, loose]).toEqual([0, { count: 4, lines: [4, 6, 8, 10] }]);
  });
  it("goes on over the headings of the next page, and neither a footer nor a total is part of it", async () => {
    const rows = payments(4, (row, text) => [row, text]);
    const { amounts, continued } = await read(
      [head, ...rows.slice(0, 3), head, ...rows.slice(3), ",Total,,1000.00,", "This statement is not signed,,,,"],
      known(4),
    );
    expect(amounts.map(([, ...rest]) => rest)).toEqual(references);
    expect(continued).toBe(4);
  });
  it("is bounded: thousands of lines are no text of one row", async () => {
    const { records, loose, continued } = await read([
      head,
      ...payments(3, (row, text) => [row, text]),
      ...Array.from({ length: 50_000 }, () => ",and so on,,,"),
    ]);
    expect(records).toHaveLength(3);
    expect(loose.count + continued).toBe(50_003);
    expect(continued).toBeLessThan(30);
  });
});
