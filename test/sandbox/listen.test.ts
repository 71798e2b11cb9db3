import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { createTransport } from "../../src/host/transport.ts";
import { openSandboxConnection } from "../../src/sandbox/connection.ts";
import { claimFolder, findRunning, runningFile } from "../../src/sandbox/running.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { serveSandbox } from "../../src/sandbox/serve.ts";
import { createHome } from "../support/ends.ts";

const joinOver = async () => createTransport({ env: {} }, { bulk: false });
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
const serve = async (data = "ephemeral", host = "127.0.0.1") => {
  const sandbox = await createSandbox({ data, seed: 1 });
  const listening = await serveSandbox(sandbox, { port: 0, host });
  ends.push(async () => {
    await listening.close();
    await sandbox.close();
  });
  return { sandbox, listening };
};
type Answer = { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, unknown>> };
const ask = (baseUrl: string, key: string, method: string, path: string, options: { body?: unknown; headers?: Record<string, string> } = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = options.body === undefined ? "" : JSON.stringify(options.body);
    const type = options.body === undefined ? {} : { "content-type": "application/json" };
    const sent = request(
      new URL(path, baseUrl),
      { method, agent: false, headers: { authorization: `Bearer ${key}`, ...type, ...options.headers } },
      (answer) => {
        let body = "";
        answer.on("data", (part) => (body += String(part)));
        answer.on("error", reject);
        answer.on("end", () => (answer.complete ? resolve({ status: answer.statusCode ?? 0, body, headers: answer.headers }) : reject(new Error("truncated"))));
      },
    );
    sent.on("error", reject);
    sent.end(text);
  });
const wallet = "/api/v1/merchants/payments/wallet";
const stk = "/api/v1/merchants/payments/stk-push";
const body = { phone: "254712345678", amount: 10, reference: "L" };

test("it answers on a port", async () => {
  const { sandbox, listening } = await serve();
  expect((await ask(listening.baseUrl, sandbox.apiKey, "GET", wallet)).status).toBe(200);
  expect((await ask(listening.baseUrl, "sk_live_other", "GET", wallet)).status).toBe(401);
  expect((await ask(listening.baseUrl, sandbox.apiKey, "POST", stk, { body: { ...body, description: "x".repeat(1024 * 1024) } })).status).toBe(413);
  const [page, head] = [await ask(listening.baseUrl, sandbox.apiKey, "GET", "/"), await ask(listening.baseUrl, sandbox.apiKey, "HEAD", "/")];
  expect(page.headers["content-type"]).toContain("text/html");
  expect([head.status, head.body, head.headers["content-length"]]).toEqual([200, "", page.headers["content-length"]]);
});

describe("R2-58: who may ask, and under which name", () => {
  const foreign = [{ host: "host.docker.internal:4010" }, { host: "192.168.1.7:4010" }, { host: "sandbox" }];
  test.each(foreign)("under /api the key alone protects: %j", async (headers) => {
    const { sandbox, listening } = await serve();
    expect((await ask(listening.baseUrl, sandbox.apiKey, "GET", wallet, { headers })).status).toBe(200);
    expect((await ask(listening.baseUrl, sandbox.apiKey, "POST", stk, { body, headers })).status).toBe(200);
    expect((await ask(listening.baseUrl, sandbox.apiKey, "POST", stk, { body, headers: { ...headers, origin: "http://localhost:5173" } })).status).toBe(200);
    for (const key of ["", "sk_live_other"])
      for (const method of ["GET", "POST"]) expect((await ask(listening.baseUrl, key, method, method === "GET" ? wallet : stk, { headers })).status).toBe(401);
  });

  test.each(foreign)("the dashboard and the control are for this machine, and --host is named: %j", async (headers) => {
    const { sandbox, listening } = await serve();
    for (const path of ["/", "/assets/app.js", "/_sandbox/requests", "/api", "/%61pi/v1/x"]) {
      const answer = await ask(listening.baseUrl, sandbox.apiKey, "GET", path, { headers });
      expect([path, answer.status, answer.body.includes("--host"), answer.body.includes(sandbox.apiKey)]).toEqual([path, 403, true, false]);
    }
  });

  test("a page of another site changes and reads nothing", async () => {
    const { sandbox, listening } = await serve();
    const post = (path: string, origin: string) => ask(listening.baseUrl, sandbox.apiKey, "POST", path, { headers: { origin } });
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1"])
      for (const path of ["/_sandbox/reset", "/checkout/GC-0001?token=t0ken"]) {
        const { status, body: told } = await post(path, origin);
        expect([path, origin, status, told.includes("--host")]).toEqual([path, origin, 403, true]);
      }
    expect((await post("/_sandbox/reset", listening.baseUrl)).status).toBe(200);
    const read = (path: string, origin: string) => ask(listening.baseUrl, sandbox.apiKey, "GET", path, { headers: { origin } });
    for (const path of ["/", "/_sandbox/requests"]) {
      expect((await read(path, "https://evil.example")).status).toBe(403);
      expect((await read(path, listening.baseUrl)).status).toBe(200);
    }
    expect((await post("/checkout/GC-0001?token=t0ken", listening.baseUrl)).status).toBe(404);
  });

  test("bound beyond loopback on purpose, every name is served", async () => {
    const { sandbox, listening } = await serve(undefined, "0.0.0.0");
    const headers = { host: "sandbox:4010" };
    for (const path of ["/", "/_sandbox/requests", wallet])
      expect([path, (await ask(listening.baseUrl, sandbox.apiKey, "GET", path, { headers })).status]).toEqual([path, 200]);
    expect((await ask(listening.baseUrl, "", "GET", "/", { headers })).body).not.toContain(sandbox.apiKey);
  });
});

