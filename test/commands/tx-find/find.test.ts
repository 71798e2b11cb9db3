import { describe, expect, it } from "vitest";
import { createHome, runCli } from "../../support/cli.ts";
import { type Held, payment, payout, serviceOf } from "../../support/transactions-service.ts";

const held: Held[] = [
  payment("tx_1", "INV-1001", 1500, { providerRef: "ws_CO.1", metadata: { mobileMoneyReceipt: "UC1A0000A1", phone: "254712345678" } }),
  payment("tx_2", "inv 1001", 1500, { status: "FAILED", phone: "2547***002" }),
  payout("tx_3", "PO-7", "12345678901234567890", { status: "QUEUED", metadata: { msisdn: "0110.000.678" } }),
];

const prepared = async (clock?: { nowMs: number }) => {
  const home = createHome();
  await runCli(["tx", "sync"], { service: serviceOf(held), home, ...(clock === undefined ? {} : { clock }) });
  return home;
};

describe("tx find", () => {
  it("finds by reference, receipt, provider reference, id and the end of a phone", async () => {
    const home = await prepared();
    const ids = async (text: string) => {
      const { stdout, code, requests } = await runCli(["tx", "find", text, "--json"], { service: serviceOf(held), home });
      expect(requests).toHaveLength(0);
      return [
        code,
        ...JSON.parse(stdout)
          .transactions.map(({ id }: { id: string }) => id)
          .sort(),
      ];
    };
    expect(await ids("inv1001")).toEqual([0, "tx_1", "tx_2"]);
    expect(await ids(" INV/1001 ")).toEqual([0, "tx_1", "tx_2"]);
    expect(await ids("uc1a0000a1")).toEqual([0, "tx_1"]);
    expect(await ids("WS CO 1")).toEqual([0, "tx_1"]);
    expect(await ids("tx-3")).toEqual([0, "tx_3"]);
    expect(await ids("678")).toEqual([0, "tx_1", "tx_3"]);
    expect(await ids("0712 345 678")).toEqual([0, "tx_1"]);
    expect(await ids("+254712345678")).toEqual([0, "tx_1"]);
    expect(await ids("0712.345/678")).toEqual([0, "tx_1"]);
    expect(await ids("254110000678")).toEqual([0, "tx_3"]);
    expect(await ids("002")).toEqual([0, "tx_2"]);
    expect(await ids("INV-100")).toEqual([4]);
    expect(await ids("INV-9999")).toEqual([4]);
  });

  it("says how old the mirror is, and how to sync when it is old or empty", async () => {
    const clock = { nowMs: Date.UTC(2026, 2, 1, 8) };
    const home = await prepared(clock);
    clock.nowMs += 2 * 3600_000;
    const old = await runCli(["tx", "find", "UC1A0000A1"], { service: serviceOf(held), home, clock });
    expect(old.code).toBe(0);
    expect(old.stderr).toContain("2 h ago");
    expect(old.stderr).toContain("tx sync");
    expect(old.stdout).toContain("UC1A0000A1");
    const empty = await runCli(["tx", "find", "x", "--json"], { service: serviceOf(held) });
    expect(empty.code).toBe(4);
    expect(JSON.parse(empty.stdout)).toEqual({ transactions: [], syncedAt: null });
    expect(JSON.parse(empty.stderr).error).toMatchObject({ kind: "not-found", hint: expect.stringContaining("tx sync") });
  });

  it("does not show one merchant's payments to another at the same address", async () => {
    const home = await prepared();
    const { code } = await runCli(["tx", "find", "inv1001", "--json"], { service: serviceOf(held), home, env: { PAYMENTS_API_KEY: "another_key_0000009999" } });
    expect(code).toBe(4);
  });

  it("refuses what has nothing to look for", async () => {
    for (const text of ["", "--", "-_-"]) expect((await runCli(["tx", "find", "--", text], { service: serviceOf(held) })).code).toBe(2);
  });
});

describe("tx find by time, phone and status", () => {
  const at = (completedAt: string): Partial<Held> => ({ metadata: { completedAt, phone: "254712345678" } });
  const rows: Held[] = [
    { flow: "standard", id: "d1", reference: "A-1", amount: 1, status: "COMPLETED", ...at("2026-03-01T20:59:59Z") },
    { flow: "standard", id: "d2", reference: "A-2", amount: 2, status: "Failed", ...at("2026-03-01T21:00:00Z") },
    payment("d3", "A-2", 3, { metadata: { completedAt: "2026-03-03", phone: "254110000678" } }),
    // No date of its own: it was first seen on 5 March.
    payout("d4", "P-1", 4, { status: "ON_HOLD", metadata: {} }),
  ];
  const ids = async (...argv: readonly string[]): Promise<readonly (string | number)[]> => {
    const home = createHome();
    const options = { service: serviceOf(rows), home, clock: { nowMs: Date.UTC(2026, 2, 5, 8) } };
    await runCli(["tx", "sync"], options);
    const { code, stdout } = await runCli(["tx", "find", ...argv, "--json"], options);
    return [
      code,
      ...(stdout === ""
        ? []
        : JSON.parse(stdout)
            .transactions.map(({ id }: { id: string }) => id)
            .sort()),
    ];
  };
  it.each([
    [
      ["--since", "2026-03-02"],
      [0, "d2", "d3", "d4"],
    ],
    [
      ["--until", "2026-03-01"],
      [0, "d1"],
    ],
    [
      ["--since", "2026-03-02", "--until", "2026-03-03"],
      [0, "d2", "d3"],
    ],
    [
      ["--since", "2026-03-03T10:00"],
      [0, "d3", "d4"],
    ],
    [
      ["--since", "2026-03-01T21:00:00Z", "--until", "2026-03-02T00:00+03:00"],
      [0, "d2"],
    ],
    [["--since", "2026-03-06"], [4]],
    [
      ["--status", "failed"],
      [0, "d2"],
    ],
    [
      ["--status", "on_hold"],
      [0, "d4"],
    ],
    [
      ["--phone", "0712345678"],
      [0, "d1", "d2"],
    ],
    [
      ["--phone", "678"],
      [0, "d1", "d2", "d3"],
    ],
    [
      ["A-2", "--status", "COMPLETED"],
      [0, "d3"],
    ],
    [
      ["A-2", "--phone", "0712345678", "--since", "2026-03-01"],
      [0, "d2"],
    ],
    [["A-1", "--status", "FAILED"], [4]],
  ])("%j finds %j", async (argv, found) => expect(await ids(...argv)).toEqual(found));
  it.each([
    [],
    ["--status", ""],
    ["--since", "yesterday"],
    ["--since", "2026-02-30"],
    ["--until", "01/03/2026"],
    ["--since", "2026-03-02", "--until", "2026-03-01"],
    ["--phone", "12"],
    ["--phone", "Jane"],
  ])("refuses %s %s %s %s", async (...argv) => expect(await ids(...argv)).toEqual([2]));
  it("lists the statuses that are known if it is asked for another", async () => {
    const home = createHome();
    const { stderr } = await runCli(["tx", "find", "--status", "payed"], { service: serviceOf([]), home });
    expect(stderr).toMatch(/PAYED.*COMPLETED/);
    const { stderr: error } = await runCli(["tx", "find", "--status", "payed", "--json"], { service: serviceOf([]), home });
    expect(JSON.parse(error).error.hint).toMatch(/PAYED.*COMPLETED/);
  });
});
