import { utils, write } from "@e965/xlsx";
import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { parseExact } from "../../src/json/exact-json.ts";
import { readAmount } from "../../src/money/money.ts";
import { type DecimalMark, minorOfJsonNumber, parseAmount } from "../../src/reconcile/amounts.ts";
import { createDateReader, type DayOrder } from "../../src/reconcile/dates.ts";
import type { LayoutOptions } from "../../src/reconcile/draft.ts";
import { isRefusal } from "../../src/reconcile/layout.ts";
import { type ReadFile, readRecords } from "../../src/reconcile/read-records.ts";
import { recordOfTransaction } from "../../src/reconcile/reconcile-service.ts";
import { scanTable, settleLayout } from "../../src/reconcile/scan-table.ts";
import { createTransactionTimes } from "../../src/reconcile/transaction-times.ts";
import { tableOf } from "../../src/tables/read-table.ts";
import { toTransaction } from "../../src/transactions/transaction.ts";
import { escapeXml, textCell, workbook } from "../support/workbook.ts";

type Rows = readonly (readonly string[])[];
const zone = "Africa/Nairobi";
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const sheet = (rows: Rows, cellOf: (text: string, row: number) => string): string =>
  rows.map((cells, row) => `<row>${cells.map((text) => cellOf(text, row)).join("")}</row>`).join("");
