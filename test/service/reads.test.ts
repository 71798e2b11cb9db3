import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CliError } from "../../src/errors.ts";
import { stringifyExact } from "../../src/json/exact-json.ts";
import { routes } from "../../src/service/contract/routes.ts";
import { fakeWire, json, type Met } from "./fake-wire.ts";

const wallet = json(200, { success: true, wallet: { balance: 1 } });
const read = async (script: readonly Met[], options: Parameters<typeof fakeWire>[1] = {}) => {
  const wire = fakeWire(script, options);
  const end = await wire.client.call(routes.wallet).catch((error: unknown) => {
    if (error instanceof CliError) return error;
    throw error;
  });
  return { ...wire, end };
};

describe("a read", () => {
  const passing: readonly Met[] = [
    { fails: "reset", left: true },
    { fails: "refused", left: false },
    { fails: "timeout", left: true },
    { status: 500 },
    { status: 503 },
    { status: 429 },
    { status: 408 },
    { status: 302 },
    { status: 200, body: "<!doctype html><p>x" },
    { status: 200, body: '{"wallet":' },
    { status: 204 },
    json(200, { success: true }),
    json(200, { wallet: null }),
    json(200, { wallet: "none" }),
    json(200, []),
  ];
  it.each(passing)("%j is tried again, then unavailable or refused, nothing sent", async (met) => {
    expect((await read([met, wallet])).end).toMatchObject({ status: 200 });
    const { end, sent } = await read([met]);
    expect(end).toMatchObject({ kind: "status" in met && met.status === 429 ? "rejected" : "unavailable", sent: "no" });
    expect(sent).toHaveLength(4);
    expect((await read([met], { retries: 0 })).sent).toHaveLength(1);
  });

  it.each([
    [400, "rejected"],
    [401, "auth"],
    [402, "payment-required"],
    [403, "auth"],
    [404, "not-found"],
    [409, "rejected"],
    [410, "rejected"],
  ] as const)("%i is not tried again: %s", async (status, kind) => {
    const { end, sent } = await read([{ status }]);
    expect(end).toMatchObject({ kind, status, sent: "no" });
    expect(sent).toHaveLength(1);
  });

  it("a 2xx that says it failed is a refusal", async () => {
    expect((await read([json(200, { success: false, message: "No", wallet: {} })])).end).toMatchObject({ kind: "rejected", message: "No" });
  });

  it("names the missing scope", async () => {
    expect((await read([{ status: 403 }])).end).toMatchObject({ hint: expect.stringContaining("wallet:read") });
  });

  it("an HTML page is said as such, never dumped (O5)", async () => {
    const { end } = await read([{ status: 502, body: "<h1>Bad Gateway</h1>", headers: { "content-type": "text/html" } }], { retries: 0 });
    expect(end).toMatchObject({ kind: "unavailable", status: 502, message: expect.stringMatching(/^[^<>]*502[^<>]*HTML[^<>]*$/) });
  });

  it("knows a page in another encoding too", async () => {
    const { end } = await read([{ status: 503, body: Buffer.from("<html>Indispon\xedvel", "latin1") }], { retries: 0 });
    expect(end).toMatchObject({ kind: "unavailable", message: expect.stringContaining("an HTML page") });
  });

  it("keeps digits (O8), takes a BOM and gzip nobody asked for, refuses what is not UTF-8", async () => {
    const text = '{"id":"T2","status":"COMPLETED","amount":1003800,"big":12345678901234567890,"d":1.50}';
    const one = { params: { transactionId: "T2" } };
    const answer = await fakeWire([{ status: 200, body: text }]).client.call(routes.getTransaction, one);
    expect([answer.text, stringifyExact(answer.body)]).toEqual([text, text]);
    const bom = await fakeWire([{ status: 200, body: `\uFEFF${text}` }]).client.call(routes.getTransaction, one);
    expect(stringifyExact(bom.body)).toBe(text);
    const zipped = await fakeWire([{ status: 200, body: gzipSync(text), headers: { "content-encoding": "gzip" } }]).client.call(routes.getTransaction, one);
    expect(zipped.text).toBe(text);
    for (const headers of [{}, { "content-encoding": "gzip" }, { "content-encoding": "zstd" }]) {
      const latin = fakeWire([{ status: 200, body: Buffer.from('{"id":"\xe9","status":"x"}', "latin1"), headers }], { retries: 0 });
      await expect(latin.client.call(routes.getTransaction, one)).rejects.toMatchObject({ kind: "unavailable" });
    }
  });

  it("encodes ids and refuses those that would change the path", async () => {
    const wire = fakeWire([json(200, { id: "a", status: "b" })]);
    await wire.client.call(routes.getTransaction, { params: { transactionId: "a/b ?#é%2e" } });
    expect(wire.sent[0]?.url.pathname).toBe("/base/api/v1/merchants/payments/transactions/a%2Fb%20%3F%23%C3%A9%252e");
    for (const transactionId of ["", ".", "..", "\ud800"]) {
      await expect(wire.client.call(routes.getTransaction, { params: { transactionId } })).rejects.toMatchObject({ kind: "usage" });
    }
    expect(wire.sent).toHaveLength(1);
  });

  it("leaves out what is not asked for in the query", async () => {
    const wire = fakeWire([json(200, { transactions: [], total: 0 })]);
    await wire.client.call(routes.listTransactions, { query: { limit: "10", offset: undefined, flow: "a&b" } });
    expect(wire.sent[0]?.url.search).toBe("?limit=10&flow=a%26b");
    expect(wire.sent[0]?.headers).not.toHaveProperty("content-type");
  });

  it("keeps to a total given by the caller", async () => {
    const wire = fakeWire([{ fails: "timeout", left: true, afterMs: 60_000 }]);
    await expect(wire.client.call(routes.wallet, { budgetMs: 12_000 })).rejects.toMatchObject({ kind: "unavailable" });
    expect(wire.sent.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, expect.closeTo(1_625, 0)]);
    expect(wire.clock.nowMs - (wire.sent[0]?.atMs ?? 0)).toBeLessThanOrEqual(12_000);
  });

  it("ends by the program's signal", async () => {
    const controller = new AbortController();
    controller.abort();
    expect((await read([wallet], { signal: controller.signal })).end).toMatchObject({ kind: "interrupted" });
  });
});

