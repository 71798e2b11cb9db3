import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TransportError } from "../../../src/service/transport.ts";
import { createHome, runCli, type Service, type ServiceAnswer } from "../../support/cli.ts";
import { withdrawal as asTyped } from "../../support/withdrawal.ts";

const stkPath = "/api/v1/merchants/payments/stk-push";
const b2cPath = "/api/v1/merchants/payments/b2c";
const rails = [
  {
    rail: "UG_MOMO",
    displayName: "Uganda",
    country: "UG",
    currencies: ["UGX"],
    collectionFlow: "PUSH",
    minAmount: 500,
    maxAmount: 4_000_000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
  },
];
const always =
  (answer: ServiceAnswer): Service =>
  () =>
    answer;
const service: Service = ({ method, path }) => {
  if (method === "POST" && path.endsWith("/collections"))
    return { body: { success: true, message: "ok", collection: { reference: "GC-1", status: "PENDING" } } };
  if (method === "POST" && path.endsWith("/disbursements")) {
    return { body: { success: true, message: "ok", disbursement: { reference: "GD-1", status: "PROCESSING" } } };
  }
  if (method === "POST") return { body: { transactionId: "T1", status: "SENT" } };
  if (path.endsWith("/providers")) return { body: { success: true, providers: rails } };
  if (path.endsWith("/transactions")) return { body: { transactions: [], total: 0 } };
  return { body: { success: true, wallet: { balance: 1 } } };
};

