import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { createRowReader, type TableRow } from "../../../src/files/delimited.ts";
import { readTable, readTableFile } from "../../../src/files/read-table.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = async (bytes: Uint8Array | string, name = "t.csv") => {
  const table = await readTable(typeof bytes === "string" ? utf8(bytes) : bytes, name);
  return { ...table, rows: [...table.rows] };
};

describe("delimited text", () => {
  it("counts physical lines, also inside quotes and with any line end", async () => {
    const { rows } = await read('a,b\r\n"x\r\ny",1\r"p\nq\nr",2\n\nlast,3');
    expect(rows).toEqual([
      { line: 1, cells: ["a", "b"] },
      { line: 2, cells: ["x\r\ny", "1"] },
      { line: 4, cells: ["p\nq\nr", "2"] },
      { line: 7, cells: [""] },
      { line: 8, cells: ["last", "3"] },
    ]);
  });
  it.each([
    ["a,b\n1,2\n3,4", ","],
    ["a;b;c\n1,5;2,5;x\n3,5;4;y", ";"],
    ["a\tb\n1,2\t3", "\t"],
    ["title, with comma\na;b;c;d\n1;2;3;4\n5;6;7;8", ";"],
  ])("finds the delimiter of %j", async (text, delimiter) => {
    expect((await read(text)).delimiter).toBe(delimiter);
  });
  it("names the line of a quote that is never closed, and of text after one", async () => {
    await expect(read('a,b\n1,2\n"x,3\n4,5')).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("Line 3") });
    await expect(read('a,b\n1,2\n"x"y,3')).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("Line 3") });
  });
  it("reads back whatever was written, however it is cut into pieces", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "é", ",", '"', "\n", "\r", " ", ";", "1") });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 7 }), (rows, size) => {
        const text = rows.map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(",")).join("\r\n");
        const found: TableRow[] = [];
        const reader = createRowReader(",", (row) => found.push(row));
        for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
        reader.end();
        expect(found.map((row) => row.cells)).toEqual(rows);
        const lines = (part: string) => part.split(/\r\n|\r|\n/).length - 1;
        let line = 1;
        for (const [index, row] of found.entries()) {
          expect(row.line).toBe(line);
          line += lines((rows[index] ?? []).join("|")) + 1;
        }
      }),
    );
  });
});

describe("encodings", () => {
  const text = "name,amount\nCafé – “x”,5\n";
  const utf16 = (big: boolean, bom: boolean) => {
    const buffer = Buffer.from((bom ? "\ufeff" : "") + text, "utf16le");
    return big ? buffer.swap16() : buffer;
  };
  it.each([
    ["UTF-8", utf8(text), "utf-8", false],
    ["UTF-8 with a mark", utf8(`\ufeff${text}`), "utf-8", true],
    ["UTF-16 LE", utf16(false, true), "utf-16le", true],
    ["UTF-16 BE", utf16(true, true), "utf-16be", true],
    ["UTF-16 LE without a mark", utf16(false, false), "utf-16le", false],
    ["windows-1252", Uint8Array.from([...text].map((one) => ({ "–": 0x96, "“": 0x93, "”": 0x94 })[one] ?? one.charCodeAt(0))), "windows-1252", false],
  ])("%s", async (_, bytes, encoding, bom) => {
    const table = await read(new Uint8Array(bytes));
    expect([table.encoding, table.bom]).toEqual([encoding, bom]);
    expect(table.rows[1]?.cells).toEqual(["Café – “x”", "5"]);
  });
  it.each([
    ["%PDF-1.7", "PDF"],
    ["\u00d0\u00cf\u0011\u00e0", ".xls"],
    ["name,amount\nab\u0000c,1", "zero bytes"],
    ['[{"a":1}]', "JSON array"],
  ])("refuses %j", async (text, says) => {
    await expect(read(Uint8Array.from(text, (one) => one.charCodeAt(0)))).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining(says) });
  });
});

describe("JSONL", () => {
  it("has the keys as a first row and keeps digits", async () => {
    const { kind, rows } = await read('{"reference":"007","amount":1500.10}\n\n{"amount":12345678901234567890,"phone":null,"x":{"y":1}}\n', "t.jsonl");
    expect(kind).toBe("jsonl");
    expect(rows).toEqual([
      { line: 0, cells: ["reference", "amount", "phone", "x"] },
      { line: 1, cells: ["007", "1500.10", "", ""] },
      { line: 2, cells: [""] },
      { line: 3, cells: ["", "12345678901234567890", "", '{"y":1}'] },
    ]);
  });
  it("names the line that is no object", async () => {
    await expect(read('{"a":1}\n{"a":\n')).rejects.toMatchObject({ message: expect.stringContaining("Line 2") });
    await expect(read('{"a":1}\n[1]\n')).rejects.toMatchObject({ message: expect.stringContaining("Line 2") });
  });
});

const workbook = (sheets: readonly string[], shared = "", properties = "") =>
  zipSync({
    "xl/workbook.xml": strToU8(
      `<workbook xmlns:r="r">${properties}<sheets>${sheets.map((_, index) => `<sheet name="S&amp;${index + 1}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`).join("")}</sheets></workbook>`,
    ),
    "xl/_rels/workbook.xml.rels": strToU8(
      `<Relationships>${sheets.map((_, index) => `<Relationship Id="rId${index + 1}" Target="worksheets/sheet${index + 1}.xml"/>`).join("")}</Relationships>`,
    ),
    "xl/sharedStrings.xml": strToU8(`<sst>${shared}</sst>`),
    ...Object.fromEntries(
      sheets.map((rows, index) => [`xl/worksheets/sheet${index + 1}.xml`, strToU8(`<worksheet><sheetData>${rows}</sheetData></worksheet>`)]),
    ),
  });

