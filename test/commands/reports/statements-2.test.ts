import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { type Held, serviceOf } from "../../support/transactions-service.ts";

const inputs = fileURLToPath(new URL("../../cases/files/", import.meta.url));
const heldOf = (number: string): Held[] =>
  JSON.parse(readFileSync(join(inputs, `${number}-transactions.json`), "utf8")).map(({ x, ...row }: { x: { flow: "standard" | "b2c" }; id: string }) => ({
    ...row,
    flow: x.flow,
  }));
type Row = { readonly category: string; readonly reason: string; readonly reference: string | null };
type Found = {
  readonly code: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly rows: readonly Row[];
  readonly input: Record<string, unknown>;
  readonly message: string;
  readonly command: readonly string[] | undefined;
};

/** Runs words after `tx reconcile FILE` against the row's own service. */
const run = async (path: string, number: string, ...flags: readonly string[]): Promise<Found> =>
  again(["tx", "reconcile", path, "--json", "--exit-code", ...flags], number);
const again = async (argv: readonly string[], number: string): Promise<Found> => {
  const { code, stdout, stderr } = await runCli(argv, { service: serviceOf(heldOf(number)) });
  const { message = "", command } = stderr === "" ? {} : JSON.parse(stderr).error;
  const { summary = {}, rows = [], inputs: [input = {}] = [] } = stdout === "" ? {} : JSON.parse(stdout);
  const counts = Object.fromEntries(Object.entries<{ count: number }>(summary).map(([name, { count }]) => [name, count]));
  return { code, counts, rows, input, message, command };
};
const given = (name: string): string => join(inputs, name);
const written = (text: string): string => {
  const path = join(createHome(), "orders.csv");
  writeFileSync(path, text);
  return path;
};

