import { readFileSync } from "node:fs";
import { type CellObject, CFB, utils, type WorkBook, write } from "@e965/xlsx";
import { describe, expect, it } from "vitest";
import { type TableRow, tableOf } from "../../src/tables/read-table.ts";

const old = readFileSync(new URL("../cases/layouts/mpesa-old.xls", import.meta.url));
const rowsOf = async (bytes: Uint8Array, options = {}) => {
  const table = await tableOf(bytes, "t.xls", options);
  const rows: TableRow[] = [];
  await table.scan((row) => rows.push(row));
  return { table, rows };
};
const book = (
  sheets: Readonly<Record<string, readonly (readonly unknown[])[]>>,
  change: (made: WorkBook) => void = () => undefined,
  bookType: "biff8" | "biff5" = "biff8",
): Uint8Array => {
  const made = utils.book_new();
  for (const [title, rows] of Object.entries(sheets)) utils.book_append_sheet(made, utils.aoa_to_sheet(rows.map((row) => [...row])), title);
  change(made);
  return new Uint8Array(write(made, { type: "buffer", bookType }));
};
const cell = (made: WorkBook, address: string): CellObject => made.Sheets[made.SheetNames[0] ?? ""]?.[address];

describe("an old workbook (.xls)", () => {
  it("is read as it is shown, numbers with their digits", async () => {
    const { table, rows } = await rowsOf(old);
    expect([table.kind, rows.length, rows[0]?.cells]).toEqual(["xls", 13, ["M-PESA Organisation statement"]]);
    expect(rows[3]?.cells.slice(0, 8)).toEqual([
      "UCL4000214",
      "2026-03-13 08:05:12",
      "Payment received from 254722000111 - OTIENO SAMPLE Acc. MC-1",
      "Completed",
      "",
      "1500",
      "6500",
      "true",
    ]);
  });
  it("of BIFF5 too", async () => {
    const { rows } = await rowsOf(
      book(
        {
          A: [
            ["reference", "amount"],
            ["A-1", 1500.5],
          ],
        },
        undefined,
        "biff5",
      ),
    );
    expect(rows.map(({ cells }) => cells)).toEqual([
      ["reference", "amount"],
      ["A-1", "1500.5"],
    ]);
  });
  it("says which cells are dates, merged, long", async () => {
    const { rows } = await rowsOf(
      book({ A: [["Title"], ["when", 46082.5, 0.1 + 0.2, 1_234_567_890_123_456 * 10]] }, (made) => {
        cell(made, "B2").z = "dd/mm/yyyy";
        const sheet = made.Sheets["A"];
        if (sheet !== undefined) sheet["!merges"] = [{ s: { r: 0, c: 0 }, e: { r: 0, c: 3 } }];
      }),
    );
    expect(rows[0]?.marks?.[0]?.says).toMatch(/merged/);
    expect([rows[1]?.cells.slice(0, 3), rows[1]?.marks?.map((mark) => mark?.kind)]).toEqual([
      ["when", "46082.5", "0.3"],
      [undefined, "date", "number", "unclear"],
    ]);
  });
  it("has notes on hidden sheets; several filled sheets are a choice", async () => {
    const sheets = { A: [["a"]], B: [["b"]], C: [] };
    await expect(rowsOf(book(sheets))).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("A, B") });
    expect((await rowsOf(book(sheets), { sheet: "b" })).rows[0]?.cells).toEqual(["b"]);
    const { table } = await rowsOf(
      book(sheets, (made) => {
        made.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }, { Hidden: 0 }] };
      }),
    );
    expect(table.notes).toEqual([expect.stringMatching(/hidden sheets.*: B$/)]);
  });
  const stream = (): Buffer => Buffer.from(CFB.find(CFB.read(old, { type: "buffer" }), "Workbook").content);
  const container = (content: Uint8Array, path = "/Workbook"): Uint8Array => {
    const made = CFB.utils.cfb_new();
    CFB.utils.cfb_add(made, path, content);
    return new Uint8Array(CFB.write(made, { type: "buffer" }));
  };
  it("with a password is named so", async () => {
    const content = stream();
    const first = 4 + content.readUInt16LE(2);
    const locked = Buffer.concat([content.subarray(0, first), Buffer.from([0x2f, 0, 6, 0, 0, 0, 1, 2, 3, 4]), content.subarray(first)]);
    await expect(rowsOf(container(locked))).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("password") });
  });
  it("cut off anywhere is an error, or nothing of the sheet was in what is missing", async () => {
    const whole = JSON.stringify((await rowsOf(old)).rows);
    const content = stream();
    const read = (bytes: Uint8Array) =>
      rowsOf(bytes).then(
        ({ rows }) => JSON.stringify(rows),
        (cause: unknown) => cause,
      );
    for (let share = 0.02; share < 1; share += 0.07) {
      for (const bytes of [container(content.subarray(0, Math.floor(content.length * share))), old.subarray(0, Math.floor(old.length * share))]) {
        const found = await read(bytes);
        if (found !== whole) expect(found).toMatchObject({ kind: "usage" });
      }
    }
    expect(await read(container(content.subarray(0, 4096)))).toMatchObject({ kind: "usage", message: expect.stringContaining("cut off") });
    expect(await read(old.subarray(0, 4096))).toMatchObject({ kind: "usage", message: expect.stringContaining("cut off") });
  });
  it("of another Office program is named so", async () => {
    await expect(rowsOf(container(Buffer.alloc(5000), "/WordDocument"))).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining("no workbook"),
    });
  });
  it("with false sizes and links costs bounded time, and is refused", async () => {
    for (let at = 0; at < 0x60; at += 4) {
      for (const value of [0xff, 0x7f]) {
        const broken = Buffer.from(old);
        broken.fill(value, 0x1c + at, 0x20 + at);
        await rowsOf(broken).catch((cause: unknown) => expect(cause).toMatchObject({ kind: "usage" }));
      }
    }
  });
});
