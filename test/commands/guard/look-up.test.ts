import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const payout = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R-1", "--yes", "--json"];
const answering =
  (seen: object): Service =>
  ({ method }) => ({ body: method === "POST" ? { transactionId: "T1", status: "QUEUED" } : seen });

it.each([
  ["that ended unpaid frees the payment", { id: "T1", status: "FAILED" }, 0],
  ["that is still open does not", { id: "T1", status: "QUEUED" }, 11],
  ["of another transaction says nothing about this one", { id: "T2", status: "FAILED" }, 11],
  ["without an id says nothing", { status: "FAILED" }, 11],
])("the guard looks an earlier payout up: an answer %s", async (_, seen, code) => {
  const home = createHome();
  expect((await runCli(payout, { home, service: answering({}) })).code).toBe(0);
  const again = await runCli(payout, { home, service: answering(seen) });
  expect([again.code, again.requests.filter(({ method }) => method === "POST").length]).toEqual([code, code === 0 ? 1 : 0]);
});

const listing =
  (status: string): Service =>
  ({ method, path }) => {
    const transaction = { id: "T1", reference: "R-1", amount: 100, status };
    if (method === "POST") return { body: { transactionId: "T1", status: "QUEUED" } };
    return { body: path.endsWith("/transactions") ? { transactions: [transaction], total: 1 } : transaction };
  };

it("a payout that the mirror saw paid stays paid, whatever the service says later", async () => {
  const home = createHome();
  expect((await runCli(payout, { home, service: listing("QUEUED") })).code).toBe(0);
  expect((await runCli(["tx", "sync"], { home, service: listing("COMPLETED") })).code).toBe(0);
  const again = await runCli(payout, { home, service: listing("FAILED") });
  expect([again.code, again.requests.filter(({ method }) => method === "POST").length]).toEqual([11, 0]);
  expect(JSON.parse(again.stderr).error.message).toContain("COMPLETED");
  // A reversal takes the money back.
  expect((await runCli(payout, { home, service: listing("REVERSED") })).code).toBe(0);
});

it("--retry-failed leaves out a row that the mirror saw paid", async () => {
  const home = createHome();
  const file = join(createHome(), "payouts.csv");
  writeFileSync(file, "phone,amount,reference\n0712345678,100,R-1\n");
  const batch = ["b2c", "batch", file, "--yes", "--json"];
  expect((await runCli(batch, { home, service: listing("QUEUED") })).code).toBe(0);
  expect((await runCli(["tx", "sync"], { home, service: listing("COMPLETED") })).code).toBe(0);
  const again = await runCli([...batch, "--retry-failed"], { home, service: listing("FAILED") });
  expect([again.code, again.requests.filter(({ method }) => method === "POST").length]).toEqual([0, 0]);
});
