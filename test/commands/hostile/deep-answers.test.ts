import { expect, test } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const deep = `${'{"a":['.repeat(2_500)}1.50${"]}".repeat(2_500)}`;
const nested =
  (fields: string): Service =>
  () => ({ body: `{${fields},"more":${deep}}`, headers: { "content-type": "application/json" } });

test.each([
  [["wallet"], '"success":true,"wallet":{"balance":1}'],
  [["tx", "get", "T1"], '"id":"T1","status":"SENT"'],
  [["tx", "list", "--all", "-o", "jsonl"], '"transactions":[],"total":0'],
])("an answer nested thousands deep is unreadable, not a fault of the program: %j", async (argv, fields) => {
  const { code, stdout, stderr } = await runCli([...argv, "--retries", "0"], { service: nested(fields) });
  expect([code, stdout]).toEqual([10, ""]);
  expect(stderr).toContain("cannot be used");
});

test("a creation answered so is unknown, and its key is kept", async () => {
  const home = createHome();
  const payout = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R-1", "--yes", "--json", "--retries", "1"];
  const { code, stderr, requests } = await runCli(payout, { home, service: nested('"transactionId":"T1","status":"QUEUED"') });
  expect({ code, keys: new Set(requests.map(({ headers }) => headers["idempotency-key"])).size, ...JSON.parse(stderr).error }).toMatchObject({
    code: 9,
    keys: 1,
    kind: "outcome-unknown",
    sent: "unknown",
  });
  const { attempts } = JSON.parse((await runCli(["journal", "list", "--json"], { home })).stdout);
  expect(attempts).toMatchObject([{ state: "unknown" }]);
});

test("a refusal whose body is nested so is still a refusal", async () => {
  const refusing: Service = () => ({ status: 402, body: `{"code":"PAYMENT_REQUIRED","more":${deep}}`, headers: { "content-type": "application/json" } });
  expect((await runCli(["stk", "--phone", "0712345678", "--amount", "100", "--reference", "R-1"], { service: refusing })).code).toBe(5);
});

test("api shows such a body as it came", async () => {
  const { code, stdout } = await runCli(["api", "GET", "/api/v1/merchants/payments/wallet"], { service: nested('"success":true') });
  expect([code, stdout.includes(deep)]).toEqual([0, true]);
});
