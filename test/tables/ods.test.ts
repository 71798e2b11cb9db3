import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { type TableRow, tableOf } from "../../src/tables/read-table.ts";

const space = (name: string) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`;
const content = (inner: string, styles = "") =>
  `<?xml version="1.0"?><office:document-content ${["office", "table", "text", "style"].map(space).join(" ")}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${inner}</office:spreadsheet></office:body></office:document-content>`;
const ods = (inner: string, styles = "", manifest = "<manifest/>") =>
  zipSync({
    mimetype: strToU8("application/vnd.oasis.opendocument.spreadsheet"),
    "content.xml": strToU8(content(inner, styles)),
    "META-INF/manifest.xml": strToU8(manifest),
  });
const table = (rows: string, name = "A", more = "") => `<table:table table:name="${name}" ${more}>${rows}</table:table>`;
const text = (value: string, more = "") => `<table:table-cell office:value-type="string" ${more}><text:p>${value}</text:p></table:table-cell>`;
const row = (cells: string, more = "") => `<table:table-row ${more}>${cells}</table:table-row>`;
const read = async (bytes: Uint8Array, options = {}) => {
  const opened = await tableOf(bytes, "t.ods", options);
  const rows: TableRow[] = [];
  await opened.scan((one) => rows.push(one));
  return { opened, rows };
};
const filler = '<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>';

describe("an OpenDocument workbook", () => {
  it("gives texts, numbers, dates and formulas, with the sheet's row numbers", async () => {
    const cells =
      text("A-1<text:s text:c='2'/>x") +
      '<table:table-cell office:value-type="float" office:value="1500.5"><text:p>1,500.50</text:p></table:table-cell>' +
      '<table:table-cell/><table:table-cell office:value-type="date" office:date-value="2026-03-14T08:00:00"><text:p>14/03</text:p></table:table-cell>' +
      '<table:table-cell table:formula="of:=1+1" office:value-type="currency" office:value="2"><text:p>2</text:p></table:table-cell>' +
      '<table:table-cell office:value-type="time" office:time-value="PT08H05M12S"><text:p>8</text:p></table:table-cell>';
    const { opened, rows } = await read(
      ods(
        table(
          `${row(text("<text:span>Ti</text:span>tle<office:annotation><text:p>note</text:p></office:annotation>"))}${row("<table:table-cell/>", 'table:number-rows-repeated="2"')}${row(cells)}${filler}`,
        ),
      ),
    );
    expect([opened.kind, opened.notes]).toEqual(["ods", [expect.stringContaining("E4")]]);
    expect(rows.map(({ line, cells: found }) => [line, ...found])).toEqual([
      [1, "Title"],
      [4, "A-1  x", "1500.5", "", "2026-03-14T08:00:00", "2", "08:05:12"],
    ]);
    expect(rows[1]?.marks?.map((mark) => mark?.kind)).toEqual([undefined, "number", undefined, "date", "formula", "date"]);
  });
  it("repeats rows and cells, and marks merged cells", async () => {
    const merged = text("Wide", 'table:number-columns-spanned="3" table:number-rows-spanned="1"');
    const { rows } = await read(
      ods(
        table(
          `${row(`${merged}<table:covered-table-cell table:number-columns-repeated="2"/>`)}${row(text("x", 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="2"')}`,
        ),
      ),
    );
    expect(rows.map(({ line, cells, marks }) => [line, cells, marks?.[0]?.kind])).toEqual([
      [1, ["Wide"], "unclear"],
      [2, ["x", "x"], undefined],
      [3, ["x", "x"], undefined],
    ]);
  });
  it("reports what is hidden; an empty second sheet is no choice, a filled one is", async () => {
    const hidden = '<style:style style:name="h" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const sheets = table(`<table:table-column table:visibility="collapse"/>${row(text("a"))}${row(text("b"), 'table:visibility="filter"')}`);
    const { opened } = await read(ods(sheets + table("", "Empty") + table(row(text("c")), "Old", 'table:style-name="h"'), hidden));
    expect(opened.notes).toEqual([
      expect.stringMatching(/hidden rows.*: 2$/),
      expect.stringMatching(/hidden columns.*: A$/),
      expect.stringMatching(/hidden sheets.*: Old$/),
    ]);
    const two = ods(sheets + table(row(text("c")), "B"));
    await expect(read(two)).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("A, B") });
    expect((await read(two, { sheet: "b" })).rows[0]?.cells).toEqual(["c"]);
  });
  it("with a password is named so", async () => {
    await expect(read(ods("", "", "<manifest:encryption-data/>"))).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("password") });
  });
  it.each([
    ["a cell repeated without end", table(row(text("x", 'table:number-columns-repeated="16384"')))],
    ["a row repeated without end", table(row(text("x"), 'table:number-rows-repeated="1048576"').repeat(9))],
    ["a false number", table(row(text("x"), 'table:number-rows-repeated="99999999"'))],
    ["rows never closed", "<table:table><table:table-row>".repeat(1000)],
    ["a text without end", table(row(text("x".repeat(3_000_000))))],
    ["no sheet", ""],
    ["an entity", table(row(text("&money;")))],
  ])("%s is refused, within bounds", async (_, inner) => {
    await expect(read(ods(inner))).rejects.toMatchObject({ kind: "usage" });
  });
});