describe("api", () => {
  it("prints the body as it came", async () => {
    const body = '{ "big": 12345678901234567890,\n  "a": 1.50 }';
    const { code, stdout, requests } = await runCli(["api", "GET", "/x/y?z=1", "-f", "q=a b", "-F", "n:=5"], { service: always({ body }) });
    expect([code, stdout]).toEqual([0, `${body}\n`]);
    expect(requests.map(({ method, path, query, body: sent }) => [method, path, String(query), sent])).toEqual([["GET", "/x/y", "z=1&q=a+b&n=5", ""]]);
    expect(requests[0]?.headers["authorization"]).toBe("Bearer test_key_0123456789abcdef");
    expect(requests[0]?.headers).not.toHaveProperty("idempotency-key");
  });

  it.each(["PUT", "patch", "DELETE"])("%s where payments are made is a usage error, however the path is spelled", async (method) => {
    for (const path of [b2cPath, `${stkPath}/`, "/api/v1/Global%2Fdisbursements", "/api/v1//global/./collections?x=1", `/x${b2cPath}`]) {
      const { code, stderr, requests } = await runCli(["api", method, path, "-f", "reference=A", "--yes", "--json"], { service });
      expect([path, code, JSON.parse(stderr).error.sent, requests]).toEqual([path, 2, "no", []]);
    }
    expect((await runCli(["api", method, `${b2cPath}/T-1`, "--json"], { service })).code).toBe(0);
  });

  it("prints one document with --json, rows with jsonl, and headers with -i", async () => {
    const list: Service = always({ body: [{ a: 1 }, { a: 2 }], headers: { "x-request-id": "r\u001b1" } });
    expect(JSON.parse((await runCli(["api", "GET", "/x", "--json"], { service: list })).stdout)).toEqual([{ a: 1 }, { a: 2 }]);
    expect((await runCli(["api", "GET", "/x", "-o", "jsonl"], { service: list })).stdout).toBe('{"a":1}\n{"a":2}\n');
    expect((await runCli(["api", "GET", "/x", "-i"], { service: list })).stdout).toBe(
      'HTTP 200\ncontent-type: application/json\nx-request-id: r\\x1b1\n\n[{"a":1},{"a":2}]\n',
    );
    const { stdout } = await runCli(["api", "GET", "/x", "--json"], { service: always({ body: '{"t":"\u202e\u009b"}' }) });
    expect(JSON.parse(stdout)).toEqual({ t: "\u202e\u009b" });
  });

  it.each(["false", 0, null, "no", {}])("a success of %j proves nothing: unknown for what may have acted, shown as it is for a read", async (success) => {
    const odd = always({ body: { success, id: "T1" } });
    const acted = await runCli(["api", "POST", "/x", "--json"], { service: odd });
    expect([acted.code, acted.stdout, acted.requests.length]).toEqual([9, "", 1]);
    const read = await runCli(["api", "GET", "/x", "--json"], { service: odd });
    expect([read.code, JSON.parse(read.stdout)]).toEqual([0, { success, id: "T1" }]);
    const paid = await runCli(["api", "POST", stkPath, "-f", "phone=0712345678", "-f", "reference=A", "-F", "amount:=5", "--retries", "0", "--json"], {
      service: always({ body: { success, transactionId: "T1" } }),
    });
    expect([paid.code, paid.stdout]).toEqual([9, ""]);
  });

  it("lets no control character through, and the JSON means the same", async () => {
    const { stdout } = await runCli(["api", "GET", "/x"], { service: always({ body: '{"t":"\u202e\u009b31m"}' }) });
    expect(stdout).toBe('{"t":"\\u202e\\u009b31m"}\n');
    const text = await runCli(["api", "GET", "/x"], { service: always({ body: "a,b\n\u001b[31m1,2\n" }), terminal: true });
    expect(text.stdout).toBe("a,b\n\\x1b[31m1,2\n");
  });

  it.each([
    [400, 6],
    [401, 3],
    [402, 5],
    [403, 3],
    [404, 4],
    [409, 6],
    [422, 6],
    [429, 6],
    [302, 10],
    [500, 10],
    [503, 10],
  ])("%i on a read is exit %i", async (status, exit) => {
    const { code, stdout, requests } = await runCli(["api", "GET", "/x", "--json"], { service: always({ status, body: { message: "no" } }) });
    expect([code, stdout]).toEqual([exit, ""]);
    expect(requests.length).toBe([302, 429, 500, 503].includes(status) ? 4 : 1);
  });

  it.each([
    [400, 6],
    [429, 6],
    [302, 9],
    [408, 9],
    [500, 9],
  ])("%i on what may change something is exit %i, sent once", async (status, exit) => {
    const { code, requests } = await runCli(["api", "PUT", "/x", "-f", "a=b"], { service: always({ status }) });
    expect([code, requests.length]).toEqual([exit, 1]);
  });

  it("a 2xx that says it failed is a refusal", async () => {
    const { code, stderr } = await runCli(["api", "GET", "/x", "--json"], { service: always({ body: { success: false, message: "Closed" } }) });
    expect(code).toBe(6);
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: "rejected", message: "Closed", sent: "no" } });
  });

  it("a lost answer is unknown for a change, never left is not", async () => {
    const lost: Service = () => {
      throw new TransportError("reset", true, "lost");
    };
    const refused: Service = () => {
      throw new TransportError("refused", false, "refused");
    };
    expect((await runCli(["api", "DELETE", "/x"], { service: lost })).code).toBe(9);
    expect((await runCli(["api", "DELETE", "/x"], { service: refused })).code).toBe(10);
    expect((await runCli(["api", "GET", "/x"], { service: lost })).code).toBe(10);
  });

  it("sends fields as text and as JSON, or a file byte for byte", async () => {
    const both = await runCli(["api", "PATCH", "/x", "-f", "a=1", "-F", 'l:=["x",2.50]', "-F", "big:=12345678901234567890", "-f", "__proto__=p"], { service });
    expect(both.requests[0]?.body).toBe('{"a":"1","__proto__":"p","l":["x",2.50],"big":12345678901234567890}');
    const home = createHome();
    const file = join(home, "body.json");
    writeFileSync(file, ' {"a" : 1.0}\n');
    expect((await runCli(["api", "POST", "/x", "--input", file], { service })).requests[0]?.body).toBe(' {"a" : 1.0}\n');
    expect((await runCli(["api", "POST", "/x", "--input", "-"], { service, stdin: "[1]" })).requests[0]).toMatchObject({ body: "[1]" });
    expect((await runCli(["api", "POST", "/x"], { service })).requests[0]?.headers).not.toHaveProperty("content-type");
  });

  it.each([
    [["api", "FETCH", "/x"]],
    [["api", "GET"]],
    [["api", "GET", "x"]],
    [["api", "GET", "//evil.example/x"]],
    [["api", "GET", "/\\evil.example"]],
    [["api", "GET", "https://evil.example/x"]],
    [["api", "GET", "/a b"]],
    [["api", "GET", "/x", "--input", "-"]],
    [["api", "POST", "/x", "--input", "/no/such/file"]],
    [["api", "POST", "/x", "--input", "-"]],
    [["api", "POST", "/x", "--input", "-", "-f", "a=b"]],
    [["api", "POST", "/x", "-f", "novalue"]],
    [["api", "POST", "/x", "-f", "a:=1"]],
    [["api", "POST", "/x", "-F", "a=1"]],
    [["api", "POST", "/x", "-F", "a:=one"]],
    [["api", "POST", "/x", "-f", "a=1", "-f", "a=2"]],
    [["api", "POST", "/x", "-f", "a=1", "-F", "a:=2"]],
    [["api", "POST", "/x", "-f", "a[b]=2"]],
    [["api", "POST", "/x", "-f", "[a]=2"]],
    [["api", "GET", "/x", "-F", "a:={}"]],
  ])("%j is a usage error and sends nothing", async (argv) => {
    const { code, requests, stdout } = await runCli(argv, { service, stdin: "not json" });
    expect([code, requests.length, stdout]).toEqual([2, 0, ""]);
  });

  it("a dry run prints the request and sends nothing", async () => {
    const { code, stdout, requests } = await runCli(["api", "DELETE", "/x", "-F", "a:=1.0", "--dry-run", "--json"], { service });
    expect([code, requests.length]).toEqual([0, 0]);
    expect(JSON.parse(stdout)).toEqual({ method: "DELETE", path: "/x", body: { a: 1 } });
  });
});

