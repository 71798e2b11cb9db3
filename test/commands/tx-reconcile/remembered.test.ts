import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { type Held, payment, serviceOf } from "../../support/transactions-service.ts";

const head = "reference,amount,status";
const fileIn = (folder: string, name: string, ...rows: readonly string[]): string => {
  const path = join(folder, name);
  writeFileSync(path, `${rows.join("\n")}\n`);
  return path;
};
const paid = (id: string, reference: string, amount = 100): Held => payment(id, reference, amount);

/** A service that tells no dates, over several runs of one home. */
const desk = () => {
  const home = createHome();
  const held: Held[] = [];
  const run = async (path: string, ...flags: readonly string[]) => {
    const { code, stdout } = await runCli(["tx", "reconcile", path, "--exit-code", "--json", ...flags], { home, service: serviceOf(held) });
    const { summary, rows, carried } = JSON.parse(stdout);
    const counts = Object.fromEntries(Object.entries<{ count: number }>(summary).map(([name, { count }]) => [name, count]));
    return { code, counts, rows, carried };
  };
  return { home, held, run };
};

describe("what earlier runs paired", () => {
  it("counts as of other days in the next file, though no date is known anywhere", async () => {
    const { home, held, run } = desk();
    held.push(paid("t1", "A-1"), paid("t2", "A-2"));
    const first = fileIn(home, "one.csv", head, "A-1,100,paid", "A-2,100,paid");
    expect(await run(first)).toMatchObject({ code: 0, counts: { matched: 2 } });
    held.unshift(paid("t3", "B-1"));
    const second = fileIn(home, "two.csv", head, "B-1,100,paid");
    expect(await run(second)).toMatchObject({ code: 0, counts: { matched: 1, other_period: 2 } });
    // The first file again is what it was.
    expect(await run(first)).toMatchObject({ code: 0, counts: { matched: 2, other_period: 1 } });
    expect(await run(second, "--forget")).toMatchObject({ code: 12, counts: { matched: 1, missing_here: 2 } });
    expect(await run(first)).toMatchObject({ counts: { matched: 2, other_period: 1 } });
  });
  it("is paired with the same order again, also beside a prompt that is still open", async () => {
    const { home, held, run } = desk();
    held.push(paid("t1", "U-2", 10), { ...paid("t2", "U-2", 10), status: "SENT" });
    const file = fileIn(home, "day.csv", `${head},date`, "U-2,10,paid,2026-04-05");
    for (let times = 0; times < 3; times += 1) expect(await run(file)).toMatchObject({ counts: { matched: 1, open_there: 1 } });
  });
  it("is not paired again with next month's order of the same reference", async () => {
    const { home, held, run } = desk();
    const dated = `${head},date`;
    held.push(paid("t1", "RENT-4B", 2500));
    expect(await run(fileIn(home, "april.csv", dated, "RENT-4B,2500,paid,2026-04-05"))).toMatchObject({ counts: { matched: 1 } });
    const may = fileIn(home, "may.csv", dated, "RENT-4B,2500,paid,2026-05-05");
    expect(await run(may)).toMatchObject({ code: 12, counts: { missing_there: 1, other_period: 1 } });
    held.unshift(paid("t2", "RENT-4B", 2400));
    expect(await run(may)).toMatchObject({ code: 12, counts: { amount_mismatch: 1, other_period: 1 } });
    held.splice(0, 1, paid("t2", "RENT-4B", 2500));
    expect(await run(may)).toMatchObject({ code: 0, counts: { matched: 1, other_period: 1 } });
  });
  it("without dates, the payment that no earlier run used goes first", async () => {
    const { home, held, run } = desk();
    held.push(paid("t1", "RENT-4B", 2500));
    await run(fileIn(home, "april.csv", head, "RENT-4B,2500,paid"));
    held.unshift(paid("t2", "RENT-4B", 2400));
    const { counts, rows } = await run(fileIn(home, "may.csv", head, "RENT-4B,2500,paid"));
    expect(counts).toEqual({ amount_mismatch: 1, other_period: 1 });
    expect(rows[0].transactionId).toBe("t2");
  });
  it("without dates, the same file finds the same pairs and the same duplicate again", async () => {
    const { home, held, run } = desk();
    held.push(paid("t1", "A-1"), paid("t2", "A-1"));
    const file = fileIn(home, "one.csv", head, "A-1,100,paid");
    const first = await run(file);
    expect(first.counts).toEqual({ matched: 1, duplicate_there: 1 });
    expect((await run(file)).rows).toEqual(first.rows);
    expect(await run(fileIn(home, "one.csv", head, "B-1,100,paid"))).toMatchObject({ counts: { missing_there: 1, missing_here: 1, other_period: 1 } });
  });
  it("without dates, a first payment of another amount is still shown once the order has its right one", async () => {
    const { home, held, run } = desk();
    held.push(paid("t1", "A-1", 60));
    const file = fileIn(home, "one.csv", head, "A-1,100,paid");
    expect((await run(file)).counts).toEqual({ amount_mismatch: 1 });
    held.unshift(paid("t2", "A-1", 100));
    for (let times = 0; times < 2; times += 1) expect((await run(file)).counts).toEqual({ matched: 1, duplicate_there: 1 });
  });
  it("leaves no doubt about the days of what is missing here, if all of that has a date", async () => {
    const { home, held, run } = desk();
    held.push(paid("t1", "A-1"));
    await run(fileIn(home, "april.csv", `${head},date`, "A-1,100,paid,2026-04-05"));
    held.unshift({ ...paid("t2", "B-1"), metadata: { completedAt: "2026-05-05T09:00:00Z" } });
    const may = fileIn(home, "may.csv", `${head},date`, "C-1,100,pending,2026-05-05");
    const notes = async () => (await runCli(["tx", "reconcile", may], { home, service: serviceOf(held) })).stderr;
    expect(await notes()).not.toContain("a date that is known");
    held.unshift(paid("t3", "D-1"));
    expect(await notes()).toContain("Not all payments there have a date that is known");
  });
  it("a further payment of an order stays its duplicate in its own days, and is of other days later", async () => {
    const { home, held, run } = desk();
    const dated = `${head},date`;
    held.push(paid("t1", "A-1"), paid("t2", "A-1"));
    const first = fileIn(home, "one.csv", dated, "A-1,100,paid,2026-03-01");
    for (let times = 0; times < 2; times += 1) expect(await run(first)).toMatchObject({ counts: { matched: 1, duplicate_there: 1 } });
    held.unshift(paid("t3", "B-1"));
    expect(await run(fileIn(home, "two.csv", dated, "B-1,100,paid,2026-03-02"))).toMatchObject({ code: 0, counts: { matched: 1, other_period: 2 } });
  });
  it("belongs to its kind of file: a statement of the day after finds what orders have used", async () => {
    const { home, held, run } = desk();
    held.push({ ...paid("t1", "A-1"), metadata: { mobileMoneyReceipt: "UC1A0000A1" } });
    await run(fileIn(home, "orders.csv", `${head},date`, "A-1,100,paid,2026-03-01"));
    const statement = fileIn(home, "s.csv", "Receipt No.,Completion Time,Details,Paid In,Withdrawn,A/C No.", "UC1A0000A1,02-03-2026 00:03:00,x,100.00,,A-1");
    expect(await run(statement)).toMatchObject({ code: 0, counts: { matched: 1 } });
  });
  it("another transaction under an id that was used before is not taken for it", async () => {
    const { home, held, run } = desk();
    held.push(paid("t1", "A-1"));
    await run(fileIn(home, "one.csv", head, "A-1,100,paid"));
    held.splice(0, 1, paid("t1", "B-1"));
    expect(await run(fileIn(home, "two.csv", head, "C-1,100,paid"))).toMatchObject({ counts: { missing_there: 1, missing_here: 1 } });
  });
  it("a memory that cannot be used is reported, and the comparison stands", async () => {
    const { home, held } = desk();
    held.push(paid("t1", "A-1"));
    mkdirSync(join(home, "data"));
    writeFileSync(join(home, "data", "reconciled.db"), "no database ".repeat(1000));
    const argv = ["tx", "reconcile", fileIn(home, "one.csv", head, "A-1,100,paid"), "--exit-code"];
    const { code, stderr } = await runCli(argv, { home, service: serviceOf(held) });
    expect([code, stderr.includes("reconciled.db")]).toEqual([0, true]);
    const { inputs } = JSON.parse((await runCli([...argv, "--json"], { home, service: serviceOf(held) })).stdout);
    expect(inputs[1].notes).toEqual([expect.stringContaining("reconciled.db")]);
  });
});

