import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { schemaFaults } from "../../support/schemas.ts";
import { type Held, payment, payout, serviceOf } from "../../support/transactions-service.ts";

const folder = fileURLToPath(new URL("../../cases/reconcile/", import.meta.url));
const heldOf = (set: string): Held[] =>
  JSON.parse(readFileSync(join(folder, set, "transactions.json"), "utf8")).map(({ x, ...row }: { x: { flow: "standard" | "b2c" }; id: string }) => ({
    ...row,
    flow: x.flow,
  }));
const fileOf = (text: string, name = "orders.csv"): string => {
  const path = join(createHome(), name);
  writeFileSync(path, text);
  return path;
};

for (const set of readdirSync(folder)) {
  const expected = JSON.parse(readFileSync(join(folder, set, "expected.json"), "utf8"));
  describe(`set ${set}`, () => {
    for (const { ours, theirs, summary, exit, differences } of expected.comparisons) {
      it(`${ours} with ${theirs}`, async () => {
        const argv = ["tx", "reconcile", join(folder, set, ours), "--exit-code", "--json"];
        if (theirs !== "transactions.json") argv.push("--against", join(folder, set, theirs));
        const { code, stdout, stderr } = await runCli(argv, { service: serviceOf(heldOf(set), { cap: 3 }) });
        const document = JSON.parse(stdout);
        expect(document.summary).toEqual(summary);
        expect(code).toBe(exit);
        expect(JSON.parse(stderr === "" ? '{"error":{"kind":"none"}}' : stderr).error.kind).toBe(exit === 12 ? "differences" : "none");
        const counted = document.rows.reduce(
          (sum: number, row: { ours: unknown[]; theirs: unknown[] }) => sum + (row.ours.length > 0 ? row.ours.length : row.theirs.length),
          0,
        );
        expect(counted).toBe(differences);
        for (const row of document.rows) expect(row.reason).toMatch(/\w/);
      });
    }
  });
}

