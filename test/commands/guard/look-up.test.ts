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
