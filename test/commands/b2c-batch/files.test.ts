import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";
import { payoutRows, textCell, workbook } from "../../support/workbook.ts";

const inputs = fileURLToPath(new URL("../../cases/files/", import.meta.url));

const createPayouts = () => {
  const bodies: { phone: string; amount: number; reference: string; remarks?: string }[] = [];
  const service: Service = (request) => {
    if (request.path.endsWith("/wallet")) return { body: { success: true, wallet: { balance: 900 }, transactions: [] } };
    if (request.method === "GET") return { body: { transactions: [], total: 0 } };
    bodies.push(JSON.parse(request.body));
    return { body: { transactionId: `tx-${bodies.length}`, status: "QUEUED" } };
  };
  return { service, bodies };
};

/** Runs a batch with --dry-run and then in earnest; both must end alike. */
const pay = async (content: string | Uint8Array, name: string, ...flags: readonly string[]) => {
  const home = createHome();
  const { service, bodies } = createPayouts();
  const path = join(home, name);
  if (typeof content === "string" && content === "") copyFileSync(join(inputs, name), path);
  else writeFileSync(path, content);
  const dry = await runCli(["b2c", "batch", path, "--dry-run", "--json", ...flags], { home, service });
  expect(bodies).toEqual([]);
  const paid = await runCli(["b2c", "batch", path, "--yes", "--json", "--concurrency", "1", ...flags], { home, service });
  expect(paid.code).toBe(dry.code);
  return {
    bodies,
    ...paid,
    error: paid.code === 0 ? undefined : (JSON.parse(paid.stderr) as { error: { kind: string; message: string; hint?: string; sent: string } }).error,
  };
};
const refused = async (content: string | Uint8Array, name: string, ...flags: readonly string[]): Promise<string> => {
  const { code, stdout, bodies, error } = await pay(content, name, ...flags);
  expect({ code, stdout, bodies, kind: error?.kind, sent: error?.sent }).toEqual({ code: 2, stdout: "", bodies: [], kind: "usage", sent: "no" });
  return error?.message ?? "";
};
const file = (name: string): Uint8Array => readFileSync(join(inputs, name));
const phone = textCell("0712345001");
const header = "phone,amount,reference\n";

