import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { type Held, payment, payout, serviceOf } from "../../support/transactions-service.ts";

const dayMs = 86_400_000;
const fileOf = (text: string, name = "orders.csv"): string => {
  const path = join(createHome(), name);
  writeFileSync(path, text);
  return path;
};
const counts = (stdout: string): Record<string, number> =>
  Object.fromEntries(Object.entries<{ count: number }>(JSON.parse(stdout).summary).map(([name, { count }]) => [name, count]));

/** A sandbox with so many pushes paid on one day, then so many on the next. */
const twoDays = async (first: number, second: number) => {
  const home = createHome();
  const clock = { nowMs: Date.UTC(2026, 2, 3, 8) };
  const run = (argv: readonly string[]) => runCli([...argv, "--sandbox", "--no-input"], { home, clock });
  const pay = async (count: number, prefix: string) => {
    for (let index = 0; index < count; index += 1) {
      const phone = `07123450${String(index % 10).padStart(2, "0")}`;
      expect((await run(["stk", "--phone", phone, "--amount", String(100 + index), "--reference", `${prefix}-${index}`])).code).toBe(0);
      clock.nowMs += 1000;
    }
    clock.nowMs += 60_000;
  };
  const statement = async (): Promise<string> => fileOf((await run(["api", "GET", "/_sandbox/statement.csv"])).stdout, "statement.csv");
  await pay(first, "A");
  const day1 = await statement();
  clock.nowMs += dayMs;
  await pay(second, "B");
  return { run, clock, day1, day2: await statement() };
};

describe("a day by itself, on the sandbox", () => {
  it("the second day's statement matches, and what was paid the day before counts as of other days", async () => {
    const { run, day1, day2 } = await twoDays(60, 5);
    const second = await run(["tx", "reconcile", day2, "--exit-code", "--json"]);
    expect([second.code, counts(second.stdout)]).toEqual([0, { matched: 5, other_period: 60 }]);
    expect(JSON.parse(second.stdout).summary.other_period.theirs).toEqual({ rows: 60, amount: "7770.00" });
    const first = await run(["tx", "reconcile", day1, "--exit-code", "--json"]);
    expect([first.code, counts(first.stdout)]).toEqual([0, { matched: 60, other_period: 5 }]);
  });
  it("orders of one day do as well, though the service's list has no dates", async () => {
    const { run } = await twoDays(6, 2);
    const orders = fileOf("reference,amount,status,date\nB-0,100,paid,2026-03-04\nB-1,101,paid,2026-03-04\n");
    const { code, stdout } = await run(["tx", "reconcile", orders, "--exit-code", "--json"]);
    expect([code, counts(stdout)]).toEqual([0, { matched: 2, other_period: 6 }]);
    const dateless = fileOf("reference,amount,status\nB-0,100,paid\nB-1,101,paid\n");
    const narrowed = await run(["tx", "reconcile", dateless, "--period", "2026-03-04", "--exit-code", "--json"]);
    expect([narrowed.code, counts(narrowed.stdout)]).toEqual([0, { matched: 2, other_period: 6 }]);
    const wide = await run(["tx", "reconcile", dateless, "--period", "2026-03-03..2026-03-04", "--json"]);
    expect(counts(wide.stdout)).toEqual({ matched: 2, missing_here: 6 });
  });
});

describe("where the service tells no dates", () => {
  const held: Held[] = [1, 2].map((day) => payment(`t${day}`, `A-${day}`, 100));
  const [first, second] = held;
  const orders = (day: number) => fileOf(`reference,amount,status,date\nA-${day},100,paid,2026-03-0${day}\n`);
  const at = (day: number) => ({ nowMs: Date.UTC(2026, 2, day, 9) });
  it("the time when the mirror first saw a transaction bounds it", async () => {
    const home = createHome();
    const sync = (now: Held[], day: number) => runCli(["tx", "sync"], { home, service: serviceOf(now), clock: at(day) });
    await sync(first === undefined ? [] : [first], 1);
    await sync(held, 2);
    const { stdout } = await runCli(["tx", "reconcile", orders(2), "--json"], { home, service: serviceOf(held), clock: at(2) });
    expect(counts(stdout)).toEqual({ matched: 1, other_period: 1 });
  });
  it("a transaction that a sync after the file's days did not have is of a later day", async () => {
    const home = createHome();
    await runCli(["tx", "sync"], { home, service: serviceOf(first === undefined ? [] : [first]), clock: at(2) });
    const { stdout } = await runCli(["tx", "reconcile", orders(1), "--json"], { home, service: serviceOf(held), clock: at(3) });
    expect(counts(stdout)).toEqual({ matched: 1, other_period: 1 });
  });
  it("without any bound it may be missing, and the reason says that no date is known", async () => {
    const { stdout } = await runCli(["tx", "reconcile", orders(2), "--json"], { service: serviceOf(held), clock: at(2) });
    expect(counts(stdout)).toEqual({ matched: 1, missing_here: 1 });
    expect(JSON.parse(stdout).rows[0].reason).toContain("no date known");
    expect(second?.id).toBe("t2");
  });
});