describe("rows here that stayed open", () => {
  it("are carried forward, shown apart and not counted, until they pair", async () => {
    const { home, held, run } = desk();
    const dated = `${head},date`;
    expect(await run(fileIn(home, "one.csv", dated, "A-1,100,pending,2026-03-01"))).toMatchObject({ code: 12, counts: { missing_there: 1 } });
    held.push(paid("t2", "B-1"));
    const second = await run(fileIn(home, "two.csv", dated, "B-1,100,paid,2026-03-02"));
    expect(second).toMatchObject({ code: 0, counts: { matched: 1 }, carried: { count: 1, amount: "100.00" } });
    expect(second.carried.rows).toMatchObject([{ reference: "A-1", carried: "2026-03-01" }]);
    held.push(paid("t1", "A-1"), paid("t3", "C-1"));
    const third = await run(fileIn(home, "three.csv", dated, "C-1,100,paid,2026-03-03"));
    expect(third).toMatchObject({ code: 12, counts: { matched: 1, missed_callback: 1, other_period: 1 } });
    expect(third.carried).toBeUndefined();
    expect(third.rows[0].ours).toMatchObject([{ reference: "A-1", carried: "2026-03-01" }]);
    held.push(paid("t4", "D-1"));
    expect(await run(fileIn(home, "four.csv", dated, "D-1,100,paid,2026-03-04"))).toMatchObject({ code: 0, counts: { matched: 1, other_period: 3 } });
  });
  it("are dropped where the file has them itself, and by a later version of their own file", async () => {
    const { home, held, run } = desk();
    const dated = `${head},date`;
    await run(fileIn(home, "one.csv", dated, "A-1,100,pending,2026-03-01", "X-1,5,pending,2026-03-01"));
    held.push(paid("t1", "A-1"));
    const again = await run(fileIn(home, "one.csv", dated, "A-1,100,paid,2026-03-01"));
    expect(again).toMatchObject({ code: 0, counts: { matched: 1 } });
    expect(again.carried).toBeUndefined();
  });
  it("--forget drops them", async () => {
    const { home, held, run } = desk();
    await run(fileIn(home, "one.csv", head, "A-1,100,pending"));
    held.push(paid("t2", "B-1"));
    const path = fileIn(home, "two.csv", head, "B-1,100,paid");
    expect((await run(path)).carried).toMatchObject({ count: 1 });
    expect((await run(path, "--forget")).carried).toBeUndefined();
  });
});

