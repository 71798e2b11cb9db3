import { describe, expect, it } from "vitest";
import { runCli, type Service } from "../../support/cli.ts";

const body = {
  success: true,
  wallet: {
    balance: -12.5,
    b2cBalance: 50000,
    b2cHeldBalance: 1000,
    b2cAvailableBalance: 49000,
    b2cOutstandingBalance: 1000,
    b2cHolds: [{ id: "H1", amount: 1000, reason: "Payout", holdType: "ESCROW", reference: "P-1", createdAt: "2026-03-01T08:00:00Z" }],
    currency: "KES",
    newBalance: 7,
  },
  b2cStats: { totalVolume: 1234567, count: 12 },
  transactions: [
    { _id: "L1", type: "MYSTERY", amount: -30, status: "COMPLETED", reference: "P-1", description: "Fee 手数料", createdAt: "2026-03-01T08:00:00Z" },
  ],
};
const service: Service = () => ({ body });

describe("wallet", () => {
  it("shows balances, holds and the ledger, unknown types and fields too", async () => {
    const { code, stdout } = await runCli(["wallet"], { service });
    expect(code).toBe(0);
    for (const text of ["KES -12.50", "KES 49,000.00", "ESCROW", "MYSTERY", "KES -30.00", "2026-03-01 11:00:00", "New balance", "KES 1,234,567.00"])
      expect(stdout).toContain(text);
  });
  it("prints the answer under --json, and only the fields asked for of the wallet", async () => {
    expect(JSON.parse((await runCli(["wallet", "--json"], { service })).stdout)).toEqual(body);
    const picked = JSON.parse((await runCli(["wallet", "--json", "--fields", "balance"], { service })).stdout);
    expect(picked).toEqual({ ...body, wallet: { balance: -12.5 } });
  });
  it("is one row of the wallet in csv and jsonl", async () => {
    const { stdout } = await runCli(["wallet", "-o", "csv", "--fields", "b2cBalance,currency"], { service });
    expect(stdout.trim().split(/\r?\n/)).toEqual(["b2cBalance,currency", "50000,KES"]);
    const line = await runCli(["wallet", "-o", "jsonl"], { service });
    expect(JSON.parse(line.stdout)).toMatchObject({ balance: -12.5 });
  });
  it("says that nothing is held, and fails in words", async () => {
    const empty: Service = () => ({ body: { success: true, wallet: { balance: 0, b2cHolds: [] }, transactions: [] } });
    expect((await runCli(["wallet"], { service: empty })).stdout).toContain("No money is held.");
    const scope = await runCli(["wallet"], { service: () => ({ status: 403, body: { success: false, code: "SCOPE_REQUIRED", message: "Scope" } }) });
    expect([scope.code, scope.stderr.includes("wallet:read")]).toEqual([3, true]);
    expect((await runCli(["wallet", "--retries", "0"], { service: () => ({ body: { success: true } }) })).code).toBe(10);
  });
});
