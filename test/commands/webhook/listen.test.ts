import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { run } from "../../../src/commands/webhook/listen.ts";
import { webhookListenSpec } from "../../../src/commands/webhook/spec.ts";
import type { Json } from "../../../src/json/exact-json.ts";
import { signDelivery } from "../../../src/webhooks/webhook-signature.ts";
import { schemaFaults } from "../../support/schemas.ts";
import { type TypedFlags, typedInput } from "../../support/typed-input.ts";
import { apiKey, type Bench, type BenchOptions, createBench, deadUrl, secret, startEndpoint, startListening } from "./bench.ts";

/** Posts exact bytes; the status of the answer. */
const send = (url: string, body: Uint8Array, headers: Record<string, string> = {}, method = "POST"): Promise<number> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (incoming) => {
      incoming.resume().on("end", () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
const signed = (bench: Bench, id: string, body: Uint8Array): Record<string, string> => ({
  ...signDelivery({ scheme: "standard-webhooks", secrets: [secret], id, timestampSeconds: bench.clock.nowMs / 1000, body }),
});
const event = (id: string, status: string, transaction = "tx_1"): Buffer =>
  Buffer.from(
    `{"type":"payment.${status.toLowerCase()}","id":"${id}","data":{"id":"${transaction}","reference":"INV-1","amount":1500.0,"status":"${status}"}}`,
  );
const style = { zone: "UTC", nowMs: 0, width: 80 };
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "payments-cli-save-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
/** A listener with `deliver`, which posts the event of an id and a status, signed. */
const listen = async (flags: TypedFlags = {}, options: BenchOptions = {}) => {
  const bench = createBench(options);
  const listening = await startListening(run, bench, flags);
  const deliver = (id: string, body: Uint8Array = event(id, "COMPLETED")) => send(listening.url, body, signed(bench, id, body));
  return { bench, deliver, ...listening };
};

describe("webhook listen", () => {
  it("shows a valid delivery to the letter and answers 200", async () => {
    const { next, outcome, deliver } = await listen();
    expect(await deliver("evt_1")).toBe(200);
    const row = await next();
    const body = event("evt_1", "COMPLETED").toString();
    expect(row).toMatchObject({ at: "2026-03-01T08:00:00.000Z", id: "evt_1", valid: true, duplicate: false, body, headers: { "webhook-id": "evt_1" } });
    expect(row).not.toHaveProperty("reason");
    expect(schemaFaults("webhook-delivery", row)).toEqual([]);
    if (outcome.view.kind !== "lines") throw new Error("no lines");
    expect(outcome.view.line(row as Json, style)).toMatchObject({
      text: "2026-03-01 08:00:00 UTC  valid  payment.completed  tx_1  INV-1  KES 1,500.00  COMPLETED  -> 200",
      tone: "good",
    });
  });
  it("answers 401 to what does not hold, and does not pass it on", async () => {
    const endpoint = await startEndpoint();
    const { bench, url, next, deliver } = await listen({ "forward-to": endpoint.url });
    const body = event("evt_1", "COMPLETED");
    expect(await send(url, Buffer.concat([body, Buffer.from("\n")]), signed(bench, "evt_1", body))).toBe(401);
    expect(await next()).toMatchObject({ valid: false, reason: expect.stringContaining("line end was added"), answered: 401 });
    expect(await send(url, body)).toBe(401);
    expect(await next()).toMatchObject({ valid: false, reason: "the header webhook-id is missing" });
    // What does not hold must not make the true one a duplicate.
    expect(await deliver("evt_1")).toBe(200);
    expect(await next()).toMatchObject({ valid: true, duplicate: false });
    expect(endpoint.arrived.length).toBe(1);
  });
  it.each(["hmac-sha256-hex", "hmac-sha256-base64", "hmac-sha512-hex", "stripe"] as const)(
    "%s: knows a duplicate by what is signed, not by a header that anybody can set",
    async (scheme) => {
      const { bench, url, next } = await listen({}, { settings: { scheme, secrets: [secret] } });
      const [paid, other] = [event("evt_1", "COMPLETED"), event("evt_2", "COMPLETED", "tx_2")];
      for (const [id, body] of [
        ["h1", paid],
        ["h2", paid],
        ["h1", other],
      ] as const) {
        const headers = signDelivery({ scheme, secrets: [secret], id: "x", timestampSeconds: bench.clock.nowMs / 1000, body });
        expect(await send(url, body, { ...headers, "webhook-id": id })).toBe(200);
      }
      expect([await next(), await next(), await next()]).toMatchObject([
        { id: "evt_1", duplicate: false },
        { id: "evt_1", duplicate: true },
        { id: "evt_2", duplicate: false },
      ]);
    },
  );
  it("marks a duplicate by its signed id, and passes it on all the same", async () => {
    const endpoint = await startEndpoint(500, 204);
    const { next, deliver } = await listen({ "forward-to": endpoint.url });
    expect([await deliver("evt_1"), await deliver("evt_1")]).toEqual([500, 204]);
    expect(await next()).toMatchObject({ duplicate: false, answered: 500 });
    expect(await next()).toMatchObject({ duplicate: true, answered: 204 });
  });
  it("W4, W7: forwards bytes, query and signature headers as they are", async () => {
    const endpoint = await startEndpoint();
    const { bench, url, next } = await listen({ "forward-to": `${endpoint.url}/h?a=1&b=2` });
    const body = Buffer.from('{ "z" : 1.0,\t"name":"caf\\u00e9", "a":[ 1,2 ] }\r\n');
    const headers = signed(bench, "evt_4", body);
    await send(url, body, { ...headers, "content-type": "application/json; charset=utf-8", "x-odd": "1", connection: "close, x-hop", "x-hop": "no" });
    await next();
    expect(endpoint.arrived[0]?.target).toBe("/h?a=1&b=2");
    expect(endpoint.arrived[0]?.body.equals(body)).toBe(true);
    expect(endpoint.arrived[0]?.headers).toMatchObject({ ...headers, "content-type": "application/json; charset=utf-8", "x-odd": "1" });
    expect(endpoint.arrived[0]?.headers).not.toHaveProperty("x-hop");
    await send(`${url}deep?c=%203&d=a?b`, body, headers);
    await next();
    expect(endpoint.arrived[1]?.target).toBe("/h?a=1&b=2&c=%203&d=a?b");
  });
  it("keeps bytes that are no UTF-8", async () => {
    const endpoint = await startEndpoint();
    const { next, deliver } = await listen({ "forward-to": endpoint.url });
    const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    await deliver("evt_b", body);
    expect(await next()).toMatchObject({ valid: true, bodyBase64: body.toString("base64") });
    expect(endpoint.arrived[0]?.body.equals(body)).toBe(true);
  });
  it("W5: a FAILED after COMPLETED is shown as a contradiction, and does not stand", async () => {
    const { next, outcome, deliver } = await listen();
    const rows: (Json | undefined)[] = [];
    for (const status of ["COMPLETED", "FAILED", "SENT", "COMPLETED", "REVERSED"]) {
      const id = `e${rows.length}`;
      expect(await deliver(id, event(id, status))).toBe(200);
      rows.push(await next());
    }
    const reasons = rows.map((row) => (row as Record<string, Json>)["reason"]);
    expect(reasons).toEqual([
      undefined,
      expect.stringMatching(/conflict: FAILED contradicts COMPLETED/),
      expect.stringMatching(/out of order, COMPLETED stands/),
      undefined,
      undefined,
    ]);
    if (outcome.view.kind !== "lines") throw new Error("no lines");
    expect(outcome.view.line(rows[1] as Json, style)).toMatchObject({ text: expect.stringContaining("contradicts COMPLETED"), tone: "waiting" });
  });
  it("without a secret shows on this machine what it cannot check", async () => {
    const { bench, url, next } = await listen({}, { settings: { scheme: "standard-webhooks", secrets: [] } });
    expect(bench.notes.join()).toContain("PAYMENTS_WEBHOOK_SECRET");
    expect(await send(url, event("evt_1", "COMPLETED"))).toBe(200);
    expect(await next()).toMatchObject({ id: "evt_1", valid: false, reason: "not checked", duplicate: false });
    expect(await send(url, Buffer.from("not json"))).toBe(200);
    expect(await next()).toMatchObject({ id: expect.stringMatching(/^sha256:/), body: "not json" });
  });
  it.each(["0.0.0.0", "::", "192.168.1.5"])("--host %s needs a secret (2)", async (host) => {
    const bench = createBench({ settings: { scheme: "standard-webhooks", secrets: [] } });
    await expect(run(typedInput(webhookListenSpec, { host, port: "0" }), bench.context)).rejects.toMatchObject({ kind: "usage" });
  });
  it("answers 502 where the endpoint is not there", async () => {
    const { next, deliver } = await listen({ "forward-to": await deadUrl() });
    expect(await deliver("evt_1")).toBe(502);
    expect(await next()).toMatchObject({ valid: true, answered: 502, reason: expect.stringContaining("not forwarded") });
  });
  it("takes POST alone, on its path alone, up to 1 MiB", async () => {
    const { bench, url } = await listen({ path: "/hooks" });
    expect(url.endsWith("/hooks")).toBe(true);
    const body = event("evt_1", "COMPLETED");
    expect(await send(url.replace("/hooks", "/other"), body, signed(bench, "evt_1", body))).toBe(404);
    expect(await send(url, Buffer.alloc(0), {}, "GET")).toBe(405);
    expect(await send(url, Buffer.alloc(1024 * 1024 + 1))).toBe(413);
    expect(await send(`${url}?x=1`, body, signed(bench, "evt_1", body))).toBe(200);
  });
  it("saves each delivery as it came, for this user alone", async () => {
    const folder = join(newFolder(), "kept");
    const { bench, url, next } = await listen({ save: folder });
    const body = event("../../evil", "COMPLETED");
    const headers = signed(bench, "../../evil", body);
    await send(url, body, headers);
    await next();
    const files = readdirSync(folder).sort();
    expect(files).toEqual(["2026-03-01T08-00-00-000Z-0001-______evil.body", "2026-03-01T08-00-00-000Z-0001-______evil.headers"]);
    expect(readFileSync(join(folder, files[0] ?? "")).equals(body)).toBe(true);
    expect(readFileSync(join(folder, files[1] ?? ""), "utf8")).toContain(`webhook-signature: ${headers["webhook-signature"]}\n`);
    expect(statSync(join(folder, files[0] ?? "")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
  it("keeps and shows no key, no secret and no login, and passes on the very bytes", async () => {
    const folder = newFolder();
    const endpoint = await startEndpoint();
    const { bench, url, next } = await listen({ save: folder, "forward-to": endpoint.url });
    const body = Buffer.from(`{"id":"evt_1","log":"Authorization: Bearer ${apiKey}","secret":"${secret.replaceAll("A", "\\u0041")}"}`);
    const login = `Basic ${Buffer.from("gateway:gateway-password").toString("base64")}`;
    const headers = { ...signed(bench, "evt_1", body), authorization: login, "x-echo": apiKey };
    expect(await send(url, body, headers)).toBe(200);
    const row = await next();
    expect(row).toMatchObject({ valid: true, headers: { authorization: "****", "x-echo": "****" } });
    const kept = [JSON.stringify(row), ...readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))];
    expect(kept).toHaveLength(3);
    for (const text of kept) for (const hidden of [apiKey, secret, secret.slice(8), login]) expect(text).not.toContain(hidden);
    expect(endpoint.arrived[0]?.body.equals(body)).toBe(true);
    expect(endpoint.arrived[0]?.headers).toMatchObject(headers);
  });
  it("knows after a restart what --save kept: a duplicate by its id, a contradiction, and nothing by what did not hold", async () => {
    const folder = newFolder();
    const bench = createBench();
    const [paid, other, late] = [event("e1", "COMPLETED"), event("e2", "COMPLETED", "tx_2"), event("e3", "FAILED")];
    const first = await startListening(run, bench, { save: folder });
    expect(await send(first.url, paid, signed(bench, "e1", paid))).toBe(200);
    expect(await send(first.url, other, signed(bench, "e2", paid))).toBe(401);
    writeFileSync(join(folder, "2026-03-01T08-00-00-000Z-0003-half.headers"), "webhook-id: e9\n");
    // By then the timestamps of what was kept are old: they are judged for the moment they came.
    bench.clock.nowMs += 3_600_000;
    const { url, next } = await startListening(run, bench, { save: folder });
    for (const [id, body] of [
      ["e1", paid],
      ["e2", other],
      ["e3", late],
    ] as const)
      expect(await send(url, body, signed(bench, id, body))).toBe(200);
    expect([await next(), await next(), await next()]).toMatchObject([
      { id: "e1", duplicate: true },
      { id: "e2", duplicate: false },
      { id: "e3", duplicate: false, reason: expect.stringContaining("contradicts COMPLETED") },
    ]);
  });
  it("answers 503 while nobody reads what is shown, and shows all that it accepted", async () => {
    const endpoint = await startEndpoint(200);
    const bench = createBench();
    const outcome = await run(typedInput(webhookListenSpec, { port: "0", "forward-to": endpoint.url }), bench.context);
    const { renderOutcome } = await import("../../../src/output/render.ts");
    const chunks: string[] = [];
    let readOn: () => void = () => undefined;
    const stalled = new Promise<void>((resolve) => {
      readOn = resolve;
    });
    let started: (url: string) => void = () => undefined;
    const url = new Promise<string>((resolve) => {
      started = resolve;
    });
    const write = async (chunk: string | Uint8Array): Promise<void> => {
      chunks.push(String(chunk));
      if (chunks.length === 1) started(JSON.parse(String(chunk)).url);
      else await stalled;
    };
    const written = renderOutcome(outcome, { format: "json", style, colour: false, write });
    const accepted: string[] = [];
    const statuses = new Set<number>();
    const deliver = async (id: string): Promise<void> => {
      const body = event(id, "COMPLETED", id);
      const status = await send(await url, body, signed(bench, id, body));
      statuses.add(status);
      if (status === 200) accepted.push(id);
    };
    for (let from = 0; from < 1400; from += 50) await Promise.all(Array.from({ length: 50 }, (_, index) => deliver(`evt_${from + index}`)));
    expect([...statuses]).toEqual([200, 503]);
    // Nothing that was not accepted was passed on either.
    expect(endpoint.arrived).toHaveLength(accepted.length);
    readOn();
    await deliver("late");
    expect(accepted).toContain("late");
    bench.interrupt();
    await written;
    const shown = chunks.join("").split("\n").slice(1, -1);
    expect(shown.map((line) => JSON.parse(line).id).sort()).toEqual(accepted.sort());
  });
  it("shows a delivery that was being passed on when it was interrupted", async () => {
    const bench = createBench();
    const endpoint = await startEndpoint(200);
    const context = {
      ...bench.context,
      post: async (request: Parameters<NonNullable<typeof bench.context.post>>[0]) => {
        bench.interrupt();
        return (await bench.context.post?.(request)) ?? { status: 500, headers: {} };
      },
    };
    const { url, next } = await startListening(run, { ...bench, context }, { "forward-to": endpoint.url });
    const body = event("evt_1", "COMPLETED");
    const answered = await send(url, body, signed(bench, "evt_1", body));
    expect(await next()).toMatchObject({ id: "evt_1", answered });
    expect(await next()).toBeUndefined();
  });
  it("ends well when it is interrupted, and closes its port", async () => {
    const { bench, url, next } = await listen();
    bench.interrupt();
    expect(await next()).toBeUndefined();
    await expect(send(url, Buffer.from("x"))).rejects.toThrow();
  });
  it("closes its port when nobody reads any more, also while nothing comes", async () => {
    const bench = createBench();
    const outcome = await run(typedInput(webhookListenSpec, { port: "0" }), bench.context);
    const { renderOutcome } = await import("../../../src/output/render.ts");
    let url = "";
    const write = async (chunk: string | Uint8Array): Promise<void> => {
      url = JSON.parse(String(chunk)).url;
      throw Object.assign(new Error("gone"), { code: "EPIPE" });
    };
    await expect(renderOutcome(outcome, { format: "json", style, colour: false, write })).rejects.toThrow("gone");
    await expect(send(url, Buffer.from("x"))).rejects.toThrow();
  });
  it.each([
    [{ port: "70000" }, /--port/],
    [{ port: "-1" }, /--port/],
    [{ path: "hooks" }, /--path/],
    [{ path: "/a?b" }, /--path/],
    [{ "forward-to": "http://shop.example/" }, /plain http/],
  ])("%j is a usage error", async (flags, says) => {
    const work = async () => run(typedInput(webhookListenSpec, flags), createBench().context);
    await expect(work()).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(says),
    });
  });
  it("names a port that is taken, and chooses another where none was asked for", async () => {
    const first = await startListening(run, createBench(), {});
    const taken = new URL(first.url).port;
    await expect(run(typedInput(webhookListenSpec, { port: taken }), createBench().context)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining(taken),
      hint: expect.stringContaining("--port"),
    });
    const elsewhere = typedInput(webhookListenSpec, { host: "192.0.2.1" });
    await expect(run(elsewhere, createBench().context)).rejects.toMatchObject({ kind: "usage", hint: expect.stringContaining("--host") });
    const usual = await startListening(run, createBench(), { port: undefined });
    const next = await startListening(run, createBench(), { port: undefined });
    expect(next.url).not.toBe(usual.url);
  });
});