describe("cases/reports-2.md, orders and statements", () => {
  it("R2-01: receipts typed by hand pair without regard to case and spaces, and N/A is none", async () => {
    const { code, counts } = await run(given("01-orders-typed-receipts.csv"), "01");
    expect([code, counts]).toEqual([12, { matched: 4, missed_callback: 1, missing_there: 1 }]);
  });
  it("R2-02: a column of Dr and Cr says which way the money went", async () => {
    for (const flags of [["--as", "statement"], []]) {
      const { code, counts } = await run(given("02-statement-drcr.csv"), "02", ...flags);
      expect([code, counts]).toEqual([0, { matched: 3, ignored: 1 }]);
    }
  });
  it("R2-09: an unknown status word makes a statement row unreadable, leaves an order open, and is counted", async () => {
    const { code, counts, rows, input } = await run(given("09-statement-status-words.csv"), "09");
    expect([code, counts]).toEqual([12, { matched: 1, unreadable: 3, ignored: 1 }]);
    expect(input["unrecognised"]).toEqual({ "Transaction Successful": 1, Processed: 1, Imekamilika: 1 });
    for (const word of ["Transaction Successful", "Processed", "Imekamilika"]) expect(rows.some(({ reason }) => reason.includes(word))).toBe(true);
    const order = await run(written("reference,amount,status\nINV-9001,500,zustand\n"), "09");
    expect([order.counts, order.input["unrecognised"]]).toEqual([{ missed_callback: 1 }, { zustand: 1 }]);
  });
  it("R2-10: a heading that is there twice is refused, also if --columns names it", async () => {
    for (const flags of [[], ["--columns", "amount=Amount"]]) {
      const { code, message, command } = await run(given("10-orders-two-amounts.csv"), "10", ...flags);
      expect([code, message]).toEqual([2, expect.stringMatching(/Amount .*twice/)]);
      // The second column has the amounts of the service: it is the one that the command names.
      expect(await again(command ?? [], "10")).toMatchObject({ code: 0, counts: { matched: 2 } });
    }
  });
  it("R2-18: rows of further articles are folded into their order", async () => {
    for (const flags of [["--columns", "reference=Name,amount=Total,status=Financial Status,date=Paid at"], []]) {
      const { code, counts, rows } = await run(given("18-orders-shopify.csv"), "18", ...flags);
      expect([code, counts]).toEqual([12, { matched: 2, missed_callback: 2 }]);
      expect(rows.map(({ reference }) => reference).sort()).toEqual(["#1002", "#1004"]);
    }
  });
  it("R2-19: processing is paid in the shop's own file, and open in any other, where a note says so", async () => {
    for (const flags of [["--columns", "reference=order_number"], []]) {
      const { code, counts } = await run(given("19-orders-woocommerce.csv"), "19", ...flags);
      expect([code, counts]).toEqual([12, { matched: 4, missed_callback: 1, status_conflict: 1 }]);
    }
    const { counts, input } = await run(written("reference,amount,status\n4101,1500,processing\n4102,2350,processing\n4103,999,processing\n"), "19");
    expect(counts["missed_callback"]).toBe(3);
    expect((input["notes"] as string[]).filter((note) => note.includes("processing"))).toHaveLength(1);
  });
  it("R2-20: offsets as databases write them are read", async () => {
    const { code, counts, input, rows } = await run(given("20-orders-postgres.csv"), "20");
    expect([code, counts, input["period"]]).toEqual([12, { matched: 4, missed_callback: 1 }, { from: "2026-03-05", to: "2026-03-06" }]);
    expect(JSON.stringify(rows)).toContain("2026-03-05T21:10:00");
    const without = await run(written(readFileSync(given("20-orders-postgres.csv"), "utf8").replace(/^5,PG-5.*\n?/m, "")), "20");
    expect([without.counts["matched"], without.counts["unreadable"], without.input["period"]]).toEqual([
      3,
      undefined,
      { from: "2026-03-05", to: "2026-03-06" },
    ]);
  });
  it("R2-22: payments that make an order together are said to", async () => {
    const { code, counts, rows } = await run(given("22-orders-split.csv"), "22");
    expect([code, counts]).toEqual([12, { matched: 1, amount_mismatch: 1, duplicate_there: 1 }]);
    expect(rows.some(({ reason }) => reason.includes("300,000"))).toBe(true);
    const table = await runCli(["tx", "reconcile", given("22-orders-split.csv")], { service: serviceOf(heldOf("22")) });
    expect(table.stdout).not.toMatch(/paid twice|refund one/i);
    const both = await runCli(["tx", "get", "--reference", "INV-8001", "--json"], { service: serviceOf(heldOf("22")) });
    expect([both.code, both.stdout.match(/tx_220[12]/g)?.length]).toEqual([2, 2]);
  });
  it("R2-24: thousands are proved by the column, or said by the refusal's command", async () => {
    const { code, counts } = await run(given("24-orders-thousands-only.csv"), "24");
    expect([code, counts]).toEqual([12, { matched: 3, missed_callback: 1 }]);
    const refused = await run(written('reference,amount,status\nTH-1,"1,500",paid\n'), "24");
    expect([refused.code, refused.command?.join(" ")]).toEqual([2, expect.stringContaining("decimal=point")]);
    expect((await again(refused.command ?? [], "24")).counts["matched"]).toBe(1);
  });
  it("R2-28: balance lines and footers are no records", async () => {
    const { code, counts } = await run(given("28-statement-footers.csv"), "28");
    expect([code, counts]).toEqual([0, { matched: 2 }]);
  });
  it("R2-30: a row that moved nothing is ignored", async () => {
    const { code, counts } = await run(given("30-statement-empty-charge.csv"), "30");
    expect([code, counts]).toEqual([12, { matched: 1, missing_there: 1, ignored: 1 }]);
  });
  it("R2-32: shillings are read however they are written", async () => {
    const { code, counts } = await run(given("32-orders-ksh-words.csv"), "32");
    expect([code, counts]).toEqual([12, { matched: 4, unreadable: 1, missing_here: 1 }]);
  });
  it.each([
    ["csv", []],
    ["jsonl", []],
    ["csv", ["--fields", "reference,amount,status,id"]],
  ])("R2-62: the program's own export is read (%s %j)", async (format, fields) => {
    const service = serviceOf(heldOf("62"));
    const { stdout } = await runCli(["tx", "list", "--all", "--flow", "all", "-o", format, ...fields], { service });
    const path = join(createHome(), `t.${format}`);
    writeFileSync(path, stdout);
    const { code, counts } = await run(path, "62");
    expect([code, counts]).toEqual([0, { matched: 5 }]);
  });
});