describe("api on a path that creates a payment", () => {
  const push = ["-f", "phone=0712345678", "-f", "reference=007", "-F", "amount:=150"];

  it("keeps strings and numbers as they were given, with key and journal (A7)", async () => {
    const home = createHome();
    const { code, requests, stdout } = await runCli(["api", "POST", stkPath, ...push], { service, home });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ transactionId: "T1", status: "SENT" });
    expect(requests[0]?.body).toBe('{"phone":"0712345678","reference":"007","amount":150}');
    expect(requests[0]?.headers["idempotency-key"]).toMatch(/.{8,}/);
  });

  it.each([
    `${stkPath}/`,
    stkPath.toUpperCase(),
    "/api/v1/merchants/payments/%73tk-push",
    "/api/v1/merchants/payments/%2573tk-push",
    "/api/v1/x/../merchants/./payments/stk-push",
    "/api/v1/merchants//payments/stk-push",
    "/api/v1/merchants/payments;x=1/stk-push",
  ])("%s is that path too", async (path) => {
    const { code, requests } = await runCli(["api", "POST", path, ...push], { service });
    expect([code, requests.length, requests[0]?.path]).toEqual([0, 1, stkPath]);
    expect(requests[0]?.headers).toHaveProperty("idempotency-key");
  });

  it.each([`${stkPath}?x=1`, `/else${stkPath}`])("%s is refused, with the path to write", async (path) => {
    const { code, requests, stderr } = await runCli(["api", "POST", path, ...push], { service });
    expect([code, requests.length]).toEqual([2, 0]);
    expect(stderr).toContain(stkPath);
  });

  it("part of it in the base URL is refused too", async () => {
    const { code, requests } = await runCli(["api", "POST", "/v1/merchants/payments/stk-push", ...push], {
      service,
      env: { PAYMENTS_BASE_URL: "http://127.0.0.1:9/api" },
    });
    expect([code, requests.length]).toEqual([2, 0]);
  });

  it.each([
    [stkPath, ["-f", "phone=12", "-f", "reference=1", "-F", "amount:=150"]],
    [stkPath, ["-f", "phone=0712345678", "-f", "reference=1", "-f", "amount=150"]],
    [stkPath, ["-f", "phone=0712345678", "-f", "reference=1", "-F", "amount:=150.5"]],
    [stkPath, ["-f", "phone=0712345678", "-f", "reference=1", "-F", "amount:=1e3"]],
    [stkPath, ["-f", "phone=0712345678", "-f", "reference=1", "-F", "amount:=-5"]],
    [stkPath, ["-f", "phone=0712345678", "-f", "reference=", "-F", "amount:=5"]],
    [stkPath, ["-F", "phone:=712345678", "-f", "reference=1", "-F", "amount:=5"]],
    [stkPath, ["-f", "phone=0712345678", "-f", "reference=1", "-F", "amount:=5", "-F", "description:=null"]],
    [stkPath, ["-f", "phone=0712345678", "-f", "reference=1", "-F", "amount:=5", "-f", "callbackUrl=ftp://x"]],
    [stkPath, []],
    [b2cPath, ["-f", "phone=0712345678", "-f", "reference=1", "-F", "amount:=9"]],
    [b2cPath, ["-f", "phone=0712345678", "-f", "reference=1", "-F", "amount:=150000.01"]],
    [b2cPath, ["-f", "phone=0712345678", "-f", "reference=1", "-F", "amount:=10", "-f", "remarks=a", "-f", "description=b"]],
    [b2cPath, ["-f", "phone=0712345678", "-f", "reference=1", "-F", "amount:=10", "-f", "commandId=X"]],
  ])("%s with %j is a usage error and sends nothing", async (path, fields) => {
    const { code, requests } = await runCli(["api", "POST", path, ...fields, "--yes"], { service });
    expect([code, requests.length]).toEqual([2, 0]);
  });

  it("money out needs --yes without a terminal, and the guard knows the command's own payments", async () => {
    const home = createHome();
    const fields = ["-f", "phone=254712345678", "-f", "reference=D1", "-F", "amount:=100"];
    expect((await runCli(["api", "POST", b2cPath, ...fields], { service, home })).code).toBe(2);
    expect((await runCli(["b2c", "--phone", "0712 345 678", "--amount", "100", "--reference", "D1", "--yes"], { service, home })).code).toBe(0);
    const again = await runCli(["api", "POST", b2cPath, ...fields, "--yes"], { service, home });
    expect(again.code).toBe(11);
    expect(again.requests.filter(({ method }) => method === "POST")).toHaveLength(0);
    expect((await runCli(["api", "POST", b2cPath, ...fields, "--yes", "--allow-duplicate"], { service, home })).code).toBe(0);
  });

  it("a lost answer is unknown and in the journal", async () => {
    const lost: Service = () => {
      throw new TransportError("reset", true, "lost");
    };
    const { code, stderr, stdout } = await runCli(["api", "POST", stkPath, ...push, "--json"], { service: lost });
    expect([code, stdout]).toEqual([9, ""]);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { kind: "outcome-unknown", sent: "unknown", journalId: expect.any(String), idempotencyKey: expect.any(String) },
    });
  });

  it("global ones are checked against the rails", async () => {
    const collect = (...fields: readonly string[]): Promise<{ readonly code: number; readonly requests: readonly { readonly method: string }[] }> =>
      runCli(["api", "POST", "/api/v1/global/collections", "-f", "rail=UG_MOMO", "-f", "currency=UGX", ...fields], { service });
    expect((await collect("-f", "msisdn=0772000001", "-F", "amount:=5000")).code).toBe(0);
    for (const fields of [
      ["-f", "msisdn=0772000001", "-F", "amount:=499"],
      ["-f", "msisdn=0772000001", "-F", "amount:=5000.5"],
      ["-f", "customerEmail=a@b.c", "-F", "amount:=5000"],
      ["-F", "amount:=5000"],
    ]) {
      const { code, requests } = await collect(...fields);
      expect([code, requests.filter(({ method }) => method === "POST").length]).toEqual([2, 0]);
    }
    const withdrawal = "-f rail=UG_MOMO -f channel=MOBILE_MONEY -f operator=MTN -f payeeMsisdn=0772000001 -F amount:=5000 -f currency=UGX".split(" ");
    const path = "/api/v1/global/disbursements";
    expect((await runCli(["api", "POST", path, ...withdrawal], { service })).code).toBe(2);
    expect((await runCli(["api", "POST", path, ...withdrawal, "--yes"], { service })).code).toBe(0);
    expect((await runCli(["api", "POST", path, ...withdrawal, "-f", "bankCode=1", "--yes"], { service })).code).toBe(2);
    const home = createHome();
    expect((await runCli([...asTyped, "--yes"], { service, home })).code).toBe(0);
    expect((await runCli(["api", "POST", path, ...withdrawal, "--yes"], { service, home })).code).toBe(11);
  });

  it("a dry run prints the request and sends nothing", async () => {
    const { code, stdout, requests } = await runCli(["api", "POST", stkPath, ...push, "--dry-run", "--json"], { service });
    expect([code, requests.length]).toEqual([0, 0]);
    expect(JSON.parse(stdout)).toMatchObject({ method: "POST", path: stkPath, body: { phone: "0712345678", reference: "007", amount: 150 } });
  });
});