describe("tx reconcile", () => {
  it("R8: ten of 0.10 make 1.00, without a status column", async () => {
    const held: Held[] = Array.from({ length: 10 }, (_, index) => payment(`t${index}`, `R-${index}`, 0.1));
    const path = fileOf(`reference,amount\n${held.map((row) => `${row.reference},0.10`).join("\n")}\n`);
    const { code, stdout } = await runCli(["tx", "reconcile", path, "--exit-code", "--json"], { service: serviceOf(held) });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).summary.matched).toMatchObject({ count: 10, amount: "1.00" });
  });

  it.each([
    ["an empty file", "", "empty"],
    ["a header without rows", "reference,amount\n", "no rows"],
    ["no amount", "reference,status\nA-1,paid\n", "amount"],
    ["no reference", "amount,status\n100,paid\n", "reference"],
    ["a sign-in page", "<!DOCTYPE html><html><body>Sign in</body></html>", "is a web page without a table"],
    ["an open quote", 'reference,amount\nA-1,100\n"A-2,100\n', "Line 3"],
    ["dates that could be either", "reference,amount,date\nA-1,100,03/02/2026\n", "03/02/2026"],
    ["amounts that could be either", 'reference,amount\nA-1,"1,500"\n', "1,500"],
  ])("refuses %s with 2 and says why", async (_, text, says) => {
    const { code, stdout, stderr, requests } = await runCli(["tx", "reconcile", fileOf(text), "--json"], { service: serviceOf([]) });
    expect([code, stdout, requests.length]).toEqual([2, "", 0]);
    expect(JSON.parse(stderr).error.message).toContain(says);
  });

  it("gives every input the same members, also the service and a file without dates", async () => {
    const { stdout } = await runCli(["tx", "reconcile", fileOf("reference,amount\nA-1,100\n"), "--json"], { service: serviceOf([payment("t1", "A-1", 100)]) });
    const { inputs } = JSON.parse(stdout);
    expect(inputs).toMatchObject([
      { file: expect.any(String), kind: "orders", layout: null, columns: { reference: "reference" }, rows: 1, period: null, unrecognised: {} },
      { file: null, kind: "service", layout: null, columns: {}, rows: 1, period: null, notes: [], unrecognised: {} },
    ]);
    expect(schemaFaults("tx-reconcile", JSON.parse(stdout))).toEqual([]);
  });

  it("takes columns as told, and what they leave open", async () => {
    const held: Held[] = [payment("t1", "A-1", 1500)];
    const path = fileOf('Order,Total,When\nA-1,"1,500",03/02/2026\n');
    const told = ["--columns", "reference=Order,amount=Total,date=When", "--columns", "dates=dmy,decimal=point"];
    const { code, stdout } = await runCli(["tx", "reconcile", path, ...told, "--json"], { service: serviceOf(held) });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { matched: { count: 1, amount: "1500.00" } },
      inputs: [{ period: { from: "2026-02-03", to: "2026-02-03" } }, {}],
    });
    const wrong = await runCli(["tx", "reconcile", path, "--columns", "amount=Nope", "--json"], { service: serviceOf(held) });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("Nope");
  });

  it("asks beside orders for the details of what is left over alone, beside a statement for all, and spares those of the mirror", async () => {
    const home = createHome();
    const service = serviceOf(heldOf("mini"));
    const orders = await runCli(["tx", "reconcile", join(folder, "mini/orders.csv"), "--json"], { service, home });
    expect(orders.requests.map(({ path, query }) => [path.split("/").at(-1), query.get("flow")])).toEqual([
      ["transactions", "b2c"],
      ["transactions", "standard"],
      ["tx_m06", null],
      ["tx_m08", null],
    ]);
    const statement = ["tx", "reconcile", join(folder, "mini/statement.csv"), "--json"];
    const first = await runCli(statement, { service, home });
    expect(first.requests.length).toBe(2 + 7);
    await runCli(["tx", "sync"], { service, home });
    const second = await runCli(statement, { service, home });
    expect(second.requests.length).toBe(2 + 1);
    expect(second.stdout).toBe(first.stdout);
  });

  it("prints what to do next, and the command that delivers what was missed", async () => {
    const { code, stdout } = await runCli(["tx", "reconcile", join(folder, "mini/orders.csv")], { service: serviceOf(heldOf("mini")), width: 160 });
    expect(code).toBe(0);
    expect(stdout).toContain("payments-cli webhook replay tx_m04");
    expect(stdout).toContain("Missed callback");
    expect(stdout).toContain("6 differences");
    const report = join(createHome(), "day.html");
    await runCli(["tx", "reconcile", join(folder, "mini/orders.csv"), "--report", report, "--json"], { service: serviceOf(heldOf("mini")) });
    expect(readFileSync(report, "utf8")).toContain("<code>payments-cli webhook replay tx_m04</code>");
    const odd: Held = payment("T1; echo $HOME", "A-1", 100);
    const quoted = await runCli(["tx", "reconcile", fileOf("reference,amount,status\nA-1,100,pending\n")], { service: serviceOf([odd]), width: 160 });
    expect(quoted.stdout).toContain("webhook replay 'T1; echo $HOME'");
    const elsewhere = ["tx", "reconcile", join(folder, "mini/orders.csv"), "--base-url", "http://127.0.0.1:9"];
    const named = await runCli(elsewhere, { service: serviceOf(heldOf("mini")), width: 160 });
    expect(named.stdout).toContain("webhook replay tx_m04 --base-url http://127.0.0.1:9");
  });

  it("gives the same bytes whatever order rows come in", async () => {
    const set = "overlap";
    const lines = readFileSync(join(folder, set, "orders.csv"), "utf8").split("\n");
    const path = fileOf(lines.join("\n"));
    const once = await runCli(["tx", "reconcile", path, "-o", "jsonl"], { service: serviceOf(heldOf(set)) });
    const again = await runCli(["tx", "reconcile", path, "-o", "jsonl"], { service: serviceOf(heldOf(set).reverse()) });
    expect(again.stdout).toBe(once.stdout);
    expect(once.stdout).not.toBe("");
  });

  it("says that what has the reference there is money of the other direction", async () => {
    const held: Held[] = [payout("t1", "A-1", 100), payment("t2", "A-2", 100)];
    const path = fileOf("reference,amount,status\nA-1,100,paid\nA-2,-100,paid\nA-3,100,paid\n");
    const { stdout } = await runCli(["tx", "reconcile", path, "--json"], { service: serviceOf(held) });
    const reasons = JSON.parse(stdout)
      .rows.filter(({ category }: { category: string }) => category === "missing_there")
      .map(({ reason }: { reason: string }) => reason);
    expect(reasons).toEqual([
      "no transaction there for reference A-1; the transaction of this reference there is a payout (money out), and this row is money in",
      "no transaction there for reference A-2; the transaction of this reference there is a payment in, and this row is money out",
      "no transaction there for reference A-3",
    ]);
  });

  it("keeps missing_here to the file's own days where dates are known", async () => {
    const held: Held[] = [
      payment("t1", "A-1", 100, { createdAt: "2026-03-01T09:00:00Z", metadata: { mobileMoneyReceipt: "UC1" } }),
      payment("t2", "A-2", 100, { createdAt: "2026-03-02T09:00:00Z", metadata: { mobileMoneyReceipt: "UC2" } }),
      payment("t3", "A-3", 100, { createdAt: "2026-03-01T10:00:00Z", metadata: { mobileMoneyReceipt: "UC3" } }),
    ];
    const path = fileOf("Receipt No.,Completion Time,Details,Paid In,Withdrawn\nUC1,01-03-2026 12:00:00,x,100.00,\n");
    const { stdout } = await runCli(["tx", "reconcile", path, "--json"], { service: serviceOf(held) });
    expect(JSON.parse(stdout).rows).toMatchObject([{ category: "missing_here", transactionId: "t3" }]);
    expect(JSON.parse(stdout).summary.other_period).toEqual({
      count: 1,
      amount: "100.00",
      ours: { rows: 0, amount: "0.00" },
      theirs: { rows: 1, amount: "100.00" },
    });
  });

  it("writes a page for the owner alone, in which nothing of the data is markup", async () => {
    const held: Held[] = [payment("t1", "</script><img src=x onerror=alert(1)>", 100)];
    const report = join(createHome(), "day.html");
    writeFileSync(report, "old", { mode: 0o644 });
    const { code, stderr } = await runCli(["tx", "reconcile", fileOf('reference,amount,status\n"<b>A\u202e",100,paid\n'), "--report", report], {
      service: serviceOf(held),
    });
    expect(code).toBe(0);
    expect(stderr).toContain(report);
    const page = readFileSync(report, "utf8");
    expect(statSync(report).mode & 0o777).toBe(0o600);
    expect(page).not.toMatch(/<img|<b>A|\u202e/);
    expect(page.match(/<\/script>/g)).toHaveLength(1);
    expect(page).not.toMatch(/https?:\/\/(?!127)/);
  });

  it("keeps the page short however much differs, with some of each kind", async () => {
    const held: Held[] = Array.from({ length: 5 }, (_, index) => payment(`t${index}`, `Z-${index}`, 1));
    const report = join(createHome(), "day.html");
    const path = fileOf(`reference,amount\n${Array.from({ length: 3000 }, (_, index) => `M-${index},100`).join("\n")}\n`);
    await runCli(["tx", "reconcile", path, "--report", report], { service: serviceOf(held) });
    const page = readFileSync(report, "utf8");
    expect(page.match(/<tr data-kind="missing_there"/g)).toHaveLength(1995);
    expect(page.match(/<tr data-kind="missing_here"/g)).toHaveLength(5);
    expect(page).toContain("2,000 of the 3,005 rows that differ");
    expect(page).toContain('<p class="verdict bad">3,005 differences');
  });

  it("reads JSONL and XLSX, and standard input", async () => {
    const held: Held[] = [payment("t1", "00731", 1500.5), payment("t2", "B-2", 20)];
    const jsonl = '{"reference":"00731","amount":1500.50,"status":"paid","extra":{"a":1}}\n\n{"reference":"B-2","amount":"20","status":"pending"}\n';
    const cells = (line: number, ...texts: readonly string[]) =>
      `<row r="${line}">${texts.map((text, index) => `<c r="${"ABC"[index]}${line}" t="inlineStr"><is><t>${text}</t></is></c>`).join("")}</row>`;
    const sheet = `<worksheet><sheetData>${cells(1, "Our orders")}${cells(3, "Reference", "Amount", "Status")}${cells(4, "00731", "1500.5", "paid")}${cells(5, "B-2", "20", "pending")}${cells(6, "Total", "1520.50", "")}</sheetData></worksheet>`;
    const xlsx = zipSync({
      "xl/workbook.xml": strToU8('<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>'),
      "xl/worksheets/sheet1.xml": strToU8(sheet),
    });
    const path = join(createHome(), "orders.xlsx");
    writeFileSync(path, xlsx);
    for (const [argv, stdin] of [
      [["-"], jsonl],
      [[path], ""],
      [["-"], xlsx],
    ] as const) {
      const { code, stdout, stderr } = await runCli(["tx", "reconcile", ...argv, "--json"], { service: serviceOf(held), stdin });
      expect(stderr).toBe("");
      expect(code).toBe(0);
      expect(JSON.parse(stdout).summary).toMatchObject({ matched: { count: 1, amount: "1500.50" }, missed_callback: { count: 1, amount: "20.00" } });
      expect(Object.keys(JSON.parse(stdout).summary)).toHaveLength(2);
    }
  });

  it("-o csv is flat: a row for each record that differs", async () => {
    const { stdout } = await runCli(["tx", "reconcile", join(folder, "mini/orders.csv"), "-o", "csv"], { service: serviceOf(heldOf("mini")) });
    const json = await runCli(["tx", "reconcile", join(folder, "mini/orders.csv"), "--json"], { service: serviceOf(heldOf("mini")) });
    const records = JSON.parse(json.stdout).rows.flatMap(({ ours, theirs }: { ours: unknown[]; theirs: unknown[] }) => [...ours, ...theirs]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe("side,category,reference,receipt,amount,date,line,reason");
    expect(lines).toHaveLength(1 + records.length);
    expect(stdout).not.toContain("{");
    expect(stdout).toContain("there,missed_callback,INV-1004,,");
  });
});
