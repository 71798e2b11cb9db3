import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { serviceOf } from "../../support/transactions-service.ts";
import { type SituationRun, situations } from "./situations.ts";

type Shown = { readonly line?: number; readonly id?: string; readonly carried?: string; readonly reference?: string | null };
type Row = {
  readonly category: string;
  readonly reference: string | null;
  readonly ours: readonly Shown[];
  readonly theirs: readonly Shown[];
  readonly reason: string;
  readonly suggestions?: readonly { readonly because: string }[];
};

const nameOf = ({ line, id, carried }: Shown): string => `${line ?? id}${carried === undefined ? "" : `@${carried}`}`;
const titleOf = ({ category, reference }: Row): string => `${category} ${reference ?? "-"}`;
const lineOf = (row: Row): string => `${titleOf(row)}: ${row.ours.map(nameOf).join()} / ${row.theirs.map(nameOf).join()}`;

const reconcile = async ({ files, service, flags = [] }: SituationRun, home: string) => {
  const folder = createHome();
  const paths = Object.entries(files).map(([name, lines]) => {
    writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
    return join(folder, name);
  });
  const [file = "", against] = paths;
  const argv = ["tx", "reconcile", file, ...(against === undefined ? [] : ["--against", against]), ...flags, "--json", "--exit-code"];
  return await runCli(argv, { home, service: serviceOf([...(service ?? [])]) });
};

describe.each(situations)("$name", ({ runs }) => {
  const home = createHome();
  it.each(runs.map((run, index) => [index + 1, run] as const))("run %i", async (_, run) => {
    const { code, stdout, stderr } = await reconcile(run, home);
    expect(stdout, stderr).not.toBe("");
    const document = JSON.parse(stdout);
    const found: readonly Row[] = document.rows;
    const counts = Object.fromEntries(Object.entries<{ count: number }>(document.summary).map(([category, { count }]) => [category, count]));
    expect(counts).toEqual(run.counts);
    if (run.rows !== undefined || found.length === 0) expect(found.map(lineOf).sort()).toEqual([...(run.rows ?? [])].sort());
    for (const [title, says] of Object.entries(run.says ?? {})) {
      const row = found.find((one) => titleOf(one) === title);
      expect(`${row?.reason} ${row?.suggestions?.map(({ because }) => because).join()}`).toMatch(says);
    }
    expect((document.carried?.rows ?? []).map(({ reference }: Shown) => reference)).toEqual(run.carried ?? []);
    expect(code).toBe(found.length === 0 ? 0 : 12);
  });
});

it("tables and the report name the currency of the files", async () => {
  const folder = createHome();
  const write = (name: string, ...lines: readonly string[]): string => {
    writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
    return join(folder, name);
  };
  const here = write("orders.csv", "reference,amount,currency,status", "X-1,100,USD,paid", "X-2,7,USD,paid");
  const there = write("gateway.csv", "Reference,Amount,Currency,Status", "X-1,100,USD,successful");
  const report = join(folder, "day.html");
  const { stdout } = await runCli(["tx", "reconcile", here, "--against", there, "--report", report]);
  for (const text of [stdout, readFileSync(report, "utf8")]) {
    expect(text).toContain("USD");
    expect(text).not.toContain("KES");
  }
});