const space = (name: string) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`;
const ods = (rows: Rows, cellOf: (text: string) => string): Uint8Array => {
  const lines = rows.map((cells) => `<table:table-row>${cells.map(cellOf).join("")}</table:table-row>`).join("");
  const content = `<office:document-content ${["office", "table", "text"].map(space).join(" ")}><office:body><office:spreadsheet><table:table table:name="A">${lines}</table:table></office:spreadsheet></office:body></office:document-content>`;
  return zipSync({ "content.xml": strToU8(content), "META-INF/manifest.xml": strToU8("<manifest/>") });
};
const odsText = (text: string): string => `<table:table-cell office:value-type="string"><text:p>${escapeXml(text)}</text:p></table:table-cell>`;
const isJsonNumber = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(text);
const isNumber = (text: string): boolean => /^[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?$/i.test(text);

/** How one table can be written; where a cell can be a number, it is one. */
const writers: Readonly<Record<string, (rows: Rows) => Uint8Array>> = {
  CSV: (rows) => utf8(rows.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(",")).join("\n")),
  JSONL: ([header = [], ...rows]) => utf8(rows.map((cells) => JSON.stringify(Object.fromEntries(header.map((name, at) => [name, cells[at]])))).join("\n")),
  "JSONL numbers": ([header = [], ...rows]) =>
    utf8(
      rows
        .map((cells) => `{${header.map((name, at) => `"${name}":${isJsonNumber(cells[at] ?? "") ? cells[at] : JSON.stringify(cells[at])}`).join(",")}}`)
        .join("\n"),
    ),
  XLSX: (rows) => workbook({ sheets: [{ rows: sheet(rows, textCell) }] }),
  "XLSX numbers": (rows) => workbook({ sheets: [{ rows: sheet(rows, (text) => (isNumber(text) ? `<c><v>${text}</v></c>` : textCell(text))) }] }),
  XLS: (rows) => {
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows.map((cells) => [...cells])), "A");
    return new Uint8Array(write(book, { type: "buffer", bookType: "biff8" }));
  },
  ODS: (rows) => ods(rows, odsText),
  "ODS numbers": (rows) => ods(rows, (text) => (isNumber(text) ? `<table:table-cell office:value-type="float" office:value="${text}"/>` : odsText(text))),
  HTML: (rows) => utf8(`<table>${rows.map((cells) => `<tr>${cells.map((text) => `<td>${escapeXml(text)}</td>`).join("")}</tr>`).join("")}</table>`),
};

/** The file as it is read; undefined if it is refused. */
const read = async (bytes: Uint8Array, options: Partial<LayoutOptions>): Promise<ReadFile | undefined> => {
  try {
    const table = await tableOf(bytes, "t");
    const layout = await settleLayout(table, await scanTable(table), { told: new Map(), layouts: [], usually: "orders", ...options });
    return isRefusal(layout) ? undefined : await readRecords(table, layout, { name: "t", zone });
  } catch (error) {
    expect(error).toMatchObject({ kind: "usage" });
    return undefined;
  }
};

describe("no text is read as two amounts by two routes", () => {
  const piece = fc.oneof(
    { arbitrary: fc.constantFrom("0", "1", "5", "00", "000", "500", "1,500", "2.500", "12345678901234", "7"), weight: 4 },
    fc.constantFrom(".", ",", " ", "\u00a0", "\u202f", "\n", "-", "(", ")", "KES ", " CR", " DR", "/=", "'", "’", "e3", "E-2", "+", "%", '="', '"', "\u200b"),
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""));
  const toldOf = (fields: Readonly<Record<string, string>>) => new Map(Object.entries(fields)) as LayoutOptions["told"];

  const amountsOf = async (amount: string, decimal: DecimalMark): Promise<ReadonlyMap<string, bigint>> => {
    const found = new Map<string, bigint>();
    const add = (route: string, minor: bigint | undefined): void => {
      if (minor !== undefined) found.set(route, minor);
    };
    const cell = parseAmount(amount.trim(), decimal);
    // A word for the direction is a sign on a statement, and none on orders.
    const isDirected = cell !== undefined && "minor" in cell && cell.direction !== undefined;
    if (cell !== undefined && "minor" in cell && !isDirected) add("cell", cell.minor);
    for (const [kind, writer] of Object.entries(writers)) {
      const orders = await read(
        writer([
          ["reference", "amount", "status"],
          ["A-1", amount, "paid"],
          ["A-2", "7", "paid"],
        ]),
        {
          told: toldOf({ reference: "reference", amount: "amount" }),
          decimal,
          as: "orders",
        },
      );
      const [order] = orders?.records.filter(({ reference, unreadable }) => reference === "A-1" && unreadable === undefined) ?? [];
      if (!isDirected) add(`${kind}, orders`, order?.amountMinor);
      const rows = [
        ["Ref", "Details", "In", "Out"],
        ["A-1", "x", amount, ""],
        ["A-2", "y", "7", ""],
        ["", "Total", amount, ""],
      ];
      const statement = await read(writer(rows), { told: toldOf({ reference: "Ref", "paid-in": "In", withdrawn: "Out" }), decimal, as: "statement" });
      const [entry] = statement?.records.filter(({ reference, unreadable }) => reference === "A-1" && unreadable === undefined) ?? [];
      if (entry?.amountMinor !== 0n) add(`${kind}, money in`, entry?.amountMinor);
      if (statement?.control?.paidIn !== 0n) add(`${kind}, total`, statement?.control?.paidIn);
    }
    if (decimal === "." && isJsonNumber(amount)) {
      add("service", minorOfJsonNumber(amount));
      const record = recordOfTransaction(toTransaction(parseExact(`{"id":"t","amount":${amount}}`)), "in");
      if (record.unreadable === undefined) add("transaction", record.amountMinor);
    }
    const flag = readAmount(amount, "KES");
    if (decimal === "." && "amount" in flag)
      add("flag", BigInt(flag.amount.text.replace(/^(\d+)(?:\.(\d\d?))?$/, (_, whole, part = "") => whole + part.padEnd(2, "0"))));
    return found;
  };

  it.each([".", ","] as const)("with the decimal mark %s", async (decimal) => {
    await fc.assert(
      fc.asyncProperty(text, async (amount) => {
        const found = await amountsOf(amount, decimal);
        expect([...new Set(found.values())].length, JSON.stringify([...found].map(([route, minor]) => [route, String(minor)]))).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });
  it("amounts of MT940 are those of cells with a decimal comma", async () => {
    const digits = fc.tuple(fc.constantFrom("1", "15", "1500", "999999999999"), fc.constantFrom("", "5", "05", "50", "500"));
    await fc.assert(
      fc.asyncProperty(digits, async ([whole, part]) => {
        const amount = `${whole},${part}`;
        const lines = [":20:X", ":25:1", ":60F:C260313KES0,", `:61:260313C${amount}NTRFA-1//UC1`, `:62F:C260313KES${amount}`];
        const file = await read(utf8(lines.join("\n")), { usually: "statement" });
        const cell = parseAmount(amount, ",");
        const [record] = file?.records ?? [];
        if (cell !== undefined && "minor" in cell) expect(record?.amountMinor).toBe(cell.minor);
        else if (part !== "") expect(record?.unreadable).toBeDefined();
      }),
      { numRuns: 20 },
    );
  });
  it("two lines of a cell are two numbers, in a page too", async () => {
    for (const [kind, writer] of Object.entries(writers)) {
      const rows = [
        ["reference", "amount", "status"],
        ["A-1", "500\n250", "paid"],
        ["A-2", "7", "paid"],
      ];
      const bytes = kind === "HTML" ? utf8(new TextDecoder().decode(writer(rows)).replace("500\n250", "500<br>250")) : writer(rows);
      const file = await read(bytes, { told: toldOf({ reference: "reference", amount: "amount" }), as: "orders" });
      expect(file?.records[0]?.unreadable, kind).toContain("no number");
    }
  });
});

