import { describe, expect, it } from "vitest";
import { createRowReader } from "../../src/tables/delimited.ts";
import { createHtmlReader } from "../../src/tables/html.ts";
import { createLineReader } from "../../src/tables/json-lines.ts";
import { tableOf } from "../../src/tables/read-table.ts";
import { workbook } from "../support/workbook.ts";

const piece = "x".repeat(256 * 1024);
/** How many pieces of 256 KiB a reader takes of a text of 100 MB before it refuses it. */
const piecesTaken = (push: (text: string) => void, first: string, text = piece): number => {
  push(first);
  for (let taken = 1; taken <= 400; taken += 1) {
    try {
      push(text);
    } catch (error) {
      expect(error).toMatchObject({ kind: "usage", message: expect.stringContaining("t.") });
      return taken;
    }
  }
  return Number.POSITIVE_INFINITY;
};

describe("what never ends is refused after a few megabytes, not held", () => {
  const ignore = (): void => undefined;
  it.each([
    ["a line of 100 MB", createRowReader(",", ignore, "t.csv").push, "a,b\n", piece],
    ["a quoted cell of 100 MB", createRowReader(",", ignore, "t.csv").push, 'a,b\n"', piece],
    ["a million columns", createRowReader(",", ignore, "t.csv").push, "a,b\n", ",".repeat(256 * 1024)],
    ["a line of JSON of 100 MB", createLineReader(ignore, "t.jsonl").push, '{"a":"', piece],
    ["a cell of a web page", createHtmlReader(ignore, "t.xls").push, "<table><tr><td>", piece],
    ["an attribute of a web page", createHtmlReader(ignore, "t.xls").push, '<table><tr><td title="', piece],
    ["a comment of a web page", createHtmlReader(ignore, "t.xls").push, "<table><!--", piece],
    ["rows of a web page that hold each other", createHtmlReader(ignore, "t.xls").push, "<table>", "<td><table><tr>".repeat(17_000)],
  ])("%s", (_, push, first, text) => expect(piecesTaken(push, first, text)).toBeLessThanOrEqual(12));
});

describe("sizes that are not true are refused before anything is unpacked", () => {
  it("a part that claims more than a sheet can have, and one that holds more than it claims", async () => {
    const sound = Buffer.from(workbook({ sheets: [{ rows: "<row><c><v>1</v></c></row>" }] }));
    for (const size of [0xffff_fff0, 0x7fff_ffff, 1, 0]) {
      const bytes = Buffer.from(sound);
      for (let at = bytes.indexOf("PK\u0001\u0002"); at >= 0; at = bytes.indexOf("PK\u0001\u0002", at + 1)) bytes.writeUInt32LE(size, at + 24);
      for (let at = bytes.indexOf("PK\u0003\u0004"); at >= 0; at = bytes.indexOf("PK\u0003\u0004", at + 1)) bytes.writeUInt32LE(size, at + 22);
      await expect(tableOf(bytes, "t.xlsx"), String(size)).rejects.toMatchObject({ kind: "usage" });
    }
  });
  it("a sheet that claims all columns and rows has those it holds", async () => {
    const before = '<dimension ref="A1:XFD1048576"/><cols><col min="1" max="16384" width="9"/></cols>';
    const table = await tableOf(workbook({ sheets: [{ rows: "<row><c><v>1</v></c></row>", before }] }), "t.xlsx");
    const widths: number[] = [];
    await table.scan(({ cells }) => widths.push(cells.length));
    expect(widths).toEqual([1]);
  });
  it("a cell in the last column is refused", async () => {
    await expect(tableOf(workbook({ sheets: [{ rows: '<row r="1"><c r="XFD1"><v>1</v></c></row>' }] }), "t.xlsx")).rejects.toMatchObject({ kind: "usage" });
  });
  it("a million different names in JSONL are refused", async () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `{"k${index}":1}`).join("\n");
    await expect(tableOf(Buffer.from(lines), "t.jsonl")).rejects.toMatchObject({ kind: "usage" });
  });
});

it.each([
  ["a picture", [0x89, 0x50, 0x4e, 0x47], "picture"],
  ["a PDF", [..."%PDF-1.7"].map((letter) => letter.charCodeAt(0)), "PDF"],
  ["gzip that is cut off", [0x1f, 0x8b, 8, 0], "gzip"],
  ["zip that is cut off", [0x50, 0x4b, 3, 4, 20, 0, 0, 0], "cut off"],
])("%s is named with its file and what to do", async (_, bytes, says) => {
  await expect(tableOf(Uint8Array.from(bytes), "june.csv")).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringMatching(new RegExp(`june\\.csv.*${says}`)),
    hint: expect.stringMatching(/\w/),
  });
});
