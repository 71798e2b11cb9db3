import { describe, expect, it } from "vitest";
import { run } from "../../../src/commands/webhook/replay.ts";
import { webhookReplaySpec } from "../../../src/commands/webhook/spec.ts";
import type { Context } from "../../../src/ports.ts";
import { verifySignature } from "../../../src/webhooks/webhook-signature.ts";
import { createHome, runCli, type Service } from "../../support/cli.ts";
import { runAgainIn } from "../../support/run-again.ts";
import { schemaFaults } from "../../support/schemas.ts";
import { typedInput } from "../../support/typed-input.ts";
import { createBench, deadUrl, onlyRow, secret, startEndpoint } from "./bench.ts";

const transactions = {
  T1: '{"id":"T1","reference":"INV-1","amount":1500.0,"status":"COMPLETED","big":12345678901234567890}',
  T2: '{"id":"T2","status":"FAILED"}',
  T3: '{"id":"T3","status":"SENT"}',
};

describe("webhook replay", () => {
  it("posts the transaction as just read, signed, marked, without any key", async () => {
    const endpoint = await startEndpoint();
    const bench = createBench({ transactions });
    const outcome = await run(typedInput(webhookReplaySpec, { to: `${endpoint.url}/h?a=1&b=2` }, ["T1"]), bench.context);
    const [arrived] = endpoint.arrived;
    expect(bench.calls).toEqual(["getTransaction T1"]);
    expect(arrived?.target).toBe("/h?a=1&b=2");
    expect(arrived?.headers).toMatchObject({ "x-payments-replay": "1", "content-type": "application/json" });
    expect(arrived?.headers["authorization"]).toBeUndefined();
    const body = arrived?.body.toString() ?? "";
    expect(body).toContain('"data":{"id":"T1","reference":"INV-1","amount":1500.0,"status":"COMPLETED","big":12345678901234567890}');
    expect(JSON.parse(body)).toMatchObject({ type: "payment.completed", id: arrived?.headers["webhook-id"] });
    const input = {
      scheme: "standard-webhooks",
      headers: arrived?.headers ?? {},
      body: arrived?.body ?? Buffer.alloc(0),
      secrets: [secret],
      nowSeconds: bench.clock.nowMs / 1000,
    } as const;
    expect(verifySignature(input)).toMatchObject({ valid: true });
    expect(onlyRow(outcome)).toMatchObject({ transactionId: "T1", httpStatus: 200 });
    expect(schemaFaults("webhook-replay", { deliveries: [onlyRow(outcome)] })).toEqual([]);
  });
  it("posts nothing if the service answers about another transaction", async () => {
    const endpoint = await startEndpoint();
    const { context } = createBench({ transactions: { T1: '{"id":"T9","reference":"INV-9","amount":1,"status":"COMPLETED"}' } });
    await expect(run(typedInput(webhookReplaySpec, { to: endpoint.url }, ["T1"]), context)).rejects.toMatchObject({ kind: "unavailable" });
    expect(endpoint.arrived).toEqual([]);
  });
  it("has the same webhook-id for the same change and another for another", async () => {
    const endpoint = await startEndpoint();
    const ids = async (id: string, text: string): Promise<unknown> => {
      await run(typedInput(webhookReplaySpec, { to: endpoint.url }, [id]), createBench({ transactions: { [id]: text } }).context);
      return endpoint.arrived.at(-1)?.headers["webhook-id"];
    };
    const first = await ids("T1", transactions.T1);
    expect(await ids("T1", transactions.T1)).toBe(first);
    expect(await ids("T1", '{"id":"T1","status":"completed","more":1}')).toBe(first);
    expect(await ids("T1", '{"id":"T1","status":"REVERSED"}')).not.toBe(first);
    expect(await ids("T2", transactions.T2)).not.toBe(first);
  });
  it("delivers no end without payment of what the mirror saw paid, and goes on with the others", async () => {
    const home = createHome();
    const said = (statuses: Readonly<Record<string, string>>): Service => {
      const rows = Object.entries(statuses).map(([id, status]) => ({ id, reference: id, amount: 100, status }));
      return ({ path }) => ({
        body: path.endsWith("/transactions") ? { transactions: rows, total: rows.length } : (rows.find(({ id }) => path.endsWith(id)) ?? {}),
      });
    };
    await runCli(["tx", "sync"], { home, service: said({ T1: "COMPLETED", T2: "COMPLETED" }) });
    const posted: string[] = [];
    const post: Context["post"] = async ({ body }) => {
      posted.push(JSON.parse(Buffer.from(body).toString()).data.id);
      return { status: 200, headers: {} };
    };
    const env = { PAYMENTS_WEBHOOK_SECRET: secret };
    const replay = ["webhook", "replay", "T1", "T2", "--to", "http://127.0.0.1:9", "--json"];
    const { code, stderr } = await runCli(replay, { home, env, post, service: said({ T1: "FAILED", T2: "REVERSED" }) });
    expect([code, JSON.parse(stderr).error.kind]).toEqual([6, "rejected"]);
    expect(posted).toEqual(["T2"]);
  });
  it("signs by the scheme that is asked for", async () => {
    const endpoint = await startEndpoint();
    const bench = createBench({ transactions, settings: { scheme: "standard-webhooks", secrets: ["a secret"] } });
    await run(typedInput(webhookReplaySpec, { to: endpoint.url, signature: "hmac-sha512-hex", "signature-header": "X-Sig" }, ["T2"]), bench.context);
    const [arrived] = endpoint.arrived;
    const input = {
      scheme: "hmac-sha512-hex",
      header: "x-sig",
      headers: arrived?.headers ?? {},
      body: arrived?.body ?? Buffer.alloc(0),
      secrets: ["a secret"],
      nowSeconds: 0,
    } as const;
    expect(verifySignature(input).valid).toBe(true);
  });
  it("tries again where the endpoint is down for a moment, signed anew", async () => {
    const endpoint = await startEndpoint(503, 429, 200);
    const bench = createBench({ transactions });
    await run(typedInput(webhookReplaySpec, { to: endpoint.url }, ["T1"]), bench.context);
    expect(bench.slept).toEqual([375, 750]);
    const stamps = endpoint.arrived.map(({ headers }) => headers["webhook-timestamp"]);
    expect(new Set(endpoint.arrived.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(stamps[2]).not.toBe(stamps[0]);
  });
  it("leaves an endpoint alone for as long as it asks", async () => {
    const endpoint = await startEndpoint({ status: 503, headers: { "retry-after": "7" } }, 200);
    const bench = createBench({ transactions });
    await run(typedInput(webhookReplaySpec, { to: endpoint.url }, ["T1"]), bench.context);
    expect([bench.slept, endpoint.arrived.length]).toEqual([[7_000], 2]);
  });
  it("ends at once, and says when to try again, if an endpoint asks for longer than the time left", async () => {
    const endpoint = await startEndpoint({ status: 429, headers: { "retry-after": "2592000" } });
    const bench = createBench({ transactions });
    const retryAt = new Date(bench.clock.nowMs + 2_592_000_000).toISOString().slice(0, 10);
    await expect(run(typedInput(webhookReplaySpec, { to: endpoint.url }, ["T1"]), bench.context)).rejects.toMatchObject({
      kind: "rejected",
      retryAfterMs: 2_592_000_000,
      hint: expect.stringContaining(retryAt),
    });
    expect([bench.slept, endpoint.arrived.length]).toEqual([[], 1]);
  });
  it.each([
    [404, 0, "404"],
    [500, 2, "500"],
    [302, 0, "redirects are not followed"],
  ])("an endpoint that answers %i has refused (6)", async (status, retries, says) => {
    const endpoint = await startEndpoint(status);
    const bench = createBench({ transactions, retries });
    await expect(run(typedInput(webhookReplaySpec, { to: endpoint.url }, ["T1"]), bench.context)).rejects.toMatchObject({
      kind: "rejected",
      status,
      message: expect.stringContaining(says),
    });
    expect(endpoint.arrived.length).toBe(1 + retries);
  });
  it("one that is not there is unreachable (10)", async () => {
    const bench = createBench({ transactions, retries: 1 });
    await expect(run(typedInput(webhookReplaySpec, { to: await deadUrl() }, ["T1"]), bench.context)).rejects.toMatchObject({ kind: "unavailable", sent: "no" });
    expect(bench.slept).toEqual([375]);
  });
  it("goes on after one that is not found, and tells of both", async () => {
    const endpoint = await startEndpoint();
    const bench = createBench({ transactions });
    await expect(run(typedInput(webhookReplaySpec, { to: endpoint.url }, ["T1", "nope", "T3", "T1"]), bench.context)).rejects.toMatchObject({
      kind: "not-found",
      message: expect.stringMatching(/^Delivered: 2 of 3\. nope: /),
    });
    expect(endpoint.arrived.map(({ body }) => JSON.parse(body.toString()).type)).toEqual(["payment.completed", "payment.updated"]);
  });
  it.each([
    [{ to: "http://shop.example/hook" }, ["T1"], /plain http/],
    [{ to: "http://127.0.0.1.example/hook" }, ["T1"], /plain http/],
    [{ to: "ftp://127.0.0.1/" }, ["T1"], /https/],
    [{ to: "https://user:pass@shop.example/" }, ["T1"], /user name/],
    [{ to: "not a url" }, ["T1"], /not a URL/],
    [{}, ["T1"], /--to is missing/],
    [{ to: "https://shop.example/" }, [], /needs ID/],
    [{ to: "https://shop.example/" }, ["T1", "GD-77"], /no look-up/],
    [{ to: "https://shop.example/", signature: "md5" }, ["T1"], /--signature is one of/],
  ])("%j %j is a usage error before any request", async (flags, args, says) => {
    const bench = createBench({ transactions });
    const work = async () => run(typedInput(webhookReplaySpec, flags, args), bench.context);
    await expect(work()).rejects.toMatchObject({ kind: "usage", message: expect.stringMatching(says) });
    expect(bench.calls).toEqual([]);
  });
  it.each([
    [[], /no webhook secret/],
    [["not base64!"], /not base64/],
  ])("secrets %j cannot sign", async (secrets, says) => {
    const bench = createBench({ transactions, settings: { scheme: "standard-webhooks", secrets } });
    await expect(run(typedInput(webhookReplaySpec, { to: "https://shop.example/" }, ["T1"]), bench.context)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(says),
    });
    expect(bench.calls).toEqual([]);
  });
  it("refuses unchecked certificates off this machine", async () => {
    const bench = createBench({ transactions, env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } });
    await expect(run(typedInput(webhookReplaySpec, { to: "https://shop.example/" }, ["T1"]), bench.context)).rejects.toMatchObject({ kind: "usage" });
  });
});

it("on a terminal the address is asked for, a wrong one in place, and the run can be typed again", async () => {
  const posted: string[] = [];
  const { code, stderr, prompts } = await runCli(["webhook", "replay", "T1"], {
    service: () => ({ body: { id: "T1", reference: "INV-1", amount: 10, status: "COMPLETED" } }),
    env: { PAYMENTS_WEBHOOK_SECRET: `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}` },
    answers: ["http://shop.example/hook", "https://shop.example/hook"],
    post: async ({ url }) => {
      posted.push(url.href);
      return { status: 204, headers: {} };
    },
  });
  expect([code, posted, runAgainIn(stderr)]).toEqual([0, ["https://shop.example/hook"], ["webhook", "replay", "T1", "--to", "https://shop.example/hook"]]);
  expect(prompts[1]).toContain("plain http");
});