describe("no text is read as two dates by two routes", () => {
  const day = fc.constantFrom("1", "03", "13", "29", "31", "12");
  const month = fc.constantFrom("2", "03", "11", "Mar", "Sept", "février", "12");
  const year = fc.constantFrom("2026", "26", "2024", "14");
  const time = fc.constantFrom("", " 8:05", " 08:05:12", " 8:05 PM", "T08:05:12Z", " 20:05+03:00", ", 08:05 EAT", " 24:00", " 08:05:12.999", "  08:05");
  const text = fc.oneof(
    fc.tuple(day, month, year, fc.constantFrom("/", "-", ".", " "), time).map(([d, m, y, mark, clock]) => `${[d, m, y].join(mark)}${clock}`),
    fc.tuple(day, month, year, time).map(([d, m, y, clock]) => `${y}-${m}-${d}${clock}`),
    fc.tuple(day, month, year, time).map(([d, m, y, clock]) => `${m} ${d}, ${y}${clock}`),
    fc.constantFrom("46023", "46023.5", "46083.01", "20260301", "20260301091200", "1773378000", "1773378000123", "1773378000.5", "45000.999999", "99999"),
  );
  it.each(["dmy", "mdy"] as const)("with the order %s", async (dayOrder: DayOrder) => {
    const dates = createDateReader(zone);
    await fc.assert(
      fc.asyncProperty(text, async (date) => {
        const found = new Map<string, string>();
        const add = (route: string, at: string | undefined): void => {
          if (at !== undefined) found.set(route, at);
        };
        add("cell", dates.read(date.trim(), dayOrder));
        add("cells", dates.readCells({ date }, dayOrder));
        if (dayOrder === "dmy") add("transaction", createTransactionTimes(zone)(parseExact(JSON.stringify({ createdAt: date }))));
        for (const [kind, writer] of Object.entries(writers)) {
          const rows = [
            ["reference", "amount", "status", "date"],
            ["A-1", "7", "paid", date],
            ["A-2", "8", "paid", "2026-03-13"],
          ];
          const file = await read(writer(rows), { as: "orders", dayOrder });
          add(kind, file?.records.find(({ reference }) => reference === "A-1")?.at);
        }
        expect([...new Set(found.values())].length, JSON.stringify([...found])).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });
});
