import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAmount } from "../../src/money/money.ts";
import { checkFile } from "../../src/payments/batch/check-file.ts";
import { type TableRow, tableOf } from "../../src/tables/read-table.ts";
import { escapeXml, payoutRows, textCell, workbook } from "../support/workbook.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** How one table can be written; the cells are texts. */
const writers: Readonly<Record<string, (rows: readonly (readonly string[])[]) => Uint8Array>> = {
  "CSV in UTF-8": (rows) => utf8(rows.map((cells) => cells.map(quoted).join(",")).join("\n")),
  "CSV in UTF-16": (rows) => Buffer.from(`\ufeff${rows.map((cells) => cells.map(quoted).join(";")).join("\r\n")}`, "utf16le"),
  TSV: (rows) => utf8(`sep=\t\r\n${rows.map((cells) => cells.map(quoted).join("\t")).join("\r\n")}\r\n`),
  JSONL: ([header = [], ...rows]) =>
    utf8(rows.map((cells) => JSON.stringify(Object.fromEntries(header.map((name, index) => [name, cells[index]])))).join("\n")),
  "XLSX inline": (rows) => workbook({ sheets: [{ rows: rows.map((cells) => `<row>${cells.map(textCell).join("")}</row>`).join("") }] }),
  "XLSX shared": (rows) => {
    const strings = rows.flat().map((text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`);
    let next = 0;
    return workbook({
      sheets: [{ rows: rows.map((cells) => `<row>${cells.map(() => `<c t="s"><v>${next++}</v></c>`).join("")}</row>`).join("") }],
      strings: strings.join(""),
    });
  },
  HTML: (rows) =>
    utf8(
      `<table>${rows.map((cells) => `<tr>${cells.map((text) => `<td>${escapeXml(text).replaceAll("_x005F_", "_")}</td>`).join("")}</tr>`).join("")}</table>`,
    ),
};

const cellsOf = async (bytes: Uint8Array): Promise<readonly (readonly string[])[]> => {
  const rows: TableRow[] = [];
  await (await tableOf(bytes, "t")).scan((row) => rows.push(row));
  return rows.filter(({ cells }) => cells.some((cell) => cell !== "")).map(({ cells }) => cells);
};

describe("one table, however it is written", () => {
  const letter = fc.constantFrom("a", "é", "山", "🎉", "&", "<", '"', "'", ",", ";", "|", "=", "0", "7", ".", "_x0041_", "\u00a0");
  const cell = fc.string({ unit: letter, minLength: 1, maxLength: 6 });
  const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 6 });
  it.each(Object.keys(writers))("%s gives back its cells", async (kind) => {
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const all = [["reference", "amount", "note"], ...rows];
        const found = await cellsOf(writers[kind]?.(all) ?? new Uint8Array());
        const plain = (text: string): string => (kind === "HTML" ? text.replace(/\s+/g, " ").trim() : text);
        expect(found).toEqual(all.map((cells) => cells.map(plain)).filter((cells) => cells.some((text) => text !== "")));
      }),
      { numRuns: 40 },
    );
  });
});

/** What would be paid, or undefined if the file is refused. */
const paid = async (bytes: Uint8Array) => {
  try {
    const { rows } = await checkFile(await tableOf(bytes, "t"));
    return rows.map(({ payee: phone, amount, reference }) => ({ phone, amount, reference }))[0];
  } catch (error) {
    expect(error).toMatchObject({ kind: "usage" });
    return undefined;
  }
};
const header = ["phone", "amount", "reference"];
const payable = Object.entries(writers).filter(([kind]) => kind !== "HTML");

describe("no text is read as two values by two routes", () => {
  const digits = fc.constantFrom("0", "1", "5", "7", "00", "000", "15");
  const text = fc.string({
    unit: fc.oneof({ arbitrary: digits, weight: 5 }, fc.constantFrom(".", ",", "e", "E+", "-", "+", " ", "'", "=", '"', "KES ", "\u200b", "\u00a0", "%", "/=")),
    minLength: 1,
    maxLength: 6,
  });
  it("amounts, also as numbers", async () => {
    await fc.assert(
      fc.asyncProperty(text, async (amount) => {
        const found = new Set<string>();
        const flag = readAmount(amount, "KES");
        if ("amount" in flag) found.add(flag.amount.text);
        const files = payable.map(([, write]) => write([header, ["0712345001", amount, "A-1"]]));
        files.push(workbook({ sheets: [{ rows: payoutRows([textCell("0712345001"), `<c><v>${escapeXml(amount)}</v></c>`, textCell("A-1")]) }] }));
        files.push(utf8(`{"phone":"0712345001","amount":${amount},"reference":"A-1"}`));
        for (const bytes of files) {
          const one = await paid(bytes);
          if (one !== undefined) found.add(one.amount);
        }
        expect(found.size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 100 },
    );
  });
  it("phones and references", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (end, reference) => {
        const found = new Set<string>();
        for (const [, write] of payable) {
          const one = await paid(write([header, [`071234500${end}`, "100", reference]]));
          found.add(one === undefined ? "refused" : JSON.stringify(one));
        }
        expect(found.size).toBe(1);
      }),
      { numRuns: 60 },
    );
  });
});