test("what is no page is 404 without a key: a page to a browser, JSON to a program", async () => {
  const { listening } = await serve();
  const program = await ask(listening.baseUrl, "", "GET", "/favicon.ico");
  expect(program).toMatchObject({ status: 404, headers: { "content-type": "application/json; charset=utf-8" } });
  const browser = await ask(listening.baseUrl, "", "GET", "/nothing?x=1", { headers: { accept: "text/html,*/*" } });
  expect(browser).toMatchObject({ status: 404, headers: { "content-type": "text/html; charset=utf-8" } });
  const described = await ask(listening.baseUrl, "", "GET", "/openapi.json", { headers: { accept: "text/html,*/*" } });
  expect([described.status, JSON.parse(described.body).openapi]).toEqual([200, "3.1.0"]);
  for (const path of ["/api/v1/nothing", "/_sandbox/nothing"]) expect((await ask(listening.baseUrl, "", "GET", path)).status, path).toBe(401);
});

test.each([
  ["malformed", "no request at all\r\n\r\n", 400],
  ["over-long headers", `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
])("%s is answered, not merely cut", async (_, sent, status) => {
  const { listening } = await serve();
  const socket = connect(listening.port, "127.0.0.1");
  socket.end(sent);
  expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*Connection: close`));
});

test("faults are acted out on the connection", async () => {
  const { sandbox, listening } = await serve();
  const { baseUrl } = listening;
  const fault = (kind: string) => ask(baseUrl, sandbox.apiKey, "PUT", "/_sandbox/faults", { body: [{ method: "POST", path: stk, kind, times: 1 }] });
  const counts: Record<string, number> = { "reset-before": 0, "reset-after": 1, truncate: 1 };
  let total = 0;
  for (const [kind, created] of Object.entries(counts)) {
    await fault(kind);
    await expect(ask(baseUrl, sandbox.apiKey, "POST", stk, { body }), kind).rejects.toThrow();
    total += created;
    expect(JSON.parse((await ask(baseUrl, sandbox.apiKey, "GET", "/api/v1/merchants/payments/transactions")).body).total, kind).toBe(total);
  }
  await fault("html-502");
  expect((await ask(baseUrl, sandbox.apiKey, "POST", stk, { body })).headers["content-type"]).toContain("text/html");
});

test("a running sandbox is joined, a second one refused, a dead one's claim taken over", async () => {
  const data = createHome();
  const claim = await claimFolder(data);
  const { sandbox, listening } = await serve(data);
  await claim.announce({ pid: process.pid, baseUrl: listening.baseUrl, apiKey: sandbox.apiKey, webhookSecret: sandbox.webhookSecret });
  const joined = await openSandboxConnection({ dataFolder: data, joinOver });
  ends.push(() => joined.close());
  expect(joined.baseUrl).toBe(listening.baseUrl);
  const answer = await joined.transport.send(
    { method: "GET", url: new URL(wallet, joined.baseUrl), headers: { Authorization: `Bearer ${joined.apiKey}` } },
    { timeoutMs: 5_000 },
  );
  expect(answer.status).toBe(200);
  await expect(claimFolder(data)).rejects.toThrow("already");
  await claim.release();
});

test("a file that names no address is nobody's claim", async () => {
  const data = createHome();
  writeFileSync(runningFile(data), JSON.stringify({ pid: process.pid, baseUrl: "nowhere", apiKey: "k", webhookSecret: "s" }));
  expect(await findRunning(data)).toBeUndefined();
});

test("of two that see a dead one's claim at once, one takes it over", async () => {
  const data = createHome();
  writeFileSync(runningFile(data), JSON.stringify({ pid: 2 ** 22 + 1, baseUrl: "http://127.0.0.1:1", apiKey: "k", webhookSecret: "s" }));
  const claims = await Promise.allSettled([claimFolder(data), claimFolder(data)]);
  const taken = claims.flatMap((claim) => (claim.status === "fulfilled" ? [claim.value] : []));
  expect(taken).toHaveLength(1);
  await taken[0]?.release();
  const next = await claimFolder(data);
  await next.release();
});

test("two processes' worth of users on one folder see one state and never corrupt it", async () => {
  const data = createHome();
  const [left, right] = await Promise.all([openSandboxConnection({ dataFolder: data, joinOver }), openSandboxConnection({ dataFolder: data, joinOver })]);
  ends.push(async () => void (await Promise.all([left.close(), right.close()])));
  expect(left.apiKey).toBe(right.apiKey);
  const create = (side: typeof left, n: number) =>
    side.transport.send(
      {
        method: "POST",
        url: new URL("/api/v1/merchants/payments/b2c", side.baseUrl),
        headers: { authorization: `Bearer ${side.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ phone: "254712345678", amount: 10, reference: `R${n}` }),
      },
      { timeoutMs: 5_000 },
    );
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => create(n % 2 === 0 ? left : right, n)));
  expect(answers.map((one) => one.status)).toEqual(Array.from({ length: 60 }, () => 200));
  const found = await right.transport.send(
    { method: "GET", url: new URL(wallet, right.baseUrl), headers: { authorization: `Bearer ${right.apiKey}` } },
    { timeoutMs: 5_000 },
  );
  expect(JSON.parse(Buffer.from(found.body).toString()).wallet.b2cHeldBalance).toBe(60 * 15);
});