describe("a file without dates", () => {
  const held: Held[] = [1, 2].map((day) => payment(`t${day}`, `A-${day}`, 100, { metadata: { paidAt: `2026-03-0${day}` } }));
  it("is what is said to have none, not the service, and --period gives its days", async () => {
    const file = fileOf("reference,amount,status\nA-1,100,paid\n");
    const { stdout, stderr } = await runCli(["tx", "reconcile", file], { service: serviceOf(held) });
    expect(stderr).toMatch(/The file here has no dates.*--period/);
    expect(`${stdout}${stderr}`).not.toMatch(/no dates? (?:are |is )?known/i);
    const narrowed = await runCli(["tx", "reconcile", file, "--period", "2026-03-01", "--json"], { service: serviceOf(held) });
    expect(counts(narrowed.stdout)).toEqual({ matched: 1, other_period: 1 });
  });
});

describe("how many rows are asked for at once", () => {
  const held: Held[] = Array.from({ length: 150 }, (_, index) => payment(`t${index}`, `A-${index}`, 100));
  const file = fileOf("reference,amount,status\nA-7,100,paid\n");
  it("is less where the service refuses a large page", async () => {
    const before = ({ query }: { readonly query: URLSearchParams }) =>
      Number(query.get("limit") ?? 0) > 100 ? { status: 400, body: { success: false, code: "VALIDATION", message: "limit must be at most 100" } } : undefined;
    const { stdout, stderr } = await runCli(["tx", "reconcile", file, "--json"], { service: serviceOf(held, { before }) });
    expect(stdout, stderr).not.toBe("");
    expect(counts(stdout)).toEqual({ matched: 1, missing_here: 149 });
  });
  it("is as many as the service gives where it caps a page, and another refusal stands", async () => {
    expect(counts((await runCli(["tx", "reconcile", file, "--json"], { service: serviceOf(held, { cap: 40 }) })).stdout)).toEqual({
      matched: 1,
      missing_here: 149,
    });
    const refused = await runCli(["tx", "reconcile", file, "--json"], {
      service: () => ({ status: 403, body: { success: false, code: "SCOPE", message: "no" } }),
    });
    expect(refused.code).toBe(3);
  });
});

describe("--period and --flow", () => {
  const held: Held[] = [
    payment("t1", "A-1", 100, { metadata: { transactionDate: "20260301091200" } }),
    payout("t2", "P-1", 50, { metadata: { completedAt: "2026-03-01T09:00:00Z" } }),
  ];
  const orders = fileOf("reference,amount,status,date\nA-1,100,paid,2026-03-01\n");
  it.each([
    ["all", { matched: 1, missing_here: 1 }],
    ["standard", { matched: 1 }],
    ["b2c", { missing_there: 1, missing_here: 1 }],
  ])("compares the transactions of flow %s", async (flow, wanted) => {
    const { stdout, requests } = await runCli(["tx", "reconcile", orders, "--flow", flow, "--json"], { service: serviceOf(held) });
    expect(counts(stdout)).toEqual(wanted);
    expect([...new Set(requests.flatMap(({ query }) => query.get("flow") ?? []))]).toEqual(flow === "all" ? ["b2c", "standard"] : [flow]);
  });
  it.each(["2026-03-02..2026-03-01", "March", "2026-02-30", "2026-03-01..", "2026-03-01..2026-03-02..2026-03-03"])("refuses --period %s", async (period) => {
    const { code, requests } = await runCli(["tx", "reconcile", orders, "--period", period, "--json"], { service: serviceOf(held) });
    expect([code, requests.length]).toEqual([2, 0]);
  });
});
