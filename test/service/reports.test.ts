import { afterEach, describe, expect, it } from "vitest";
import { createTransport } from "../../src/host/transport.ts";
import { createClient } from "../../src/service/client.ts";
import { routes } from "../../src/service/contract/routes.ts";
import { TransportError } from "../../src/service/transport.ts";
import { createHome, runCli, type Service } from "../support/cli.ts";
import { payoutWords } from "../support/payout-words.ts";
import { jsonAnswer, type RawServer, startRawServer } from "../support/raw-server.ts";

/** Rows of cases/reports.md on HTTP, retries and keys, each named by its id. */
const lost = (): never => {
  throw new TransportError("reset", true, "The connection was lost before an answer arrived.");
};
const stk = (reference: string, ...more: readonly string[]): readonly string[] => [
  ..."stk --phone 0712345678 --amount 150 --reference".split(" "),
  reference,
  ...more,
];
const queued = { body: { transactionId: "T1", status: "QUEUED" } };
const errorOf = (stderr: string): Readonly<Record<string, unknown>> => JSON.parse(stderr.trim()).error;

describe("reports", () => {
  it("H1: a reset once is one payout under one key", async () => {
    const { code, requests } = await runCli(payoutWords("H1"), { service: (_, count) => (count === 1 ? lost() : queued) });
    expect([code, requests.length]).toEqual([0, 2]);
    expect(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });

  it("H2: 503 twice: three requests, one key, equal bytes", async () => {
    const { code, requests } = await runCli(payoutWords("H2"), { service: (_, count) => (count <= 2 ? { status: 503 } : queued) });
    expect([code, requests.length]).toEqual([0, 3]);
    expect(new Set(requests.map(({ headers, body }) => `${headers["idempotency-key"]} ${body}`)).size).toBe(1);
  });

  it("H3: a 402 does not lock the payment", async () => {
    const home = createHome();
    const broke: Service = () => ({ status: 402, body: { success: false, code: "PAYMENT_REQUIRED", message: "Add credits" } });
    const first = await runCli(stk("H3"), { service: broke, home });
    const second = await runCli(stk("H3"), { service: () => queued, home });
    expect([first.code, second.code]).toEqual([5, 0]);
    expect(second.requests[0]?.headers["idempotency-key"]).not.toBe(first.requests[0]?.headers["idempotency-key"]);
  });

  it("H4: Retry-After is in seconds, and a day is not waited for", async () => {
    const clock = { nowMs: Date.UTC(2026, 2, 1) };
    const at: number[] = [];
    const limited = (seconds: string): Service => {
      return (_, count) => {
        at.push(clock.nowMs);
        return count === 1 ? { status: 429, headers: { "retry-after": seconds } } : queued;
      };
    };
    expect((await runCli(stk("H4"), { service: limited("2"), clock })).code).toBe(0);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(2_000);
    const day = await runCli(stk("H4b", "--json"), { service: limited("86400"), clock });
    expect([day.code, day.requests.length, day.stdout]).toEqual([6, 1, ""]);
    expect(errorOf(day.stderr)["hint"]).toContain("2026-03-02");
  });

  it("H6: for ever without an answer: unknown, with all that settles it", async () => {
    const { code, stderr, stdout, requests } = await runCli(payoutWords("H6", "--retries", "1", "--timeout", "5"), { service: lost });
    expect([code, stdout, requests.length]).toEqual([9, "", 2]);
    expect(errorOf(stderr)).toMatchObject({
      sent: "unknown",
      journalId: expect.any(String),
      idempotencyKey: requests[0]?.headers["idempotency-key"],
      hint: expect.stringContaining("journal resume"),
    });
  });

  it("O5: an HTML page crashes nothing and is not dumped", async () => {
    const html: Service = () => ({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad Gateway</h1>" });
    const { code, stdout, stderr } = await runCli(["global", "wallet", "--json", "--retries", "0"], { service: html });
    expect([code, stdout]).toEqual([10, ""]);
    expect(stderr).toMatch(/502.*HTML/);
    expect(stderr).not.toMatch(/<h1>|\n\s+at /);
  });

  it("O8: large numbers stay digit for digit", async () => {
    const body = '{"id":"T2","reference":"R","status":"COMPLETED","amount":1003800,"big":12345678901234567890}';
    const { code, stdout } = await runCli(["tx", "get", "T2", "--json"], { service: () => ({ body }) });
    expect(code).toBe(0);
    expect(stdout).toMatch(/1003800\b/);
    expect(stdout).toMatch(/12345678901234567890\b/);
  });

  it("K3: a key that is no header is no network fault", async () => {
    const { code, requests, stderr, stdout } = await runCli(["wallet", "--json"], { service: () => queued, env: { PAYMENTS_API_KEY: "k–1" } });
    expect([code, requests.length, stdout]).toEqual([2, 0, ""]);
    expect(stderr).toContain("position 2");
    expect(stderr).not.toContain("k–1");
  });

  const services: Readonly<Record<string, Service>> = {
    success: () => ({ body: { success: true, wallet: { balance: 1 } } }),
    401: ({ headers }) => ({ status: 401, body: { message: `bad ${headers["authorization"]}` } }),
    "a refused connection": () => {
      throw new TransportError("refused", false, "Nothing answers.", new Error("connect ECONNREFUSED"));
    },
    "an echo of the key in a 500": ({ headers }) => ({ status: 500, body: { error: { message: headers["authorization"], code: headers["authorization"] } } }),
  };
  it.each(Object.entries(services))("K7: --debug on %s shows no secret", async (_, service) => {
    const secrets = { PAYMENTS_API_KEY: "sk_live_abcdef0123456789", PAYMENTS_WEBHOOK_SECRET: "whsec_c2VjcmV0c2VjcmV0" };
    for (const argv of [
      ["wallet", "--debug"],
      ["wallet", "--debug", "--json"],
      [...stk("K7"), "--debug"],
    ]) {
      const { stdout, stderr } = await runCli(argv, { service, env: secrets });
      for (const secret of Object.values(secrets)) {
        expect(stdout + stderr).not.toContain(secret);
        expect(stdout + stderr).not.toContain(Buffer.from(secret).toString("base64").replace(/=+$/, ""));
      }
      expect(stderr).toContain("debug: ");
    }
  });

  describe("K8: the key follows no redirect", () => {
    const servers: RawServer[] = [];
    afterEach(async () => {
      for (const server of servers.splice(0)) await server.close();
    });
    it.each([301, 302, 303, 307, 308])("%i", async (status) => {
      const other = await startRawServer((socket) => socket.end(jsonAnswer('{"wallet":{},"transactionId":"T"}')));
      const server = await startRawServer((socket) => socket.end(jsonAnswer("{}", `${status} Moved`, `Location: ${other.url.href}\r\n`)));
      servers.push(other, server);
      for (const transport of [createTransport({ env: {} }, { bulk: false }), createTransport({ env: {} }, { bulk: true })]) {
        const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: async () => undefined };
        const random = { uuid: () => "u", bytes: (count: number) => new Uint8Array(count), fraction: () => 0 };
        const client = createClient({ baseUrl: server.url.href, apiKey: "k1secret", transport, timeoutMs: 2_000, retries: 1, clock, random });
        await expect(client.call(routes.globalWallet)).rejects.toMatchObject({ kind: "unavailable", status });
        await expect(client.call(routes.stkPush, { body: "{}", idempotencyKey: "k" })).rejects.toMatchObject({ kind: "outcome-unknown", status });
        await client.close();
      }
      expect(other.connections()).toBe(0);
    });
  });
});
