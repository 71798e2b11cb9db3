import { describe, expect, it } from "vitest";
import { runCli, type Service } from "../../support/cli.ts";

type Row = { id: string; reference: string; amount: number; status: string };
const rowOf = (number: number): Row => ({ id: `T${number}`, reference: `R${number}`, amount: number, status: number % 10 === 0 ? "FAILED" : "COMPLETED" });
const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, index) => rowOf(index + 1));

/** Newest first, pages capped; `between` runs after each page. */
const listing = (rows: Row[], { cap = 10, between }: { cap?: number; between?: (rows: Row[], page: number) => void } = {}): Service => {
  let pages = 0;
  return ({ query }) => {
    const limit = Math.min(Number(query.get("limit") ?? cap), cap);
    const offset = Number(query.get("offset") ?? 0);
    const body = { transactions: rows.slice(offset, offset + limit), total: rows.length, page: ++pages };
    between?.(rows, pages);
    return { body };
  };
};
const idsOf = (stdout: string): string[] => JSON.parse(stdout).transactions.map(({ id }: Row) => id);

describe("tx list", () => {
  it("O2: none is an empty list, and done", async () => {
    const { code, stdout } = await runCli(["tx", "list", "--json"], { service: () => ({ body: { transactions: [], total: 0 } }) });
    expect([code, JSON.parse(stdout)]).toEqual([0, { transactions: [], total: 0 }]);
  });

  it("without flags sends none, and gives the page as it came", async () => {
    const { stdout, requests } = await runCli(["tx", "list", "--json"], {
      service: () => ({ body: '{"transactions":[{"id":"T1","amount":1003800.00}],"total":7,"next":null}' }),
    });
    expect([...(requests[0]?.query.keys() ?? [])]).toEqual([]);
    expect(JSON.parse(stdout)).toEqual({ transactions: [{ id: "T1", amount: 1003800 }], total: 7, next: null });
    expect(stdout).toContain("1003800.00");
  });

  it("--limit is the rows wanted, whatever the service's cap", async () => {
    const { stdout, requests } = await runCli(["tx", "list", "--limit", "25", "--json"], { service: listing(rowsOf(340)) });
    expect(idsOf(stdout)).toEqual(rowsOf(25).map(({ id }) => id));
    expect(requests.length).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ total: 340, page: 3 });
  });

  it("drops a row that moved on to the next page, and nothing within a page", async () => {
    const between = (rows: Row[], page: number): void => void (page === 1 && rows.unshift({ ...rowOf(0), id: "N1" }));
    const moved = await runCli(["tx", "list", "--limit", "15", "--json"], { service: listing(rowsOf(30), { between }) });
    expect(idsOf(moved.stdout)).toEqual(rowsOf(15).map(({ id }) => id));
    const twice = await runCli(["tx", "list", "--json"], { service: () => ({ body: { transactions: [rowOf(1), rowOf(1)], total: 2 } }) });
    expect(idsOf(twice.stdout)).toEqual(["T1", "T1"]);
  });

  it("repeats no page for ever where there is no total", async () => {
    const service: Service = () => ({ body: { transactions: rowsOf(5) } });
    for (const flags of [
      ["--limit", "9"],
      ["--limit", "9", "--status", "NEVER"],
      ["--status", "NEVER"],
    ]) {
      const { code, requests } = await runCli(["tx", "list", ...flags, "--json"], { service });
      expect([code, requests.length < 10]).toEqual([0, true]);
    }
  });

  it("--status keeps paging until so many match", async () => {
    const { stdout } = await runCli(["tx", "list", "--status", "failed", "--limit", "4", "--json"], { service: listing(rowsOf(340)) });
    expect(idsOf(stdout)).toEqual(["T10", "T20", "T30", "T40"]);
    expect(JSON.parse(stdout).total).toBe(340);
  });

  it("refuses what is no number, and an unknown flow", async () => {
    for (const flags of [
      ["--limit", "0"],
      ["--limit", "ten"],
      ["--offset", "-1"],
      ["--flow", "b2x"],
      ["--all", "--offset", "3"],
    ]) {
      const { code, requests } = await runCli(["tx", "list", ...flags], { service: listing([]) });
      expect([flags, code, requests.length]).toEqual([flags, 2, 0]);
    }
  });
});

