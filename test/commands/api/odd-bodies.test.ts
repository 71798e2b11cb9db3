import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { repeatedKey } from "../../../src/json/exact-json.ts";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "payments-bodies-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const service: Service = ({ method }) => ({ body: method === "POST" ? { transactionId: "T-1", status: "QUEUED" } : {} });
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const b2c = "/api/v1/merchants/payments/b2c";

describe("a name that an object has twice", () => {
  it.each([
    ['{"a":1,"a":2}', "a"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"b":[{"c":1},{"c":1}],"a":{"a":{"x":1,"x":1}}}', "x"],
    ['{"":1,"":1}', ""],
    ['{"a":"a\\":","b":"{\\"a\\":1","c":["a","a"],"d":{"a":1}}', undefined],
    ['[1,"a",{"a":"a"}]', undefined],
  ])("%s", (text, name) => expect(repeatedKey(text)).toBe(name));

  it("a payment's body with one is refused; elsewhere it is sent as it is", async () => {
    const twice = file("twice.json", '{"phone":"254712345678","amount":90000,"reference":"R","amount":100}');
    const paid = await runCli(["api", "POST", b2c, "--input", twice, "--yes"], { service });
    expect(paid).toMatchObject({ code: 2, requests: [], stderr: expect.stringContaining("amount twice") });
    const other = await runCli(["api", "POST", "/api/v1/other", "--input", twice], { service });
    expect([other.code, other.requests.length]).toEqual([0, 1]);
  });

  it("refuses a batch file, naming the line", async () => {
    const rows = ['{"phone":"0712345678","amount":100,"reference":"A"}', '{"phone":"0712345679","amount":9000,"reference":"B","amount":10}'];
    const { code, stderr, requests } = await runCli(["b2c", "batch", file("twice.jsonl", rows.join("\n")), "--yes"], { service, home: createHome() });
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain("Line 2");
    expect(stderr).toContain("amount twice");
  });
});

it.each([[[]], [["--dry-run"]], [["--yes"]]])("a body nested 5,000 deep gets a clear error %j", async (flags) => {
  const deep = file("deep.json", `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`);
  for (const path of ["/api/v1/other", b2c]) {
    const { code, stderr, requests } = await runCli(["api", "POST", path, "--input", deep, ...flags], { service });
    expect([code, requests, stderr]).toEqual([2, [], expect.stringContaining("nested too deeply")]);
  }
});

describe("a name that looks like a field's own", () => {
  const fields = { phone: "254712345678", amount: 100, reference: "R" };
  const unlike = [
    "Amount",
    "AMOUNT",
    "amount ",
    "am\u200bount",
    "\u0430mount",
    "ａmount",
    "a_mount",
    "Phone",
    "callbackurl",
    "callback_url",
    "command-id",
    "Reference",
  ];
  it.each(unlike)("is refused in a payment's body, beside it and alone: %j", async (name) => {
    for (const body of [{ ...fields, [name]: 90000 }, { [name]: 90000 }]) {
      const { code, stderr, requests } = await runCli(["api", "POST", b2c, "--input", file("unlike.json", JSON.stringify(body)), "--yes"], { service });
      expect([code, requests]).toEqual([2, []]);
      expect(stderr).toContain("looks like");
    }
  });

  it("is refused of two unknown fields, and in the other creations", async () => {
    const twins = { ...fields, extra: 1, Extra: 2 };
    expect((await runCli(["api", "POST", b2c, "--input", file("twins.json", JSON.stringify(twins)), "--yes"], { service })).code).toBe(2);
    for (const [path, name] of [
      ["/api/v1/merchants/payments/stk-push", "channelID"],
      ["/api/v1/global/collections", "MSISDN"],
      ["/api/v1/global/disbursements", "accountnumber"],
    ] as const) {
      const { code, stderr, requests } = await runCli(["api", "POST", path, "-f", `${name}=1`, "--yes"], { service });
      expect([code, requests, stderr]).toEqual([2, [], expect.stringContaining("looks like")]);
    }
  });

  it("is sent where it is a field that this program does not know, or elsewhere than to a payment", async () => {
    const unknown = { ...fields, extra: { Amount: 1 } };
    const paid = await runCli(["api", "POST", b2c, "--input", file("unknown.json", JSON.stringify(unknown)), "--yes"], { service });
    expect([paid.code, JSON.parse(paid.requests.at(-1)?.body ?? "")]).toEqual([0, unknown]);
    const other = await runCli(["api", "POST", "/api/v1/other", "-f", "amount=1", "-f", "Amount=2"], { service });
    expect(other.code).toBe(0);
  });
});
