import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CliResult } from "../../support/cli.ts";
import { createSandboxHome, type SandboxHome } from "./sandbox-home.ts";

const b2c = (reference: string, phone = "0712345678"): string[] => ["b2c", "--phone", phone, "--amount", "100", "--reference", reference, "--yes", "--json"];
const stk = (reference: string, phone: string): string[] => ["stk", "--phone", phone, "--amount", "10", "--reference", reference, "--json"];
const errorOf = ({ stderr }: CliResult): Readonly<Record<string, unknown>> => JSON.parse(stderr.trim().split("\n").at(-1) ?? "").error;
const attemptsOf = ({ stdout }: CliResult): Readonly<Record<string, unknown>>[] => JSON.parse(stdout).attempts;
const listed = async ({ run }: SandboxHome, ...argv: readonly string[]): Promise<Readonly<Record<string, unknown>>[]> =>
  JSON.parse((await run(["tx", "list", "--flow", "all", "--all", "--json", ...argv])).stdout).transactions;
const holds = async ({ run }: SandboxHome): Promise<number> =>
  JSON.parse((await run(["wallet", "--json"])).stdout).transactions.filter(({ type }: { type: string }) => type === "B2C_HOLD").length;

describe("cases/reports.md against the sandbox", () => {
  it("H1: cut once after the payment was made, it is one payout under one key", async () => {
    const shop = await createSandboxHome();
    await shop.control("PUT", "faults", [{ method: "POST", path: "/api/v1/merchants/payments/b2c", kind: "reset-after", times: 1 }]);
    expect((await shop.run(b2c("H1"))).code).toBe(0);
    expect(shop.sent.map(({ headers }) => headers["idempotency-key"])).toEqual([
      shop.sent[0]?.headers["idempotency-key"],
      shop.sent[0]?.headers["idempotency-key"],
    ]);
    expect((await listed(shop)).length).toBe(1);
  });

  it("H6: made, never answered: unknown, and later settled as the one payout it is", async () => {
    const shop = await createSandboxHome();
    await shop.control("PUT", "faults", [{ method: "POST", path: "/api/v1/merchants/payments/b2c", kind: "reset-after", times: 1_000 }]);
    const lost = await shop.run([...b2c("H6"), "--retries", "1", "--timeout", "5"]);
    expect([lost.code, lost.stdout]).toEqual([9, ""]);
    const { journalId, ...error } = errorOf(lost);
    expect(error).toMatchObject({ sent: "unknown", idempotencyKey: shop.sent[0]?.headers["idempotency-key"], hint: expect.stringContaining("journal resume") });
    await shop.control("PUT", "faults", []);
    const settled = await shop.run(["journal", "resume", String(journalId), "--yes", "--json"]);
    expect([settled.code, attemptsOf(settled).map(({ state }) => state)]).toEqual([0, ["accepted"]]);
    expect((await listed(shop)).length).toBe(1);
  });

  it("H8: a timeout is no failure", async () => {
    const shop = await createSandboxHome();
    const before = shop.clock.nowMs;
    const slow = await shop.run([...stk("H8", "0712345033"), "--timeout", "5", "--retries", "0"]);
    expect([slow.code, slow.stdout, errorOf(slow)["sent"]]).toEqual([9, "", "unknown"]);
    expect(shop.clock.nowMs - before).toBe(5_000);
    const settled = await shop.run(["journal", "resume", "--all", "--json"]);
    expect([settled.code, attemptsOf(settled).map(({ state }) => state)]).toEqual([0, ["accepted"]]);
    expect((await listed(shop)).length).toBe(1);
  });

  it("D1: a payout whose answer was dropped is sent again as the same payout", async () => {
    const shop = await createSandboxHome();
    expect((await shop.run(b2c("D1", "0712345031"))).code).toBe(0);
    expect([shop.sent.length, (await listed(shop)).length, await holds(shop)]).toEqual([2, 1, 1]);
  });

  it("D5: the rows of a batch end each in its own way", async () => {
    const shop = await createSandboxHome();
    const path = join(shop.home, "payouts.csv");
    writeFileSync(path, "phone,amount,reference\n0712345001,100,A\n0712345041,100,B\n0712345002,100,C\n");
    const { code, stdout } = await shop.run(["b2c", "batch", path, "--wait", "--yes", "--json"]);
    const rows: { status: string; reason?: string }[] = JSON.parse(stdout).rows;
    expect([code, rows.map(({ status }) => status)]).toEqual([13, ["COMPLETED", "FAILED", "COMPLETED"]]);
    expect(rows[1]?.reason).toMatch(/\w/);
  });

  it("D8: one key on two endpoints makes two transactions", async () => {
    const shop = await createSandboxHome();
    expect((await shop.run([...stk("D8", "0712345678"), "--idempotency-key", "K"])).code).toBe(0);
    expect((await shop.run([...b2c("D8"), "--idempotency-key", "K"])).code).toBe(0);
    expect(shop.sent.map(({ headers }) => headers["idempotency-key"])).toEqual(["K", "K"]);
    expect((await listed(shop)).length).toBe(2);
  });

  it("W6: a callback that never comes is not needed", async () => {
    const shop = await createSandboxHome();
    const { code, stdout } = await shop.run([...stk("W6", "0712345021"), "--wait", "60"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: "COMPLETED", metadata: { mobileMoneyReceipt: expect.stringMatching(/^[A-Z0-9]{10}$/) } });
  });

  it("L1: all of 25 once, while others arrive between pages", async () => {
    const shop = await createSandboxHome();
    for (let index = 0; index < 25; index += 1) expect((await shop.run(stk(`L1-${index}`, "0712345678"))).code).toBe(0);
    const ids = (await listed(shop)).map(({ id }) => id);
    await shop.control("PUT", "faults", [{ method: "GET", path: "/api/v1/merchants/payments/transactions", kind: "insert-between-pages", times: 2 }]);
    const { code, stdout } = await shop.run(["tx", "list", "--all", "--limit", "10", "--json"]);
    const seen = JSON.parse(stdout).transactions.map(({ id }: { id: string }) => id);
    expect([code, new Set(seen).size]).toEqual([0, seen.length]);
    expect(seen.length).toBeGreaterThan(25);
    expect(seen).toEqual(expect.arrayContaining(ids));
  });

  it("L3: open for ever is 8, with the transaction as it stands", async () => {
    const shop = await createSandboxHome();
    const stuck = await shop.run([...stk("L3", "0712345036"), "--wait", "3"]);
    expect([stuck.code, JSON.parse(stuck.stdout).status, errorOf(stuck)["sent"]]).toEqual([8, "SENT", "yes"]);
  });

  it("L4: being processed is no error", async () => {
    const shop = await createSandboxHome();
    const { code, stdout } = await shop.run([...stk("L4", "0712345027"), "--wait", "60"]);
    expect([code, JSON.parse(stdout).status]).toEqual([0, "COMPLETED"]);
  });

  it("L5: nobody typed the PIN yet: open, not failed", async () => {
    const shop = await createSandboxHome();
    await shop.control("PUT", "settings", { autoApproveAfterMs: null });
    const open = await shop.run([...stk("L5", "0712345678"), "--wait", "2"]);
    expect(open.code).toBe(8);
    const { id, status } = JSON.parse(open.stdout);
    expect(status).toBe("SENT");
    expect(JSON.parse((await shop.run(["tx", "get", id, "--json"])).stdout).status).toBe("SENT");
  });
});
