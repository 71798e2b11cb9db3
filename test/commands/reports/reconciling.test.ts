import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { type Held, payment, serviceOf } from "../../support/transactions-service.ts";

const folder = fileURLToPath(new URL("../../cases/reconcile/", import.meta.url));
const heldOf = (set: string): Held[] =>
  JSON.parse(readFileSync(join(folder, set, "transactions.json"), "utf8")).map(({ x, ...row }: { x: { flow: "standard" | "b2c" }; id: string }) => ({
    ...row,
    flow: x.flow,
  }));
type Side = { readonly line?: number; readonly id?: string };
type Row = {
  readonly transactionId?: string;
  readonly category: string;
  readonly reference: string | null;
  readonly ours: readonly Side[];
  readonly theirs: readonly Side[];
};
type Counted = { readonly count: number };
/** The rows that differ, each as `category: our lines | their ids`. */
const compare = async (set: string, file: string) => {
  const { code, stdout } = await runCli(["tx", "reconcile", join(folder, set, file), "--json"], { service: serviceOf(heldOf(set)) });
  const { rows, summary, inputs } = JSON.parse(stdout) as { rows: Row[]; summary: Record<string, Counted>; inputs: Record<string, unknown>[] };
  const short = rows.map(({ category, ours, theirs }) => `${category}: ${ours.map(({ line }) => line)} | ${theirs.map(({ id }) => id)}`);
  expect(code).toBe(0);
  return { rows, short, summary, inputs };
};
/** When each of our rows happened, where the service holds none of them. */
const datesOf = async (path: string): Promise<readonly string[]> => {
  const { stdout } = await runCli(["tx", "reconcile", path, "--json"], { service: serviceOf([]) });
  return JSON.parse(stdout).rows.map(({ ours }: { ours: { at: string }[] }) => ours[0]?.at);
};

describe("cases/reports.md, importing and reconciling", () => {
  it("R1: a byte order mark hides no column, and a file without rows is a fault of the file", async () => {
    const path = join(folder, "mini/statement.csv");
    expect([...readFileSync(path).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [statement] = (await compare("mini", "statement.csv")).inputs;
    expect(statement).toMatchObject({ bom: true, rows: 9, columns: { receipt: "Receipt No." } });
    const bare = join(createHome(), "bare.csv");
    writeFileSync(bare, "\uFEFFreference,amount,status\r\n");
    const none = await runCli(["tx", "reconcile", bare], { service: serviceOf([]) });
    expect([none.code, none.stdout]).toEqual([2, ""]);
    expect(none.stderr).toContain("no rows");
  });

  it("R2: equal fares are three payments, a row again is a duplicate", async () => {
    const { short, summary } = await compare("overlap", "statement.csv");
    expect(short.sort()).toEqual(["duplicate_here: 12 | ", "duplicate_here: 13 | "]);
    expect(summary["matched"]?.count).toBe(8);
  });

  it("R3: one date decides for the column", async () => {
    const path = join(createHome(), "orders.csv");
    writeFileSync(path, "reference,amount,date\nA-1,100,03/02/2026\nA-2,100,13/02/2026\n");
    expect(await datesOf(path)).toEqual(["2026-02-03", "2026-02-13"]);
  });

  it.each(["Africa/Nairobi", "Africa/Lagos", "UTC"])("R4: a serial date is the same moment where TZ=%s", async (zone) => {
    const path = join(createHome(), "orders.csv");
    writeFileSync(path, "reference,amount,created_at\nA-1,100,46023.5\n");
    const outer = process.env["TZ"];
    process.env["TZ"] = zone;
    try {
      expect(await datesOf(path)).toEqual(["2026-01-01T09:00:00Z"]);
    } finally {
      if (outer === undefined) delete process.env["TZ"];
      else process.env["TZ"] = outer;
    }
  });

  it("R5: an equal amount under another reference is no match", async () => {
    const { short } = await compare("ambiguous", "orders.csv");
    expect(short).toEqual(expect.arrayContaining(["missing_there: 5 | ", "missing_here:  | tx_a03"]));
  });

  it("R6: of several equal candidates none is picked, and none is used up", async () => {
    const { short } = await compare("ambiguous", "orders.csv");
    const ambiguous = short.filter((row) => row.startsWith("ambiguous"));
    expect(ambiguous.sort()).toEqual(["ambiguous: 2,3 | tx_a01", "ambiguous: 6 | tx_a04,tx_a05", "ambiguous: 8,9 | tx_a06"]);
    expect(short.filter((row) => /tx_a0[1456]/.test(row))).toEqual(ambiguous);
  });

  it("R7: an order listed twice takes its payment once", async () => {
    const { short, summary } = await compare("overlap", "orders.csv");
    expect(short.filter((row) => /: (5|7) /.test(row))).toEqual(["duplicate_here: 7 | "]);
    expect([summary["matched"]?.count, short.some((row) => row.includes("tx_o01"))]).toEqual([5, false]);
  });

  it("R8: a balanced set has no difference of a rounding", async () => {
    const references = Array.from({ length: 10 }, (_, index) => `R-${index}`);
    const held = references.map((reference): Held => payment(`t-${reference}`, reference, 0.1));
    const path = join(createHome(), "orders.csv");
    writeFileSync(path, `reference,amount,status\n${references.map((reference) => `${reference},0.10,paid\n`).join("")}`);
    const { code, stdout } = await runCli(["tx", "reconcile", path, "--exit-code", "--json"], { service: serviceOf(held) });
    expect([code, JSON.parse(stdout).summary.matched]).toMatchObject([0, { count: 10, amount: "1.00" }]);
  });

  it("R9: paid there and open here is a missed callback", async () => {
    const { rows } = await compare("mini", "orders.csv");
    expect(rows.filter(({ reference }) => reference === "INV-1004")).toMatchObject([{ category: "missed_callback", transactionId: "tx_m04" }]);
  });
});
