import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRowReader } from "../../src/tables/delimited.ts";
import { openTable, type Table, type TableRow, tableOf } from "../../src/tables/read-table.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const rowsOf = async (table: Table): Promise<TableRow[]> => {
  const rows: TableRow[] = [];
  await table.scan((row) => rows.push(row));
  return rows;
};
const read = async (bytes: Uint8Array | string, name = "t.csv") => {
  const { scan: _, ...shape } = await tableOf(typeof bytes === "string" ? utf8(bytes) : bytes, name);
  return { ...shape, rows: await rowsOf(await tableOf(typeof bytes === "string" ? utf8(bytes) : bytes, name)) };
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
    ["\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1", "cut off"],
    ["name,amount\nab\u0000c,1", "zero bytes"],
    ['[{"a":1},', "looks like JSON, but it is not valid or it is cut off"],
    ['[{"a":1,"a":2}]', "the field a twice"],
    ['{"paid":[{"a":1}],"x":{"open":[{"a":2}]}}', "several lists: paid, x.open"],
    ['{\n  "a": 1\n}\n', "no list of objects"],
    [`[{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}]`, "nested too deeply"],
    ["OFXHEADER:100\nDATA:OFXSGML\n<OFX><CURDEF>KES</OFX>", "OFX"],
    ["!Type:Bank\nD03/02/26\nT1,500.00\n^\n", "QIF"],
    ["Date        Reference  Amount\n10/01/2026  INV-1      1,500.00\n11/01/2026  INV-2      2,350.50\n", "printed table"],
    ["Date      Narration         Deposit Amt.\n********  ****************  ************\n01/02/26  ASHA, BLR-1041       15,000.00\n", "printed table"],
  ])("refuses %j", async (text, says) => {
    await expect(read(Uint8Array.from(text, (one) => one.charCodeAt(0)))).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining(says) });
  });
});

describe("JSON", () => {
  it.each([
    ["a list", '[{"ref":"007","amount":1500.10},{"ref":"008","lines":[{"a":1}]}]', "its list"],
    [
      "an answer on one line",
      '{"status":true,"data":{"items":[{"ref":"007","amount":1500.10},{"ref":"008","lines":[{"a":1}]}]},"meta":{}}',
      "the list data.items",
    ],
    ["an answer over many lines", '{\n "data": [\n {"ref":"007","amount":1500.10},\n {"ref":"008","lines":[{"a":1}]}]\n}', "the list data"],
  ])("gives the objects of %s as rows, with all digits", async (_, text, says) => {
    const { kind, rows, notes } = await read(text);
    expect([kind, rows.map(({ line, cells }) => [line, ...cells])]).toEqual([
      "jsonl",
      [
        [0, "ref", "amount", "lines"],
        [1, "007", "1500.10", ""],
        [2, "008", "", '[{"a":1}]'],
      ],
    ]);
    expect(notes.join()).toContain(`each item of ${says} is a row`);
  });
});

describe("JSONL", () => {
  it("has the keys as a first row, keeps digits, and gives what an object inside holds columns of its own", async () => {
    const { kind, rows } = await read(
      '{"reference":"007","amount":1500.10}\n\n{"amount":12345678901234567890,"phone":null,"x":{"y":1,"z":{"list":[1]}}}\n',
      "t.jsonl",
    );
    expect(kind).toBe("jsonl");
    expect(rows).toMatchObject([
      { line: 0, cells: ["reference", "amount", "phone", "x.y", "x.z.list"] },
      { line: 1, cells: ["007", "1500.10", "", "", ""] },
      { line: 2, cells: [""] },
      { line: 3, cells: ["", "12345678901234567890", "", "1", "[1]"] },
    ]);
  });
  it("refuses a line in which two values have one name", async () => {
    await expect(tableOf(utf8('{"a.b":1,"a":{"b":2}}'), "t.jsonl")).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/Line 1 .*a\.b twice/),
    });
  });
  it("names the line that is no object", async () => {
    await expect(read('{"a":1}\n{"a":\n')).rejects.toMatchObject({ message: expect.stringContaining("Line 2") });
    await expect(read('{"a":1}\n[1]\n')).rejects.toMatchObject({ message: expect.stringContaining("Line 2") });
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
        const table = await openTable(path);
        const { scan: _, ...shape } = table;
        const found = await rowsOf(table);
        const { rows: inMemory, ...same } = await read(text, path);
        expect(shape).toEqual(same);
        expect(found).toEqual(inMemory);
      }
      await expect(openTable(join(folder, "none.csv"))).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("no such file") });
      await expect(openTable(folder)).rejects.toMatchObject({ kind: "usage" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("hostile files end soon, with words", () => {
  it("a line without end is refused, not looked through for hours", async () => {
    for (const line of ["x".repeat(8_000_000), "1,".repeat(4_000_000)])
      await expect(read(`a,b\n${line}`)).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("Line 2 of t.csv ") });
  });
  it("JSON nested without end is refused", async () => {
    await expect(read(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "t.jsonl")).rejects.toMatchObject({ kind: "usage" });
  });
});