describe("tx list --all", () => {
  it("L2: does not stop at a cap", async () => {
    const { code, stdout, requests } = await runCli(["tx", "list", "--all", "--limit", "100", "--json"], { service: listing(rowsOf(340), { cap: 100 }) });
    expect([code, idsOf(stdout).length, JSON.parse(stdout).total, requests.length]).toEqual([0, 340, 340, 4]);
  });

  it("L1: every row once while others arrive between pages", async () => {
    const between = (rows: Row[], page: number): void => void (page <= 4 && rows.unshift({ ...rowOf(0), id: `N${page}` }));
    const { code, stdout } = await runCli(["tx", "list", "--all", "--json"], { service: listing(rowsOf(25), { between }) });
    const ids = idsOf(stdout);
    expect([code, new Set(ids).size]).toEqual([0, ids.length]);
    expect(ids).toEqual(expect.arrayContaining(rowsOf(25).map(({ id }) => id)));
  });

  it("is bounded when rows arrive as fast as pages are read, and names the gap", async () => {
    const between = (rows: Row[], page: number): void => void rows.unshift(...rowsOf(10).map((row) => ({ ...row, id: `N${page}-${row.id}` })));
    const { code, stdout, stderr, requests } = await runCli(["tx", "list", "--all", "--json"], { service: listing(rowsOf(25), { between }) });
    expect([code, stdout]).toEqual([10, ""]);
    expect(JSON.parse(stderr).error.message).toMatch(/\d+ of [\d,]+ transactions.*[\d,]+ are missing/);
    expect(requests.length).toBeLessThan(400);
  });

  it("an early empty page is tried again, and after three passes is a gap", async () => {
    const { code, stderr } = await runCli(["tx", "list", "--all"], {
      service: ({ query }) => ({ body: { transactions: Number(query.get("offset") ?? 0) === 0 ? rowsOf(5) : [], total: 9 } }),
    });
    expect(code).toBe(10);
    expect(stderr).toContain("4 are missing");
  });

  it("ends without a total where pages bring nothing new", async () => {
    const { code, stdout } = await runCli(["tx", "list", "--all", "--json"], { service: () => ({ body: { transactions: rowsOf(5) } }) });
    expect([code, idsOf(stdout).length]).toEqual([0, 5]);
  });

  it("a total below what was read ends no list: it counts something else", async () => {
    for (const total of [3, 10]) {
      const service: Service = ({ query }) => ({
        body: {
          transactions: rowsOf(25)
            .slice(Number(query.get("offset") ?? 0))
            .slice(0, 7),
          total,
        },
      });
      const { code, stdout } = await runCli(["tx", "list", "--all", "--json"], { service });
      expect([total, code, idsOf(stdout).length]).toEqual([total, 0, 25]);
    }
  });

  it("L6: one document, or one transaction a line", async () => {
    const { stdout } = await runCli(["tx", "list", "--all", "-o", "jsonl"], { service: listing(rowsOf(25)) });
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual(rowsOf(25).map(({ id }) => id));
  });

  it("filters without a limit too", async () => {
    const { stdout } = await runCli(["tx", "list", "--all", "--status", "FAILED", "--json"], { service: listing(rowsOf(45)) });
    expect(idsOf(stdout)).toEqual(["T10", "T20", "T30", "T40"]);
  });
});

it("a CSV of no transactions has its header", async () => {
  const result = await runCli(["tx", "list", "-o", "csv"], { service: () => ({ body: { transactions: [], total: 0 } }) });
  expect([result.code, result.stdout]).toEqual([0, "id,reference,amount,status\n"]);
});

it("--reference keeps the transactions of one reference, over all pages", async () => {
  const rows = Array.from({ length: 250 }, (_, index) => ({ id: `T${index}`, reference: index === 240 ? "INV-7" : `R-${index}`, amount: 1, status: "SENT" }));
  const paged: Service = ({ query }) => {
    const offset = Number(query.get("offset") ?? 0);
    return { body: { transactions: rows.slice(offset, offset + 100), total: rows.length } };
  };
  const { code, stdout } = await runCli(["tx", "list", "--reference", " INV-7 ", "--limit", "5", "--json"], { service: paged });
  expect([code, JSON.parse(stdout).transactions.map(({ id }: { id: string }) => id)]).toEqual([0, ["T240"]]);
});

it("a status that this program does not know is noted, and looked for all the same", async () => {
  const odd: Service = () => ({ body: { transactions: [{ id: "T1", reference: "R", amount: 1, status: "PARKED" }], total: 1 } });
  const { code, stdout, stderr } = await runCli(["tx", "list", "--status", "parked"], { service: odd });
  expect(code).toBe(0);
  expect(stdout).toContain("T1");
  expect(stderr).toContain("COMPLETED");
});