describe("files of the list of cases", () => {
  test("R2-03: hidden rows are named and refused, and paid with --include-hidden", async () => {
    const message = await refused("", "03-payroll-hidden-rows.xlsx");
    expect(message).toMatch(/3 and 5 are hidden/);
    expect(message).toContain("--include-hidden");
    const { code, stdout, bodies } = await pay("", "03-payroll-hidden-rows.xlsx", "--include-hidden");
    expect([code, JSON.parse(stdout).summary.rows, bodies.length]).toEqual([0, 6, 6]);
  });
  test("R2-04: a reference that the spreadsheet made a date is refused, and the cells are named", async () => {
    const message = await refused("", "04-payroll-mar-26.xlsx");
    expect(message).toMatch(/C2.*date.*C3.*date/);
    expect(message).not.toContain("C4");
  });
  test("R2-12: a space before a quote is refused, or the quotes are none of the reference", async () => {
    expect(await refused("", "12-payouts-space-before-quote.csv")).toMatch(/line 2: .*quote/);
  });
  test("R2-26: a formula's text and an invisible mark are refused, and every such line is named", async () => {
    const lines = file("26-payouts-text-formula.csv").toString().split("\n");
    expect(await refused("", "26-payouts-text-formula.csv")).toMatch(/line 2: .*line 3: .*line 4: /);
    expect(await refused(lines.slice(0, 3).join("\n"), "two.csv")).toMatch(/line 2: .*line 3: /);
    expect(await refused([lines[0], lines[3]].join("\n"), "one.csv")).toMatch(/line 2: /);
  });
  test("R2-27: a first line that names the separator is obeyed", async () => {
    const { bodies } = await pay("", "27-payouts-sep-line.csv");
    expect(bodies.map(({ reference }) => reference)).toEqual(["PAY-271", "PAY-272"]);
  });
  test("R2-36: a workbook with a password is refused by that name", async () => {
    const message = await refused("", "36-statement-with-password.xlsx");
    expect(message).toMatch(/password.*(without|CSV)/);
    expect(message).not.toMatch(/old|\.xls\b/);
  });
  test("R2-37: a web page is refused without its markup, by the columns it lacks; nothing is paid from one that has them", async () => {
    const message = await refused("", "37-statement-html.xls");
    expect(message).toMatch(/lacks the columns phone, amount, reference/);
    const row = (tag: string, cells: readonly string[]): string => `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
    const page = `<table>${row("th", ["phone", "amount", "reference"])}${row("td", ["0712345001", "100", "A"])}</table>`;
    expect(await refused(page, "pay.xls")).toMatch(/web page/);
  });
  test("R2-38: a formula's old result is not paid", async () => {
    expect(await refused("", "38-payroll-formulas.xlsx")).toMatch(/B2.*formula.*put values in place of formulas/);
  });
  test("R2-38v: a formula in a column that is not used does no harm", async () => {
    const { code, stdout, bodies } = await pay("", "38-payroll-formulas-unused-column.xlsx");
    expect([code, JSON.parse(stdout).summary.rows, bodies.map(({ amount }) => amount)]).toEqual([0, 2, [18500, 21000]]);
  });
});

describe("a cell of a sheet is what the sheet shows, or the cell is named", () => {
  const formats = ["yyyy-mm-dd", "0%", "0", "0000000000", '"KES" #,##0.00', "$#,##0", "[h]:mm", "0.00E+00"];
  const sheet = (...payout: readonly string[]): Uint8Array => workbook({ sheets: [{ rows: payoutRows(payout) }], formats });
  const number = (value: string, format = 0): string => `<c s="${format}"><v>${value}</v></c>`;
  test.each([
    ["a date as the amount", [phone, number("45787", 1), textCell("A")], /amount \(B2\) is a date/],
    ["a duration as the amount", [phone, number("100", 7), textCell("A")], /B2\) is a date or time/],
    ["a percentage", [phone, number("150", 2), textCell("A")], /B2\) holds 150 and shows 15000%/],
    ["a rounded amount", [phone, number("99.6", 3), textCell("A")], /B2\) holds 99\.6 and shows 100/],
    ["another currency", [phone, number("150", 6), textCell("A")], /B2\): .*\$150/],
    ["a date as the phone", [number("712345001", 1), number("150"), textCell("A")], /phone \(A2\) is a date/],
    ["a phone in scientific notation", [number("254712345001", 8), number("150"), textCell("A")], /A2\) holds 254712345001 and shows 2\.55E\+11/],
    ["a phone whose digits a spreadsheet has lost", [number("254712000000"), number("150"), textCell("A")], /A2\) .*digits/],
    ["a phone stored in scientific notation", [number("2.54712E+11"), number("150"), textCell("A")], /A2\) .*digits/],
    ["a phone with decimals", [number("71234500.1"), number("150"), textCell("A")], /A2\) is a number with decimals/],
    ["a number as the reference", [phone, number("150"), number("731")], /reference \(C2\) is a number/],
    ["a date as the reference", [phone, number("150"), '<c t="d"><v>2026-03-01</v></c>'], /C2\) is a date/],
    ["a truth value", [phone, number("150"), '<c t="b"><v>1</v></c>'], /C2\) is a truth value/],
    ["an error", [phone, number("150"), '<c t="e"><v>#N/A</v></c>'], /C2\) is an error/],
    ["an error as text", [phone, number("150"), textCell("#REF!")], /C2\) is an error/],
    ["a formula's text", [phone, number("150"), textCell('="00731"')], /C2\) is the text of a formula/],
    ["a formula without result in a row that looks empty", ["<c/>", "<c><f>B1</f></c>", "<c/>"], /B2\) is a formula/],
    ["an empty amount", [phone, "<c/>", textCell("A")], /B2\) is empty/],
    ["a cell beside the table", [phone, number("150"), textCell("A"), textCell("note")], /D2/],
  ] as const)("%s", async (_, payout, says) => {
    expect(await refused(sheet(...payout), "pay.xlsx")).toMatch(says);
  });
  test("numbers that the sheet shows as they are, and texts, are paid", async () => {
    const payouts = [
      [number("712345001", 4), number("150.5", 5), textCell("00731")],
      [number("254712345002"), number("1500"), textCell("MAR-26")],
      [textCell("0712 345 003"), textCell("75"), textCell("=1".slice(1))],
    ];
    const { code, bodies } = await pay(workbook({ sheets: [{ rows: payoutRows(...payouts) }], formats }), "pay.xlsx");
    expect([code, ...bodies.map(({ phone, amount, reference }) => [phone, amount, reference])]).toEqual([
      0,
      ["254712345001", 150.5, "00731"],
      ["254712345002", 1500, "MAR-26"],
      ["254712345003", 75, "1"],
    ]);
  });
  test("dates from 1904 are dates, and do no harm in a column that is not used", async () => {
    const properties = '<workbookPr date1904="1"/>';
    const payout = [phone, number("150"), textCell("A")];
    expect(await refused(workbook({ sheets: [{ rows: payoutRows([phone, number("150"), number("44000", 1)]) }], formats, properties }), "p.xlsx")).toMatch(
      /C2\) is a date/,
    );
    const rows = `<row>${["phone", "amount", "reference", "day"].map(textCell).join("")}</row><row>${payout.join("")}${number("44000", 1)}</row>`;
    expect((await pay(workbook({ sheets: [{ rows }], formats, properties }), "p.xlsx")).code).toBe(0);
  });
  test("merged cells and hidden columns are refused where they are used", async () => {
    const rows = payoutRows([phone, number("150"), textCell("A"), number("1")]).replace("</row>", `${textCell("note")}</row>`);
    const other = (merge: string, before = "") => workbook({ sheets: [{ rows, before, after: `<mergeCells><mergeCell ref="${merge}"/></mergeCells>` }] });
    expect(await refused(other("C2:C3"), "p.xlsx")).toMatch(/C2\) is part of merged cells/);
    expect(await refused(other("C1:D1"), "p.xlsx")).toMatch(/C1\), is part of merged cells/);
    expect((await pay(other("D2:D3"), "p.xlsx")).code).toBe(0);
    const hidden = (column: number) => other("D9:D10", `<cols><col min="${column}" max="${column}" hidden="1"/></cols>`);
    expect(await refused(hidden(2), "p.xlsx")).toMatch(/column B \(amount\) is hidden.*--include-hidden/);
    expect((await pay(hidden(2), "p.xlsx", "--include-hidden")).code).toBe(0);
    expect((await pay(hidden(4), "p.xlsx")).code).toBe(0);
  });
  test("rows without height are hidden, the header too, and blank hidden rows are nothing", async () => {
    const rows = payoutRows([phone, number("150"), textCell("A")]);
    const last = rows.lastIndexOf("<row>");
    const withLast = (attributes: string): Uint8Array => workbook({ sheets: [{ rows: `${rows.slice(0, last)}<row ${attributes}>${rows.slice(last + 5)}` }] });
    expect(await refused(withLast('ht="0" customHeight="1"'), "p.xlsx")).toMatch(/Row 2 is hidden/);
    expect(await refused(workbook({ sheets: [{ rows: rows.replace("<row>", '<row hidden="1">') }] }), "p.xlsx")).toMatch(/Row 1 is hidden/);
    expect((await pay(workbook({ sheets: [{ rows: `${rows}<row hidden="1"><c t="str"><v> </v></c></row>` }] }), "p.xlsx")).code).toBe(0);
  });
  test("of several visible sheets one is named with --sheet", async () => {
    const sheets = ["A", "B"].map((reference) => ({ name: `Sheet ${reference}`, rows: payoutRows([phone, number("150"), textCell(reference)]) }));
    expect(await refused(workbook({ sheets }), "p.xlsx")).toMatch(/several visible sheets: Sheet A, Sheet B/);
    expect((await pay(workbook({ sheets }), "p.xlsx", "--sheet", "sheet b")).bodies.map(({ reference }) => reference)).toEqual(["B"]);
    expect(await refused(`${header}0712345001,100,A`, "p.csv", "--sheet", "Sheet A")).toContain("not a workbook");
  });
});

describe("text files", () => {
  test.each([
    ["text around a quote, in any column", 'phone,amount,reference,note\n0712345001,100,A,5" pipe\n', /line 2: note .*quote/],
    ["text after a closing quote", '"phone",amount,reference\n0712345001,100,"A"x\n', /Line 2 .*text after a closing quote/],
    [
      "a lost quote that swallows rows",
      'phone,amount,reference,note\n0712345001,100,A,"x\n0712345002,100,B,y\n0712345003,100,C,5"\n',
      /line 2: note .*look like rows/,
    ],
    ["a lost quote that swallows one row", 'note,phone,amount,reference\n"x,0712345001,100,A\ny",0712345002,100,B\n', /line 2: note .*look like rows/],
    [
      "a lost quote in a row that is shorter",
      'phone,amount,reference,note,by\n0712345001,100,A,"x\n0712345002,100,B,5",z\n',
      /line 2: note contains lines that look like payouts/,
    ],
    ["lines in quotes as a whole", '"phone,amount,reference"\n"0712345001,100,A"\n', /lacks the columns/],
    ["a heading twice, used or not", "phone,amount,reference,Note,note\n0712345001,100,A,x,y\n", /note is in the file twice/],
    ["a cell behind the last heading", "phone,amount,reference,\n0712345001,15,000,A\n", /line 2: .*beyond/],
    ["an apostrophe", `${header}0712345001,100,'00731\n`, /line 2: reference begins with an apostrophe/],
    ["an invisible mark", `${header}0712345001,100,\u200b00731\n`, /line 2: reference: The reference holds an invisible/],
    [
      "a reference in quotes of its own",
      `${header}0712345001,100,\u201cPAY-61\u201d\n0712345002,100,"""PAY-62"""\n`,
      /line 2: .*in quotes.*line 3: .*in quotes/,
    ],
    ["a phone with decimals", `${header}71234500.1,100,A\n`, /line 2: phone is a number with decimals/],
    ["a mark inside", `${header}0712345001,100,007\u00ad31\n`, /line 2: reference: The reference holds an invisible/],
    ["a lost character", `${header}0712345001,100,Caf\ufffd\n`, /line 2: reference holds a character that was lost/],
    ["scientific notation", `${header}2.54712E+11,100,1.00731E+11\n`, /line 2: phone: .*scientific.*line 2: reference .*scientific/],
    ["an error of a spreadsheet", `${header}0712345001,100,#N/A\n`, /line 2: reference is an error/],
    ["a formula as the phone", `${header}"=""0712345001""",100,A\n`, /line 2: phone is the text of a formula/],
    ["a bar as separator said by its first line", "sep=x\nphonexamountxreference\n", /Line 1 .*"x" separates/],
    ["zero bytes behind the first megabyte", `${header}${"0712345001,100,A\n".repeat(70_000)}0712345001,100,A\u0000\n`, /zero bytes/],
    ["a web archive", "MIME-Version: 1.0\nContent-Type: multipart/related\n", /web archive/],
  ])("%s is refused", async (_, text, says) => {
    const message = await refused(text, "pay.csv");
    expect(message).toMatch(says);
    expect(message).not.toMatch(/<\w/);
  });
  test.each([
    ["quotes by the rules", '"phone","amount","reference"\r\n"0712345001","100","A ""B"", C" \r\n', 'A "B", C'],
    ["a note in several lines", 'phone,amount,reference,note\n0712345001,100,A,"one\ntwo"\n', "A"],
    ["bars", "phone|amount|reference\n0712345001|100|A\n", "A"],
    ["a first line that names a tab", "sep=\t\nphone\tamount\treference\n0712345001\t100\tA\n", "A"],
    ["a mark in a heading", "\u200bphone,amount,reference\n0712345001,100,A\n", "A"],
  ])("%s is read", async (_, text, reference) => {
    const { code, bodies } = await pay(text, "pay.csv");
    expect([code, bodies]).toMatchObject([0, [{ phone: "254712345001", reference }]]);
  });
  test("of many faults the first are named, and all are counted", async () => {
    const message = await refused(header + "0712345001,1,A\n".repeat(60), "p.csv");
    expect(message).toMatch(/has 60 mistakes.*line 2: .*line 51: .*and 10 more/);
    expect(message).not.toContain("line 52:");
  });
  const latin = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  test("windows-1252 alone is read; mixed with UTF-8, or cut off, it is refused", async () => {
    const line = (name: string) => `0712345001,100,${name}\n`;
    expect((await pay(latin(header + line("Caf\u00e9")), "p.csv")).bodies).toMatchObject([{ reference: "Caf\u00e9" }]);
    const mixed = Buffer.concat([Buffer.from(header + line("Caf\u00e9")), latin(`0712345002,100,Caf\u00e9\n`)]);
    expect(await refused(mixed, "p.csv")).toContain("mixes UTF-8");
    expect(await refused(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), latin(header + line("Caf\u00e9"))]), "p.csv")).toContain("mixes UTF-8");
    expect(await refused(Buffer.from(`${header}0712345001,100,Caf\u00e9`).subarray(0, -1), "p.csv")).toContain("cut off");
    expect(await refused(Buffer.from(`\ufeff${header}0712345001,100,A\n`, "utf16le").subarray(0, -1), "p.csv")).toContain("cut off");
  });
  test("UTF-16 with and without its mark is the same file", async () => {
    for (const mark of ["", "\ufeff"]) {
      const { bodies } = await pay(Buffer.from(`${mark}${header}0712345001,100,Caf\u00e9\n`, "utf16le"), "p.csv");
      expect(bodies).toMatchObject([{ reference: "Caf\u00e9" }]);
      expect((await pay(Buffer.from(`${mark}${header}0712345001,100,Caf\u00e9\n`, "utf16le").swap16(), "p.csv")).bodies).toEqual(bodies);
    }
  });
  test.each([
    ["a number as the reference", '{"phone":"0712345001","amount":100,"reference":731}', /line 1: reference is a number/],
    ["half a character", '{"phone":"0712345001","amount":100,"reference":"A\\ud83d"}', /line 1: reference: The reference holds/],
    ["a list", '{"phone":"0712345001","amount":100,"reference":["A"]}', /line 1: reference is a list/],
    ["true", '{"phone":"0712345001","amount":100,"reference":true}', /line 1: reference is true or false/],
    ["a phone with decimals", '{"phone":71234500.1,"amount":100,"reference":"A"}', /line 1: phone is a number with decimals/],
    ["a number with an exponent", '{"phone":"0712345001","amount":1e2,"reference":"A"}', /line 1: amount: .*scientific/],
    ["a field twice", '{"phone":"0712345001","amount":100,"amount":200,"reference":"A"}', /Line 1 .*amount twice/],
    ["a line that is cut off", '{"phone":"0712345001","amount":100,"reference":"A"}\n{"phone":"07', /Line 2/],
  ])("JSONL with %s is refused", async (_, text, says) => {
    expect(await refused(text, "pay.jsonl")).toMatch(says);
  });
});