it("the table shows payouts that no row asks for apart, other days with their sum, and rows carried forward", async () => {
  const { home, held, run } = desk();
  const dated = `${head},date`;
  held.push({ ...paid("t0", "Z-1", 70), metadata: { completedAt: "2026-03-01T09:00:00Z" } });
  await run(fileIn(home, "one.csv", dated, "A-1,100,pending,2026-03-01", "Z-1,70,paid,2026-03-01"));
  held.push(paid("t1", "B-1"), { ...paid("t2", "SUP-1", 2500), flow: "b2c" }, paid("t3", "C-1", 40));
  const path = fileIn(home, "two.csv", dated, "B-1,100,paid,2026-03-02");
  const { stdout } = await runCli(["tx", "reconcile", path], { home, service: serviceOf(held), width: 160 });
  for (const line of [
    /Not in your file +1 +40\.00 +-40\.00/,
    /Paid out, not in your file +1 +2,500\.00 +\+2,500\.00/,
    /Other days +1 +70\.00/,
    /2026-03-01 +A-1 +100\.00 +pending/,
  ])
    expect(stdout).toMatch(line);
  const csv = await runCli(["tx", "reconcile", path, "-o", "csv"], { home, service: serviceOf(held) });
  expect(csv.stdout).toContain("here,carried,A-1,,100.00,2026-03-01,2,");
});
