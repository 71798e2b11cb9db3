import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { type Held, payment, serviceOf } from "../../support/transactions-service.ts";
import { textCell, type WorkbookParts, workbook } from "../../support/workbook.ts";

const inputs = fileURLToPath(new URL("../../cases/files/", import.meta.url));
const heldOf = (number: string): Held[] =>
  JSON.parse(readFileSync(join(inputs, `${number}-transactions.json`), "utf8")).map(({ x, ...row }: { x: { flow: "standard" | "b2c" }; id: string }) => ({
    ...row,
    flow: x.flow,
  }));

const reconcile = async (content: string | Uint8Array, name: string, held: Held[] = [], ...flags: readonly string[]) => {
  const path = join(createHome(), name);
  writeFileSync(path, content);
  const { code, stdout, stderr } = await runCli(["tx", "reconcile", path, "--json", "--exit-code", ...flags], { service: serviceOf(held) });
  const counts =
    stdout === "" ? {} : Object.fromEntries(Object.entries<{ count: number }>(JSON.parse(stdout).summary).map(([name, { count }]) => [name, count]));
  const { message, hint }: { message: string; hint?: string } = stderr === "" ? { message: "" } : JSON.parse(stderr).error;
  return { code, counts, message, hint };
};
const file = (name: string): Uint8Array => readFileSync(join(inputs, name));

describe("files of the list of cases", () => {
  it("R2-05: a lost quote that swallows rows is refused, and its line is named", async () => {
    const { code, message } = await reconcile(file("05-orders-inch-marks.csv"), "orders.csv", heldOf("05"));
    expect([code, message]).toEqual([2, expect.stringMatching(/after line 2, on line 3, .*look like rows/)]);
  });
  it("R2-27: a first line that names the separator is no record", async () => {
    expect(await reconcile(file("27-payouts-sep-line.csv"), "payouts.csv")).toMatchObject({ code: 12, counts: { missing_there: 2 } });
  });
  it("R2-36: a workbook with a password is called that", async () => {
    const { code, message } = await reconcile(file("36-statement-with-password.xlsx"), "statement.xlsx");
    expect([code, message]).toEqual([2, expect.stringMatching(/password/)]);
    expect(message).not.toMatch(/old|\.xls\b/);
  });
  it("R2-37: a web page named .xls is read as the table in it", async () => {
    expect(await reconcile(file("37-statement-html.xls"), "statement.xls", heldOf("37"))).toMatchObject({ code: 0, counts: { matched: 1 } });
  });
});

describe("workbooks", () => {
  const held: Held[] = [payment("t1", "A-1", 1500)];
  const sheet = (amount: string, more: Partial<WorkbookParts> = {}, extra = ""): Uint8Array => {
    const header = ["reference", "amount", "date", "gross"].map(textCell).join("");
    const rows = `<row>${header}</row><row>${textCell("A-1")}${amount}<c s="1"><v>46082.5</v></c>${extra}</row>`;
    return workbook({ sheets: [{ rows }], formats: ["dd/mm/yyyy", "#,##0.00"], ...more });
  };
  it("numbers and dates are read by their formats, and a formula in a column that is not used does no harm", async () => {
    const bytes = sheet('<c s="2"><v>1500</v></c>', {}, "<c><f>1+1</f><v>2</v></c>");
    expect(await reconcile(bytes, "o.xlsx", held)).toEqual({ code: 0, counts: { matched: 1 }, message: "", hint: undefined });
  });
  it("of several visible sheets one is named, on each side", async () => {
    const sheets = ["A-1", "B-1"].map((reference) => ({
      name: `Sheet ${reference}`,
      rows: `<row>${["reference", "amount"].map(textCell).join("")}</row><row>${textCell(reference)}<c><v>1500</v></c></row>`,
    }));
    const path = join(createHome(), "two.xlsx");
    writeFileSync(path, workbook({ sheets }));
    expect(await reconcile(workbook({ sheets }), "o.xlsx", held)).toMatchObject({ code: 2, message: expect.stringContaining("Sheet A-1, Sheet B-1") });
    expect(await reconcile(workbook({ sheets }), "o.xlsx", held, "--sheet", "sheet a-1")).toMatchObject({ code: 0, counts: { matched: 1 } });
    const against = ["--against", path, "--sheet", "Sheet B-1", "--against-sheet"];
    expect(await reconcile(workbook({ sheets }), "o.xlsx", held, ...against, "Sheet B-1")).toMatchObject({ code: 0, counts: { matched: 1 } });
    const unnamed = await reconcile(workbook({ sheets }), "o.xlsx", held, ...against.slice(0, 4));
    expect([unnamed.code, unnamed.hint]).toEqual([2, expect.stringContaining("--against-sheet")]);
    expect(await reconcile(workbook({ sheets }), "o.xlsx", held, "--sheet", "Sheet A-1", "--against-sheet", "x")).toMatchObject({ code: 2 });
    expect(await reconcile(workbook({ sheets }), "o.xlsx", held, ...against, "Sheet C-1")).toMatchObject({
      code: 2,
      message: expect.stringContaining("no sheet"),
    });
  });
  it("the kept result of a formula is used", async () => {
    const { code } = await reconcile(sheet("<c><f>750*2</f><v>1500</v></c>"), "o.xlsx", held);
    expect(code).toBe(0);
  });
});

describe("pairs of the list of cases", () => {
  it("R2-01: receipts pair without regard to case and spaces, and a placeholder forbids no reference", async () => {
    const { code, counts } = await reconcile(file("01-orders-typed-receipts.csv"), "orders.csv", heldOf("01"));
    expect([code, counts]).toEqual([12, { matched: 4, missed_callback: 1, missing_there: 1 }]);
  });
  it("R2-22: payments that together make the order are said to, and nothing is called paid twice", async () => {
    const path = join(inputs, "22-orders-split.csv");
    const argv = ["tx", "reconcile", path, "--exit-code"];
    const { code, stdout } = await runCli([...argv, "--json"], { service: serviceOf(heldOf("22")) });
    const { summary, rows } = JSON.parse(stdout);
    expect(code).toBe(12);
    expect(summary).toEqual({
      matched: { count: 1, amount: "1500.00", ours: { rows: 1, amount: "1500.00" }, theirs: { rows: 1, amount: "1500.00" } },
      amount_mismatch: { count: 1, amount: "300000.00", ours: { rows: 1, amount: "300000.00" }, theirs: { rows: 1, amount: "150000.00" } },
      duplicate_there: { count: 1, amount: "150000.00", ours: { rows: 0, amount: "0.00" }, theirs: { rows: 1, amount: "150000.00" } },
    });
    for (const { reason } of rows) expect(reason).toContain("together make the order's 300,000.00");
    const shown = await runCli(argv, { service: serviceOf(heldOf("22")), width: 200 });
    expect(shown.stdout).toContain("together make the order's 300,000");
    expect(shown.stdout).not.toMatch(/paid twice|refund/i);
  });
});

it("a list of payouts pairs with money out, as the other side proves it, and is reported as one", async () => {
  const layouts = fileURLToPath(new URL("../../cases/layouts/", import.meta.url));
  const argv = ["tx", "reconcile", join(layouts, "mpesa-b2c.orders.csv"), "--against", join(layouts, "mpesa-b2c.csv"), "--json", "--exit-code"];
  const { code, stdout } = await runCli(argv);
  const { summary, inputs } = JSON.parse(stdout);
  expect([code, summary.matched.count, summary.ignored.count]).toEqual([0, 4, 5]);
  expect(inputs[0].notes.join()).toContain("list of payouts");
});
