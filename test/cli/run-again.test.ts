import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type CliOptions, createHome, runCli, type Service } from "../support/cli.ts";
import { runAgainIn } from "../support/run-again.ts";

const rails: unknown = JSON.parse(readFileSync(new URL("../cases/rails.json", import.meta.url), "utf8"));
const service: Service = ({ path, method }) => {
  if (path.endsWith("/providers")) return { body: { success: true, providers: rails } };
  if (path.endsWith("/collections")) return { body: { success: true, collection: { reference: "GC-1", status: "PENDING", amount: 1, fee: 0 } } };
  if (path.endsWith("/disbursements")) return { body: { success: true, disbursement: { reference: "GD-1", status: "PROCESSING", amount: 1, fee: 0 } } };
  return method === "POST" ? { body: { transactionId: "T1", status: "SENT" } } : { status: 404, body: { success: false } };
};
const runs: readonly (readonly [string, readonly string[], NonNullable<CliOptions["answers"]>, readonly string[]])[] = [
  [
    "the answers of a push, quoted for the shell",
    ["stk", "--phone", ""],
    ["0712 345 678", "10", "Ann's rent"],
    ["stk", "--phone", "0712 345 678", "--amount", "10", "--reference", "Ann's rent"],
  ],
  [
    "a payout, without its consent",
    ["b2c", "--phone", "0712345678", "--yes"],
    ["100", "P1"],
    ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "P1"],
  ],
  [
    "a rail that was chosen because it is the only one",
    ["global", "collect"],
    [{ choose: "Uganda (UG)" }, "5000", "0772000001"],
    ["global", "collect", "--rail", "UG_MOMO", "--currency", "UGX", "--amount", "5000", "--msisdn", "0772000001"],
  ],
];
test.each(runs)("after questions, a note says the whole command: %s", async (_, argv, answers, expected) => {
  const home = createHome();
  const { code, stderr } = await runCli(argv, { home, service, answers });
  expect([code, runAgainIn(stderr)]).toEqual([0, expected]);
  // What it says needs no question: with --dry-run, it plans the same payment.
  const again = await runCli([...(runAgainIn(stderr) ?? []), "--dry-run", "--json"], { home, service });
  expect([again.code, again.stderr]).toEqual([0, ""]);
});

test.each(["--json", "--quiet"])("no note under %s", async (flag) => {
  const { code, stderr } = await runCli(["stk", flag], { service, answers: ["0712345678", "10", "R-1"] });
  expect(code).toBe(0);
  expect(stderr).not.toContain("Run again");
});

test("no note if only consent was asked for, or if the run failed", async () => {
  const paid = await runCli(["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "P1"], { service, answers: [true] });
  const declined = await runCli(["b2c"], { service, answers: ["0712345678", "100", "P1", false] });
  expect([paid.code, declined.code]).toEqual([0, 130]);
  for (const { stderr } of [paid, declined]) expect(stderr).not.toContain("Run again");
});

test("a secret is never in the note", async () => {
  const url = "http://127.0.0.1:9";
  const key = "test_key_0123456789abcdef";
  const { code, stderr } = await runCli(["login"], { service, env: { PAYMENTS_API_KEY: "", PAYMENTS_BASE_URL: "" }, answers: ["shop", url, key] });
  expect([code, runAgainIn(stderr)]).toEqual([0, ["login", "--name", "shop", "--base-url", url]]);
  expect(stderr).not.toContain(key);
});

test("the id that was asked for is in the note", async () => {
  const { stderr, code } = await runCli(["tx", "get"], { service: () => ({ body: { id: "T-1", status: "COMPLETED", amount: 1 } }), answers: ["T-1"] });
  expect([code, runAgainIn(stderr)]).toEqual([0, ["tx", "get", "T-1"]]);
});
