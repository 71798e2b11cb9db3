import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { runAgainIn } from "../../support/run-again.ts";
import { type Held, payment, serviceOf } from "../../support/transactions-service.ts";

const held: Held[] = [payment("T1", "INV-1", 1500), payment("T2", "INV-2", 700)];
const service = serviceOf(held);
const fileOf = (home: string, text: string): string => {
  const file = join(home, "sheet.csv");
  writeFileSync(file, text);
  return file;
};
const unclear = 'reference,amount,status\nINV-1,"1,500",paid\n';
const twoSums = "Invoice,Col A,Col B,status\nINV-1,1500,30.00,paid\nINV-2,700,14.00,paid\n";

describe("tx reconcile asks on a terminal", () => {
  it("shows the first rows, takes a yes, and offers to keep the answers", async () => {
    const home = createHome();
    const { code, prompts, stdout } = await runCli(["tx", "reconcile", fileOf(home, unclear), "--json"], { service, home, answers: [true, false] });
    expect([code, JSON.parse(stdout).summary.matched.count]).toEqual([0, 1]);
    expect(prompts[0]).toContain("INV-1 | 1,500 | paid");
  });

  it("a no is the refusal that a script gets", async () => {
    const home = createHome();
    const { code, stdout, stderr } = await runCli(["tx", "reconcile", fileOf(home, unclear), "--json"], { service, home, answers: [false] });
    expect([code, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr).error.command).toContain("--columns");
  });

  it("what was kept reads the next file of the kind without a question", async () => {
    const home = createHome();
    const first = await runCli(["tx", "reconcile", fileOf(home, unclear), "--json"], { service, home, answers: [true, true, "hand"] });
    expect(first.code).toBe(0);
    const kept = JSON.parse((await runCli(["tx", "layout", "show", "hand", "--json"], { home })).stdout);
    expect(kept).toMatchObject({ name: "hand", decimal: "point" });
    const next = await runCli(["tx", "reconcile", fileOf(home, unclear), "--layout", "hand", "--json"], { service, home });
    expect([next.code, JSON.parse(next.stdout).summary.matched.count]).toEqual([0, 1]);
  });

  it("a script gets exit 2 and a command that reads the file", async () => {
    const home = createHome();
    const file = fileOf(home, twoSums);
    const { code, stdout, stderr } = await runCli(["tx", "reconcile", file, "--json"], { service: serviceOf([]), home });
    if (code === 0) throw new Error(`read without a proof: ${stdout}`);
    const { command } = JSON.parse(stderr).error;
    expect([code, Array.isArray(command)]).toEqual([2, true]);
    expect((await runCli(command, { service, home })).code).toBe(0);
  });

  it("asks for the column, the likeliest first", async () => {
    const home = createHome();
    const file = fileOf(home, twoSums);
    const { code, prompts, stdout } = await runCli(["tx", "reconcile", file, "--json"], {
      service: serviceOf([]),
      home,
      answers: [{ choose: "Col A" }, false],
    });
    expect([code, JSON.parse(stdout).summary.missing_there.amount]).toEqual([0, "2200.00"]);
    expect(prompts[0]).toContain("Col A");
  });

  it("a file of phones and amounts alone is read where nobody knows a column of references, and its rows are shown beside those of their amounts", async () => {
    const home = createHome();
    const file = fileOf(home, "Phone,Amount\n0712345678,1500\n0712345679,700.50\n");
    const { prompts, stdout } = await runCli(["tx", "reconcile", file, "--json"], { service, home, answers: [{ choose: "none of them" }, false] });
    expect(prompts[0]).toContain("reference");
    const { summary, inputs } = JSON.parse(stdout);
    expect([summary.ambiguous.count, summary.missing_there.count, summary.matched]).toEqual([1, 1, undefined]);
    expect(inputs[0].notes.join("\n")).toContain("no row pairs by itself");
    const { command } = JSON.parse((await runCli(["tx", "reconcile", file, "--json"], { service, home })).stderr).error;
    expect(JSON.parse((await runCli(command, { service, home })).stdout).summary).toEqual(summary);
  });

  it("the note has a command that reads the file without questions", async () => {
    const home = createHome();
    const { stderr } = await runCli(["tx", "reconcile", fileOf(home, twoSums)], { service: serviceOf([]), home, answers: [{ choose: "Col A" }, false] });
    const typed = runAgainIn(stderr) ?? [];
    expect(typed).toContain("--columns");
    expect((await runCli([...typed, "--json"], { service: serviceOf([]), home })).code).toBe(0);
  });
});
