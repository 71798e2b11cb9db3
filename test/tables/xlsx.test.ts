import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { type TableRow, tableOf } from "../../src/tables/read-table.ts";
import { escapeXml, textCell, workbook } from "../support/workbook.ts";

const read = async (bytes: Uint8Array, options = {}): Promise<readonly TableRow[]> => {
  const table = await tableOf(bytes, "t.xlsx", options);
  expect(table.kind).toBe("xlsx");
  const rows: TableRow[] = [];
  await table.scan((row) => rows.push(row));
  return rows;
};
const cellsOf = async (rows: string, more: Omit<Parameters<typeof workbook>[0], "sheets"> = {}) =>
  (await read(workbook({ sheets: [{ rows }], ...more }))).map(({ line, cells }) => [line, ...cells]);
const refusal = (message: string) => ({ kind: "usage", message: expect.stringContaining(message) });
const row = (...cells: readonly string[]): string => `<row>${cells.join("")}</row>`;
const number = (value: string, style = 0): string => `<c s="${style}"><v>${value}</v></c>`;

describe("the parts of a workbook", () => {
  it("gives shared and inline strings, numbers and serial dates, with the sheet's row numbers", async () => {
    const strings = "<si><t>reference</t></si><si><r><t>am</t></r><r><t xml:space='preserve'>ount</t></r><rPh sb='0' eb='1'><t>hint</t></rPh></si>";
    const rows =
      '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c></row>' +
      '<row r="5"><c r="A5" t="inlineStr"><is><t>00731 &amp; x</t></is></c><c r="B5"><v>0.30000000000000004</v></c><c r="D5" s="1"><v>46082.375</v></c></row>' +
      '<row r="6"><c r="B6"><v>2.54712345678E11</v></c></row>';
    const found = await read(workbook({ sheets: [{ rows }, {}], strings, formats: [22] }));
    expect(found.map(({ line, cells }) => [line, ...cells])).toEqual([
      [2, "reference", "amount"],
      [5, "00731 & x", "0.3", "", "46082.375"],
      [6, "", "254712345678"],
    ]);
    expect(found[1]?.marks?.map((mark) => mark?.kind)).toEqual([undefined, "number", undefined, "date"]);
  });

  it("reads what XML allows: comments, CDATA, instructions, entities, prefixes, other namespaces, and the strict form", async () => {
    const odd =
      '<!-- <row/> --><row><?x <c/> ?><c t="inlineStr"><is><t>a<!-- b -->&#99;<![CDATA[<d>&amp;]]>&#x65;_x0041_</t></is></c><o:c xmlns:o="urn:o"><o:v>9</o:v></o:c><c><v><![CDATA[1]]>5</v></c></row>';
    expect(await cellsOf(odd)).toEqual([[1, "ac<d>&amp;eA", "15"]]);
    expect(await cellsOf(odd, { strict: true })).toEqual([[1, "ac<d>&amp;eA", "15"]]);
    const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const prefixed = `<x:worksheet xmlns:x="${main}"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>é</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`;
    expect(await cellsOf("", { parts: { "xl/worksheets/sheet1.xml": prefixed } })).toEqual([[1, "é"]]);
    const wide = Buffer.from(`\ufeff${prefixed}`, "utf16le");
    expect(await cellsOf("", { parts: { "xl/worksheets/sheet1.xml": new Uint8Array(wide) } })).toEqual([[1, "é"]]);
  });

  it("finds sheets by their relations, not by their numbers or the case of their names", async () => {
    const space = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const relation = (id: string, type: string, target: string) => `<Relationship Id="${id}" Type="${space}/${type}" Target="${target}"/>`;
    const relations = (inner: string) => `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
    const parts = {
      "_rels/.rels": relations(relation("x", "officeDocument", "/book/Main.xml")),
      "book/main.xml": `<workbook xmlns="m" xmlns:q="${space}"><sheets><sheet name="Two" q:id="b"/><sheet name="One" q:id="a"/></sheets></workbook>`,
      "book/_rels/main.xml.rels": relations(
        relation("a", "worksheet", "../xl/worksheets/sheet1.xml") + relation("b", "worksheet", "/xl/worksheets/sheet2.xml"),
      ),
    };
    const bytes = workbook({ sheets: [{ rows: row(textCell("one")) }, { rows: row(textCell("two")) }], parts });
    expect(await read(bytes, { sheet: "two" })).toMatchObject([{ cells: ["two"] }]);
    expect(await read(bytes, { sheet: "ONE" })).toMatchObject([{ cells: ["one"] }]);
  });

  it("takes the usual places if a workbook has no lists of relations", async () => {
    const parts = {
      "xl/workbook.xml": strToU8('<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>'),
      "xl/worksheets/sheet1.xml": strToU8(`<worksheet><sheetData>${row(textCell("a"))}</sheetData></worksheet>`),
    };
    expect(await read(zipSync(parts))).toMatchObject([{ cells: ["a"] }]);
  });

  it.each([
    ["a cell twice", '<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>', "A1 comes twice"],
    ["cells out of order", '<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>2</v></c></row>', "A1 comes twice or out of order"],
    ["a cell of another row", '<row r="1"><c r="A2"><v>1</v></c></row>', "A2 comes twice or out of order"],
    ["an address in small letters", '<row r="1"><c r="b1"><v>1</v></c></row>', '"b1" is not the name of a cell'],
    ["a row twice", '<row r="2"/><row r="2"/>', "row 2 comes twice"],
    ["rows out of order", '<row r="2"/><row/><row r="1"/>', "row 1 comes twice, out of order"],
    ["a row number that is no number", '<row r="1e1"><c><v>1</v></c></row>', "row 1e1"],
    ["two values", "<row><c><v>1</v><v>2</v></c></row>", "A1 has two values"],
    ["a value inside a value", "<row><c><v>1<o:a xmlns:o='o'>2</o:a>3</v></c></row>", "inside a text"],
    [
      "alternative content",
      "<row><c><o:AlternateContent xmlns:o='o'><o:Choice><v>2</v></o:Choice></o:AlternateContent></c></row>",
      "<v> where it does not belong",
    ],
    ["rows outside of the data", "</sheetData><row><c><v>1</v></c></row><sheetData>", "<row> where it does not belong"],
    ["a shared string that is missing", "<row><c t='s'><v>7</v></c></row>", "A1 cannot be read"],
    ["a value that is no number", "<row><c><v>0x1F</v></c></row>", "A1 cannot be read"],
    ["a decimal comma", "<row><c><v>1,5</v></c></row>", "A1 cannot be read"],
    ["a type that is not known", "<row><c t='q'><v>1</v></c></row>", "A1 cannot be read"],
    ["a style that is missing", "<row><c s='9'><v>1</v></c></row>", "A1 cannot be read"],
    ["a far column", '<row r="1"><c r="XFD1"><v>1</v></c></row>', "beyond"],
    ["an entity of its own", "<row><c t='inlineStr'><is><t>&money;</t></is></c></row>", "not sound XML"],
    ["a prefix that is not bound", "<x:row/>", "not sound XML"],
    ["rows beyond the last of a sheet", '<row r="1048577"><c><v>1</v></c></row>', "row 1048577"],
  ])("refuses %s", async (_, rows, says) => {
    await expect(read(workbook({ sheets: [{ rows }] }))).rejects.toMatchObject(refusal(says));
  });

  it("passes over extensions, which may have parts of the same names", async () => {
    const after = "<extLst><ext><o:x xmlns:o='o'><row><c><v>9</v></c></row></o:x></ext></extLst>";
    expect(
      await read(workbook({ sheets: [{ rows: row(number("1")), after }], moreStyles: "<extLst><ext><o:dxfs xmlns:o='o'><dxf/></o:dxfs></ext></extLst>" })),
    ).toMatchObject([{ cells: ["1"] }]);
  });

  it("leaves empty cells of far columns out", async () => {
    expect(await cellsOf('<row r="1"><c r="A1"><v>1</v></c><c r="XFD1" s="0"/></row>')).toEqual([[1, "1"]]);
  });
});

describe("sheets", () => {
  const one = { name: "One", rows: row(textCell("one")) };
  const two = { name: "S&2", rows: row(textCell("two")) };
  it("refuses several visible sheets unless one is named", async () => {
    await expect(read(workbook({ sheets: [one, two] }))).rejects.toMatchObject({ ...refusal("One, S&2"), hint: expect.stringContaining("--sheet") });
    expect(await read(workbook({ sheets: [one, two] }), { sheet: "s&2" })).toMatchObject([{ cells: ["two"] }]);
    await expect(read(workbook({ sheets: [one, two] }), { sheet: "Three" })).rejects.toMatchObject({
      ...refusal("no sheet Three"),
      hint: expect.stringContaining("One, S&2"),
    });
  });
  it.each(["hidden", "veryHidden"] as const)("passes over a %s sheet, and reads it only if hidden ones may be named", async (state) => {
    const bytes = workbook({ sheets: [{ ...one, state }, two] });
    expect(await read(bytes)).toMatchObject([{ cells: ["two"] }]);
    await expect(read(bytes, { sheet: "One" })).rejects.toMatchObject(refusal("hidden"));
    expect(await read(bytes, { sheet: "One", includeHidden: true })).toMatchObject([{ cells: ["one"] }]);
    await expect(read(workbook({ sheets: [{ ...one, state }, {}] }))).rejects.toMatchObject(refusal("hidden: One"));
  });
  it("refuses a sheet of something that is no workbook", async () => {
    await expect(tableOf(strToU8("a,b\n1,2"), "t.csv", { sheet: "One" })).rejects.toMatchObject(refusal("not a workbook"));
  });
});

describe("what the sheet shows", () => {
  const markOf = async (format: string | number, value: string) => {
    const [found] = await read(workbook({ sheets: [{ rows: row(number(value, 1)) }], formats: [format] }));
    return found?.marks?.[0];
  };
  const dates = [14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 58];
  const ownDates = [
    "yyyy-mm-dd",
    "dd/mm/yyyy",
    "mmm\\-yy",
    "[h]:mm",
    "[mm]:ss",
    "[ss].00",
    "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy",
    "[$-409]h:mm AM/PM;@",
    "d",
    '"KES "yyyy',
    "[Red]dd.mm.yy",
    "hh:mm:ss.000",
    "0.0 h",
  ];
  it.each([...dates, ...ownDates])("format %s is a date or time", async (format) => {
    expect(await markOf(format, "45787")).toMatchObject({ kind: "date" });
  });
  it.each([
    [0, "45787", undefined],
    ["General", "254712345001", undefined],
    ["@", "712345001", undefined],
    ["0", "150", undefined],
    ["#,##0", "18500", undefined],
    ["0.00", "18500.5", undefined],
    ["#,##0.00", "1234567.89", undefined],
    ['"KES" #,##0.00', "1500", undefined],
    ["[$KSh-441]#,##0.00", "1500.5", undefined],
    ['#,##0"/="', "1500", undefined],
    ['_("Ksh"* #,##0.00_);_("Ksh"* \\(#,##0.00\\);_("Ksh"* "-"??_);_(@_)', "1500", undefined],
    ["#,##0;[Red]-#,##0", "1500", undefined],
    ['0;"days"', "1500", undefined],
    ["# ##0.00", "1234500.5", undefined],
    ["0 00", "150", "1 50"],
    ["0000000000", "712345001", "0712345001"],
    ["0000\\-000\\-000", "712345001", "0712-345-001"],
    ["\\+0", "254712345001", "+254712345001"],
    ['"+"### ### ######', "254712345001", "+254712345001"],
    ['"07"00000000', "12345001", "0712345001"],
    ["00", "12345", undefined],
    ["[>=1000]0;00", "150", undefined],
    ['"+254"0', "712345001", "+254712345001"],
    ["#.##", "0.5", ".5"],
    ['"$"#,##0.00', "100", "$100.00"],
    [42, "100", undefined],
    ['0"K"', "150", "150K"],
    ["(0)", "150", "(150)"],
    ["-0", "150", "-150"],
    ["0-00", "150", "1-50"],
  ] as const)("format %s of %s shows %s", async (format, value, shown) => {
    const mark = await markOf(format, value);
    if (format === 42) expect(mark?.kind).toBe("unclear");
    else expect(mark).toEqual({ kind: "number", says: expect.anything(), ...(shown === undefined ? {} : { shown }) });
  });
  it.each([
    ["0", "99.6"],
    ["0.0", "99.95"],
    ["#,##0", "0.4"],
    [9, "0.5"],
    ["0.00%", "0.5"],
    [11, "254712345001"],
    ["##0.0E+0", "254712345001"],
    [12, "0.5"],
    ["# ??/??", "1.25"],
    ["0,", "150000"],
    ["0.0,,", "1500000"],
    [";;;", "150"],
    ['"paid"', "150"],
    ["", "150"],
    ["0\\.00", "150"],
    ["[DBNum1]0", "150"],
    ["*00", "150"],
    ["###,###,###.00", "1500.5"],
    [25, "150"],
    [999, "150"],
  ] as const)("format %s of %s is not clear", async (format, value) => {
    expect(await markOf(format, value)).toMatchObject({ kind: "unclear" });
  });
  it("takes no format for plain that the workbook describes in two ways", async () => {
    const mark = async (id: number, described: string) => {
      const moreStyles = `<numFmts><numFmt numFmtId="${id}" formatCode="${described}"/></numFmts>`;
      return (await read(workbook({ sheets: [{ rows: row(number("1", 1)) }], formats: [id], moreStyles })))[0]?.marks?.[0]?.kind;
    };
    expect([await mark(2, "0.00"), await mark(2, "0")]).toEqual(["number", "unclear"]);
    // Numbers of their own that programs begin at 59, and currencies.
    expect([await mark(60, "#,##0.00"), await mark(59, "d/m/yyyy"), await mark(44, "0.00"), await mark(57, "0.00")]).toEqual([
      "number",
      "date",
      "number",
      "date",
    ]);
  });
  it.each([
    ["a truth value", "<c t='b'><v>1</v></c>", "unclear", "TRUE"],
    ["an error", "<c t='e'><v>#N/A</v></c>", "unclear", "#N/A"],
    ["a date as text", "<c t='d'><v>2026-03-05</v></c>", "date", "2026-03-05"],
    ["sixteen digits", "<c><v>1234567890123456</v></c>", "unclear", "1234567890123456"],
    ["a formula with an old result", "<c><f>1+1</f><v>2</v></c>", "formula", "2"],
    ["a formula without a result", "<c><f>1+1</f></c>", "formula", ""],
    ["the result of a shared formula", "<c><f t='shared' si='0'/><v>2</v></c>", "formula", "2"],
    ["a text with a format that hides it", "<c t='inlineStr' s='1'><is><t>a</t></is></c>", "unclear", "a"],
    ["a text with a format that adds to it", "<c t='str' s='2'><v>a</v></c>", "unclear", "a"],
    ["a text with an accounting format", "<c t='str' s='3'><v>a</v></c>", undefined, "a"],
    ["a style that may not use its format", "<c s='4'><v>1</v></c>", "unclear", "1"],
  ])("%s is marked", async (_, cell, kind, text) => {
    const formats = ["0;0;0;", '"INV-"@', '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)'];
    const moreStyles = '<cellXfs><xf numFmtId="14" xfId="0" applyNumberFormat="0"/></cellXfs>';
    const [found] = await read(workbook({ sheets: [{ rows: row(cell) }], formats, moreStyles }));
    expect(found?.cells).toEqual([text]);
    expect(found?.marks?.[0]?.kind).toBe(kind);
  });
  it("marks cells that an array formula fills, merged cells and conditional number formats", async () => {
    const rows =
      row("<c><f t='array' ref='A1:A2'>B1:B2</f><v>1</v></c>", number("1"), number("1"), number("1")) + row(number("2"), number("2"), number("2"), number("2"));
    const after =
      '<mergeCells><mergeCell ref="B1:B9"/></mergeCells><conditionalFormatting sqref="C2 E1:F9"><cfRule dxfId="1"/></conditionalFormatting><conditionalFormatting sqref="D1:D9"><cfRule dxfId="0"/></conditionalFormatting>';
    const moreStyles = '<dxfs><dxf/><dxf><numFmt numFmtId="300" formatCode="0"/></dxf></dxfs>';
    const found = await read(workbook({ sheets: [{ rows, after }], moreStyles }));
    expect(found.map(({ marks }) => marks?.map((mark) => mark?.kind))).toEqual([
      ["formula", "unclear", "number", "number"],
      ["formula", "unclear", "unclear", "number"],
    ]);
  });
  it("knows hidden rows, low rows and hidden or narrow columns", async () => {
    const cell = number("1");
    const rows = `<row hidden="1">${cell}</row><row ht="0" customHeight="1">${cell}</row><row ht="15">${cell}</row><row hidden="true"/><row collapsed="1" outlineLevel="1">${cell}</row>`;
    const before =
      '<sheetFormatPr defaultRowHeight="15"/><cols><col min="2" max="3" hidden="1"/><col min="5" max="5" width="0" customWidth="1"/><col min="6" max="6" width="9"/></cols>';
    const table = await tableOf(workbook({ sheets: [{ rows, before }] }), "t.xlsx");
    const found: TableRow[] = [];
    await table.scan((one) => found.push(one));
    expect(found.map(({ line, hidden }) => [line, hidden])).toEqual([
      [1, true],
      [2, true],
      [3, false],
      [5, false],
    ]);
    expect(table.kind === "xlsx" ? [...table.hiddenColumns] : []).toEqual([1, 2, 4]);
  });
});

describe("what is written is read back", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "山", "🎉", "&", "<", ">", '"', "'", "\n", " ", ",", ";", "]]>", "=", "1") });
  it("texts, however they are kept", async () => {
    const kinds = fc.constantFrom("inline", "shared", "runs", "cdata");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.record({ text, kind: kinds }), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }), async (table) => {
        const strings: string[] = [];
        const cell = ({ text: one, kind }: { text: string; kind: string }): string => {
          if (kind === "inline") return textCell(one);
          if (kind === "cdata") return `<c t="inlineStr"><is><t xml:space="preserve"><![CDATA[${one.replaceAll("]]>", "]]]]><![CDATA[>")}]]></t></is></c>`;
          const half = Math.floor(one.length / 2);
          const whole = /[\ud800-\udbff]$/.test(one.slice(0, half)) ? half + 1 : half;
          const parts =
            kind === "runs"
              ? [one.slice(0, whole), one.slice(whole)].map((part) => `<r><t xml:space="preserve">${escapeXml(part)}</t></r>`).join("")
              : `<t xml:space="preserve">${escapeXml(one)}</t>`;
          strings.push(`<si>${parts}</si>`);
          return `<c t="s"><v>${strings.length - 1}</v></c>`;
        };
        const rows = table.map((cells) => row(...cells.map(cell))).join("");
        const found = await cellsOf(rows, { strings: strings.join("") });
        const expected = table.map((cells, index) => [index + 1, ...cells.map((one) => one.text)]);
        const trimmed = expected.map((cells) => cells.slice(0, cells.findLastIndex((one) => one !== "") + 1)).filter((cells) => cells.length > 1);
        expect(found).toEqual(trimmed);
      }),
      { numRuns: 60 },
    );
  });
  it("amounts, as whatever format shows them, or they are not clear", async () => {
    const formats = ["General", "0", "0.0", "0.00", "#,##0", "#,##0.00", '"KES" 0.00', "0000000000", "0%", "0,", "yyyy", "0.00E+00", "# ?/?"];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 15_000_000 }), fc.integer({ min: 0, max: formats.length - 1 }), async (cents, style) => {
        const value = cents / 100;
        const [found] = await read(workbook({ sheets: [{ rows: row(number(String(value), style + 1)) }], formats }));
        const mark = found?.marks?.[0];
        if (mark?.kind === "number") expect(Number(mark.shown ?? found?.cells[0])).toBe(value);
        else expect(style >= 8 || !/^\d+$/.test(String(value))).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

describe("zip files that contradict themselves", () => {
  const bytes = workbook({ sheets: [{ rows: row(textCell("reference")) }] });
  const changed = (change: (copy: Buffer) => void): Uint8Array => {
    const copy = Buffer.from(bytes);
    change(copy);
    return copy;
  };
  /** Where the entry of the sheet begins in the list at the end. */
  const listed = (copy: Buffer): number => copy.lastIndexOf("xl/worksheets/sheet1.xml") - 46;
  const local = (copy: Buffer): number => copy.indexOf("xl/worksheets/sheet1.xml") - 30;
  it.each<[string, (copy: Buffer) => void]>([
    ["a checksum", (copy) => [copy.writeUInt32LE(1, listed(copy) + 16), copy.writeUInt32LE(1, local(copy) + 14)]],
    ["a checksum of one header", (copy) => copy.writeUInt32LE(1, local(copy) + 14)],
    ["a size that is too small", (copy) => [copy.writeUInt32LE(50, listed(copy) + 24), copy.writeUInt32LE(50, local(copy) + 22)]],
    ["a size that is too large", (copy) => [copy.writeUInt32LE(5000, listed(copy) + 24), copy.writeUInt32LE(5000, local(copy) + 22)]],
    ["a packed size", (copy) => copy.writeUInt32LE(20, listed(copy) + 20)],
    ["a name", (copy) => copy.write("9", local(copy) + 30 + 20)],
    ["a method", (copy) => copy.writeUInt16LE(0, listed(copy) + 10)],
    ["a place", (copy) => copy.writeUInt32LE(3, listed(copy) + 42)],
    ["the number of entries", (copy) => copy.writeUInt16LE(2, copy.length - 12)],
    ["a byte of the content", (copy) => copy.writeUInt8(copy.readUInt8(local(copy) + 60) ^ 0x55, local(copy) + 60)],
  ])("%s", async (_, change) => {
    await expect(read(changed(change))).rejects.toMatchObject(refusal("workbook that cannot be read"));
  });
  it("cut off anywhere", async () => {
    for (let length = 4; length < bytes.length; length += 37) await expect(read(bytes.slice(0, length))).rejects.toMatchObject({ kind: "usage" });
  });
  it("two entries of one name, even if only by case", async () => {
    const twice = Buffer.from(workbook({ sheets: [{ rows: row(textCell("a")) }], parts: { "XL/worksheets/sheet9.xml": "<a/>" } }));
    for (let at = twice.indexOf("XL/worksheets/sheet9.xml"); at >= 0; at = twice.indexOf("XL/worksheets/sheet9.xml"))
      twice.write("XL/worksheets/sheet1.xml", at);
    await expect(read(twice)).rejects.toMatchObject(refusal("twice"));
  });
  it("an end inside the comment at the end", async () => {
    const end = Buffer.from(bytes.slice(-22));
    const outer = Buffer.from(bytes);
    outer.writeUInt16LE(22, outer.length - 2);
    await expect(read(Buffer.concat([outer, end]))).rejects.toMatchObject(refusal("cut off, or not a zip file"));
  });
});

describe("other files", () => {
  it.each([
    ["a picture", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], "a picture"],
    ["a JPEG", [0xff, 0xd8, 0xff, 0xe0], "a picture"],
    ["a PDF", [..."%PDF-1.7"].map((letter) => letter.charCodeAt(0)), "a PDF"],
    ["an old workbook", [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], ".xls"],
    ["an old workbook with a password", [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...Buffer.from("EncryptedPackage", "utf16le")], "password"],
    ["gzip", [0x1f, 0x8b, 8], "gzip"],
    ["XML", [..."<?xml version='1.0'?><a/>"].map((letter) => letter.charCodeAt(0)), "is XML"],
  ])("%s", async (_, bytes, says) => {
    await expect(tableOf(Uint8Array.from(bytes), "t.xlsx")).rejects.toMatchObject(refusal(says));
  });
  it.each([
    ["a binary workbook", { "xl/workbook.bin": "x" }, "xlsb"],
    ["a Word document", { "word/document.xml": "<a/>" }, "Word"],
    ["Numbers", { "Index/Document.iwa": "x" }, "Numbers"],
    ["a zip of something else", { "pay.csv": "phone,amount" }, "zip file, but not a workbook"],
  ])("%s in a zip file", async (_, parts, says) => {
    const zip = zipSync(Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)])));
    await expect(tableOf(zip, "t.xlsx")).rejects.toMatchObject(refusal(says));
  });
  it("a zip file with a password", async () => {
    const zip = Buffer.from(workbook({ sheets: [{}] }));
    for (let at = zip.indexOf("PK\u0001\u0002"); at >= 0; at = zip.indexOf("PK\u0001\u0002", at + 1)) zip.writeUInt16LE(1, at + 8);
    await expect(read(zip)).rejects.toMatchObject(refusal("password"));
  });
});

describe("hostile workbooks cost bounded time and memory", () => {
  const many = 50_000;
  it.each([
    ["rows never closed", "<row>".repeat(many), ""],
    ["cells never closed", `<row>${"<c>".repeat(many)}</row>`, ""],
    ["strings never closed", "<row/>", "<si>".repeat(many)],
    ["a tag never ended", `${"<row ".repeat(many)}`, ""],
    ["attributes without end", `<row ${Array.from({ length: many }, (_, index) => `a${index}=""`).join(" ")}/>`, ""],
    ["deep nesting", "<row/>", `<si>${"<r>".repeat(many)}${"</r>".repeat(many)}</si>`],
    ["a cell, tag or comment without end", `<row><c t="str"><v>${"x".repeat(2_000_000)}</v></c></row>`, ""],
    ["a comment without end", `<!--${"x-".repeat(2_000_000)}-->`, ""],
    ["a name without end", `<${"x".repeat(2_000_000)}/>`, ""],
    ["a value without end", `<row r="${"1".repeat(2_000_000)}"/>`, ""],
    ["columns that cover each other", "", ""],
  ])("%s", async (what, rows, strings) => {
    const before = what.startsWith("columns") ? `<cols>${'<col min="1" max="16384" hidden="1"/>'.repeat(many)}</cols>` : "";
    await expect(read(workbook({ sheets: [{ rows, before }], strings }))).rejects.toMatchObject({ kind: "usage" });
  });
  it("merged cells that cover each other", async () => {
    const rows = `<row>${"<c><v>1</v></c>".repeat(50)}</row>`.repeat(200);
    const merges = (count: number) => `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(count)}</mergeCells>`;
    expect(await read(workbook({ sheets: [{ rows, after: merges(400) }] }))).toHaveLength(200);
    await expect(read(workbook({ sheets: [{ rows, after: merges(600) }] }))).rejects.toMatchObject(refusal("cover its row 1"));
  });
  it("what unpacks to too much", async () => {
    await expect(read(workbook({ sheets: [{}], strings: `<si><t>${"x".repeat(900_000)}</t></si>`.repeat(75) }))).rejects.toMatchObject(
      refusal("which is too much"),
    );
  });
  it("entities that grow, and other documents", async () => {
    const bomb = (inner: string) => workbook({ sheets: [{}], parts: { "xl/worksheets/sheet1.xml": inner } });
    const type = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY e SYSTEM "file:///etc/passwd">]>';
    await expect(read(bomb(`${type}<worksheet xmlns="m"><sheetData><row><c t="str"><v>&b;&e;</v></c></row></sheetData></worksheet>`))).rejects.toMatchObject(
      refusal("DOCTYPE"),
    );
    await expect(read(bomb('<?xml version="1.0" encoding="ISO-8859-1"?><worksheet xmlns="m"/>'))).rejects.toMatchObject(refusal("ISO-8859-1"));
    await expect(
      read(workbook({ sheets: [{}], parts: { "xl/worksheets/sheet1.xml": Uint8Array.from([0x3c, 0x61, 0x3e, 0xff, 0xfe]) } })),
    ).rejects.toMatchObject(refusal("no text"));
  });
});
