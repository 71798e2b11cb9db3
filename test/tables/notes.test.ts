import { describe, expect, it } from "vitest";
import { type Table, type TableRow, tableOf } from "../../src/tables/read-table.ts";
import { textCell, workbook } from "../support/workbook.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const rowsOf = async (table: Table): Promise<readonly TableRow[]> => {
  const rows: TableRow[] = [];
  await table.scan((row) => rows.push(row));
  return rows;
};
const cellsOf = async (table: Table) => (await rowsOf(table)).map(({ cells }) => cells);

describe("what must be reported of a file is in its notes", () => {
  it("one byte of windows-1252 in a UTF-8 file is read, with its line", async () => {
    const bytes = Buffer.concat([utf8("name,amount\nCafé,1\n"), latin("Caf\u00e9,2\n"), utf8("日本,3\n")]);
    const table = await tableOf(bytes, "t.csv");
    expect(table.encoding).toBe("utf-8");
    expect(table.notes).toEqual([expect.stringMatching(/a character of windows-1252 .*line 3/)]);
    expect(await cellsOf(table)).toEqual([
      ["name", "amount"],
      ["Café", "1"],
      ["Café", "2"],
      ["日本", "3"],
    ]);
  });
  it("the same however the file is cut into pieces: a stray byte at the end of one is no half character", async () => {
    const line = Buffer.concat([utf8("é,"), latin("\u00e9\u00e9,\u0080\n")]);
    const bytes = Buffer.concat(Array.from({ length: 60_000 }, () => line));
    const table = await tableOf(bytes, "t.csv");
    const rows = await cellsOf(table);
    expect([rows.length, new Set(rows.map((cells) => cells.join()))]).toEqual([60_000, new Set(["é,éé,€"])]);
    expect(table.notes).toEqual([expect.stringContaining("180000 characters")]);
  });
  it("a file of one encoding has none", async () => {
    for (const bytes of [utf8("a,b\né,1\n"), latin("a,b\n\u00e9,1\n"), Buffer.from("\ufeffa\tb\r\né\t1", "utf16le")]) {
      const table = await tableOf(bytes, "t.csv");
      expect([table.notes, (await cellsOf(table))[1]]).toEqual([[], ["é", "1"]]);
    }
  });
  it("hidden rows, columns and sheets, and formulas", async () => {
    const rows = `<row r="1">${textCell("a")}${textCell("b")}</row><row r="2" hidden="1">${textCell("x")}<c><f>1+1</f><v>2</v></c></row>`;
    const before = '<cols><col min="2" max="2" hidden="1"/></cols>';
    const table = await tableOf(
      workbook({
        sheets: [
          { rows, before },
          { name: "Old", rows, state: "hidden" },
        ],
      }),
      "t.xlsx",
    );
    expect(table.notes).toEqual([
      expect.stringMatching(/hidden rows.*: 2$/),
      expect.stringMatching(/hidden columns.*: B$/),
      expect.stringMatching(/1 cell with a formula \(B2 first\)/),
      expect.stringMatching(/hidden sheets.*: Old$/),
    ]);
    expect(await cellsOf(table)).toEqual([
      ["a", "b"],
      ["x", "2"],
    ]);
  });
  it("dates that count from 1904 are given as others count them", async () => {
    const rows = '<row><c s="1"><v>44561.5</v></c><c><v>44561</v></c></row>';
    const table = await tableOf(workbook({ sheets: [{ rows }], formats: [22], properties: '<workbookPr date1904="1"/>' }), "t.xlsx");
    expect(await cellsOf(table)).toEqual([["46023.5", "44561"]]);
    expect(table.notes).toEqual([expect.stringContaining("1904")]);
  });
});

describe("sheets", () => {
  it("merged cells keep their value in the first cell, and are marked", async () => {
    const rows = `<row r="1">${textCell("Title")}</row><row r="2">${textCell("Date")}<c r="B2" t="str"><v>Amount</v></c></row><row r="3"><c r="B3" t="str"><v>In</v></c><c r="C3" t="str"><v>Out</v></c></row>`;
    const after = '<mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="A2:A3"/><mergeCell ref="B2:C2"/></mergeCells>';
    const found = await rowsOf(await tableOf(workbook({ sheets: [{ rows, after }] }), "t.xlsx"));
    expect(found.map(({ cells, marks }) => cells.map((cell, column) => [cell, marks?.[column]?.kind]))).toEqual([
      [["Title", "unclear"]],
      [
        ["Date", "unclear"],
        ["Amount", "unclear"],
      ],
      [
        ["", "unclear"],
        ["In", undefined],
        ["Out", undefined],
      ],
    ]);
  });
  it("a sheet that is too large to be kept gives the same rows each time, with their marks", async () => {
    const count = 51_000;
    const rows = Array.from({ length: count }, (_, index) => `<row><c><v>${index}</v></c>${"<c><v>7</v></c>".repeat(7)}</row>`).join("");
    const after = '<mergeCells><mergeCell ref="A51000:B51000"/></mergeCells>';
    const table = await tableOf(workbook({ sheets: [{ rows, after }] }), "t.xlsx");
    let seen = 0;
    let last: TableRow | undefined;
    await table.scan((row) => {
      if (row.cells[0] === String(seen)) seen += 1;
      last = row;
    });
    expect([seen, last?.line, last?.marks?.[1]?.kind]).toEqual([count, count, "unclear"]);
  }, 180_000);
  it("an empty second sheet is no choice; of two filled ones the refusal has the whole command", async () => {
    const rows = `<row>${textCell("a")}</row>`;
    expect((await tableOf(workbook({ sheets: [{ rows }, {}] }), "t.xlsx")).notes).toEqual([]);
    const command = (sheet: string) => ["tx", "reconcile", "t.xlsx", "--sheet", sheet];
    const sheets = [
      { name: "May 26", rows },
      { name: "June", rows },
    ];
    await expect(tableOf(workbook({ sheets }), "t.xlsx", { command })).rejects.toMatchObject({ kind: "usage", command: command("May 26") });
  });
});

describe("any delimiter", () => {
  it.each([
    ["a|b|c\n1,500|x|y\n2,500|x|y\n", "|"],
    ["a~b\n1~2\n", "~"],
    ["a^b^c\n1^2^3\n", "^"],
    ["a\u001fb\n1\u001f2\n", "\u001f"],
    ["sep=:\na:b\n1:2\n", ":"],
    ["date,details,amount\n1,a|b|c|d,2\n1,a|b|c|d,2\n1,a|b|c|d,2\n", ","],
    ["date,details\n1,a~b~c\n", ","],
    ["one\ntwo\n", ","],
  ])("%j: %j", async (text, delimiter) => expect((await tableOf(utf8(text), "t.txt")).delimiter).toBe(delimiter));
  it("a letter cannot be one", async () => {
    await expect(tableOf(utf8("sep=x\naxb\n"), "t.csv")).rejects.toMatchObject({ kind: "usage" });
  });
});