describe("XLSX", () => {
  it("reads shared and inline strings, numbers and serial dates, with the sheet's row numbers", async () => {
    const shared = "<si><t>reference</t></si><si><r><t>am</t></r><r><t xml:space='preserve'>ount</t></r></si>";
    const rows =
      '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c></row>' +
      '<row r="5"><c r="A5" t="inlineStr"><is><t>00731 &amp; x</t></is></c><c r="B5"><v>0.30000000000000004</v></c><c r="D5" s="3"><v>46082.375</v></c></row>' +
      '<row r="6"><c r="B6"><v>2.54712345678E11</v></c></row>';
    const { kind, rows: found } = await read(workbook([rows, ""], shared), "t.xlsx");
    expect(kind).toBe("xlsx");
    expect(found).toEqual([
      { line: 2, cells: ["reference", "amount"] },
      { line: 5, cells: ["00731 & x", "0.3", "", "46082.375"] },
      { line: 6, cells: ["", "254712345678"] },
    ]);
  });
  it.each([
    ["a formula", ['<row r="1"><c r="B1"><f>SUM(A1)</f><v>1</v></c></row>'], "B1 holds a formula"],
    ["a cell twice", ['<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>'], "A1 comes twice"],
    ["several sheets", ['<row r="1"><c r="A1"><v>1</v></c></row>', '<row r="1"><c r="A1"><v>1</v></c></row>'], "S&1, S&2"],
    ["a far column", ['<row r="1"><c r="XFD1"><v>1</v></c></row>'], "beyond"],
    [
      "too many rows",
      [Array.from({ length: 20_001 }, (_, index) => `<row r="${index + 1}"><c r="A${index + 1}"><v>1</v></c></row>`).join("")],
      "more than 20000 rows",
    ],
  ])("refuses %s", async (_, sheets, says) => {
    await expect(read(workbook(sheets), "t.xlsx")).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining(says) });
  });
  it("refuses a bomb, a damaged file and dates from 1904", async () => {
    await expect(read(workbook([" ".repeat(130 * 1024 * 1024)]), "t.xlsx")).rejects.toMatchObject({ message: expect.stringContaining("unpacks to more") });
    await expect(read(workbook([""]).slice(0, 200), "t.xlsx")).rejects.toMatchObject({ message: expect.stringContaining("damaged") });
    await expect(read(workbook([""], "", '<workbookPr date1904="1"/>'), "t.xlsx")).rejects.toMatchObject({ message: expect.stringContaining("1904") });
  });
});

describe("from disk", () => {
  it("gives the same rows as from memory", async () => {
    const folder = mkdtempSync(join(tmpdir(), "table-"));
    try {
      for (const [name, text] of [
        ["a.csv", `reference,amount\n${Array.from({ length: 40_000 }, (_, index) => `R-${index},${index}.50`).join("\n")}`],
        ["b.jsonl", Array.from({ length: 3000 }, (_, index) => `{"reference":"é${index}","n":${index}}`).join("\n")],
      ] as const) {
        const path = join(folder, name);
        writeFileSync(path, text);
        const { rows, ...shape } = await readTableFile(path);
        const found: TableRow[] = [];
        for await (const row of rows) found.push(row);
        const { rows: inMemory, ...same } = await read(text, path);
        expect(shape).toEqual(same);
        expect(found).toEqual(inMemory);
      }
      await expect(readTableFile(join(folder, "none.csv"))).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("no such file") });
      await expect(readTableFile(folder)).rejects.toMatchObject({ kind: "usage" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("hostile files end soon, with words", () => {
  const workbook = (sheet: string, strings = ""): Uint8Array =>
    zipSync({
      "xl/workbook.xml": strToU8('<workbook><sheets><sheet name="S"/></sheets></workbook>'),
      "xl/sharedStrings.xml": strToU8(strings),
      "xl/worksheets/sheet1.xml": strToU8(sheet),
    });
  const many = 50_000;
  // Each took minutes: the time grew with the square of what was left open.
  it.each([
    ["rows never closed", "<row>".repeat(many), ""],
    ["cells never closed", `<row>${"<c>".repeat(many)}</row>`, ""],
    ["strings never closed", "<row/>", "<si>".repeat(many)],
    ["hints never closed", "<row/>", `<si>${"<rPh>".repeat(many)}</si>`],
    ["a tag never ended", `${"<row ".repeat(many)}`, ""],
    ["a sheet cut off in the middle of a row", '<row r="1"><c t="inlineStr"><is><t>phone</t></is></c></row><row r="2"><c><v>1</v>', ""],
  ])("XLSX with %s is refused", async (_, sheet, strings) => {
    await expect(read(workbook(sheet, strings), "t.xlsx")).rejects.toMatchObject({ kind: "usage", message: "t.xlsx is a damaged workbook." });
  });
  it("XLSX with endless names and values is gone through once", async () => {
    expect((await read(workbook(`<row ${"a".repeat(200_000)}/>`), "t.xlsx")).rows).toEqual([]);
    expect((await read(workbook(`<row><c>${"<v ".repeat(many)}</c></row>`), "t.xlsx")).rows).toEqual([]);
  });
  it("a line without end is refused, not looked through for hours", async () => {
    for (const line of ["x".repeat(8_000_000), "1,".repeat(4_000_000)])
      await expect(read(`a,b\n${line}`)).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("Line 2 of t.csv is longer") });
  });
  it("JSON nested without end is refused", async () => {
    await expect(read(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "t.jsonl")).rejects.toMatchObject({ kind: "usage" });
  });
});