describe("a raw request", () => {
  it("is one request and no judgement", async () => {
    const wire = fakeWire([json(503, { a: 1 })]);
    expect(await wire.client.raw({ method: "POST", path: "/x?y=1", body: "{}" })).toMatchObject({ status: 503, json: true, body: { a: 1 } });
    expect(wire.sent.map(({ url }) => url.href)).toEqual(["https://api.example.test/base/x?y=1"]);
  });
  it("a lost answer is unknown for what may change something, unavailable for a read", async () => {
    const lost: Met = { fails: "reset", left: true };
    await expect(fakeWire([lost]).client.raw({ method: "DELETE", path: "/x" })).rejects.toMatchObject({ kind: "outcome-unknown", sent: "unknown" });
    await expect(fakeWire([lost]).client.raw({ method: "GET", path: "/x" })).rejects.toMatchObject({ kind: "unavailable", sent: "no" });
    await expect(fakeWire([{ fails: "dns", left: false }]).client.raw({ method: "DELETE", path: "/x" })).rejects.toMatchObject({
      kind: "unavailable",
      sent: "no",
    });
  });
  it.each(["//evil.example/x", "/\\evil.example/x", "x", "", "https://evil.example/", "/a b", "/x#y", "/\n", "/..", "/../api", "/%2e%2e/api"])(
    "a path like %j is refused",
    async (path) => {
      const wire = fakeWire([json(200, {})]);
      await expect(wire.client.raw({ method: "GET", path })).rejects.toMatchObject({ kind: "usage" });
      expect(wire.sent).toHaveLength(0);
    },
  );
  it.each(["/@evil.example/x", "/:80@evil.example", "/.evil.example"])("a path like %j stays on the host", async (path) => {
    const wire = fakeWire([json(200, {})]);
    await wire.client.raw({ method: "GET", path });
    expect(wire.sent[0]?.url.host).toBe("api.example.test");
  });
});
