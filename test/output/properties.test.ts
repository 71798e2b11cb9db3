import { parse } from "csv-parse/sync";
import fc from "fast-check";
import stringWidth from "string-width";
import { expect, it } from "vitest";
import { parseExact } from "../../src/json/exact-json.ts";
import { groupedAmount } from "../../src/money/grouped.ts";
import type { Column, Style } from "../../src/outcome.ts";
import { csvHeader, csvLine } from "../../src/output/csv.ts";
import { pick, valueAt } from "../../src/output/fields.ts";
import { jsonText } from "../../src/output/json-text.ts";
import { sanitize } from "../../src/output/sanitize.ts";
import { headingLine, planTable, tableRows } from "../../src/output/table.ts";
import { quoteForShell } from "../../src/shell.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("\u001b[2J", "=1+1", "-5", "a\r\nb", "\u202e", '"', ",", "👨‍👩‍👧", "日本"),
);
const drives = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

it("sanitize leaves one line that cannot drive a terminal, and is the same twice", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const clean = sanitize(text);
      expect(clean).not.toMatch(drives);
      expect(clean).not.toMatch(/\p{Surrogate}/u);
      expect(sanitize(clean)).toBe(clean);
    }),
  );
});

it("JSON is lossless and has no character that acts", () => {
  fc.assert(
    fc.property(fc.jsonValue(), anyText, (value, text) => {
      const written = jsonText({ value, text });
      expect(written).not.toMatch(drives);
      expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify({ value, text })));
    }),
  );
});

it("numbers pass through digit for digit", () => {
  const number = fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,12})?([eE][+-]?\d{1,3})?$/);
  fc.assert(
    fc.property(number, (text) => {
      expect(jsonText(parseExact(`{"a":${text}}`))).toBe(`{"a":${text}}`);
    }),
  );
});

it("CSV reads back as it was, but for the apostrophe before a formula", () => {
  const cell = anyText.filter((text) => !text.includes("\u0000"));
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
      const names = cells.map((_, index) => `c${index}`);
      const row = Object.fromEntries(cells.map((text, index) => [`c${index}`, text]));
      const [read] = parse(csvHeader(names) + csvLine(row, names), { columns: true, relax_column_count: false }) as Record<string, string>[];
      for (const name of names) {
        const wrote = row[name] ?? "";
        const back = read?.[name] ?? "";
        expect(back === wrote || back === `'${wrote}`).toBe(true);
        if (!/^-\d+(\.\d+)?$/.test(wrote)) expect(back).not.toMatch(/^[=+\-@\t\r]/);
      }
    }),
  );
});

it("a table is never wider than the terminal, and money in it is whole", async () => {
  const columns: readonly Column[] = ["a", "b", "c"].map((name, index) => ({
    heading: name.toUpperCase(),
    cell: (row) => String(valueAt(row, name)),
    sheds: index === 2 ? 1 : 0,
    align: index === 1 ? "right" : "left",
  }));
  const rows = fc.array(fc.record({ a: anyText, b: fc.stringMatching(/^\d{1,3}(,\d{3}){0,3}\.\d\d$/), c: anyText }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 20, max: 60 }), async (all, width) => {
      const style: Style = { zone: "UTC", nowMs: 0, width };
      const layout = await planTable(columns, all, { style, colour: false });
      const text = headingLine(layout, { style, colour: false }) + (await tableRows(all, layout, { style, colour: false }));
      if (!layout.cards) for (const line of text.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      for (const row of all) expect(text).toContain(row.b);
    }),
    { numRuns: 60 },
  );
});

it("grouping only moves digits", () => {
  const amount = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,6})?$/);
  fc.assert(
    fc.property(amount, fc.constantFrom("KES", "UGX", "USD", ""), (text, currency) => {
      const plain = groupedAmount(text, currency).replaceAll(",", "");
      const cut = (one: string): string => (one.includes(".") ? one.replace(/0+$/, "").replace(/\.$/, "") : one);
      expect(cut(plain)).toBe(cut(text));
    }),
  );
});

it("picking every leaf path of a row finds its value", () => {
  const row = fc.dictionary(
    fc.constantFrom("a", "b", "a.b", "__proto__", "constructor"),
    fc.dictionary(fc.constantFrom("x", "y.z", "__proto__"), fc.integer(), { minKeys: 1 }),
  );
  fc.assert(
    fc.property(row, (value) => {
      const own = parseExact(JSON.stringify(value));
      for (const [outer, inner] of Object.entries(value)) {
        for (const [key, leaf] of Object.entries(inner)) {
          const path = `${outer}.${key}`;
          if (Object.entries(value).filter(([name]) => path.startsWith(`${name}.`)).length > 1) continue;
          expect(valueAt(own, path)).toBe(leaf);
          expect(valueAt(pick(own, [path]), path)).toBe(leaf);
        }
      }
    }),
  );
});

it("a quoted argument has no line end and no control character", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(quoteForShell(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }),
  );
});
