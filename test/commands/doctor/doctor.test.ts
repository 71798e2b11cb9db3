import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sealKey } from "../../../src/accounts/withdrawal-key.ts";
import { checkConnection } from "../../../src/commands/doctor/service.ts";
import type { Inspection } from "../../../src/ports.ts";
import { TransportError } from "../../../src/service/transport.ts";
import { createHome, runCli, type Service } from "../../support/cli.ts";

type Told = { readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string; readonly hint?: string }[] };
const nowMs = Date.UTC(2026, 2, 1, 8, 0, 0);
const date = new Date(nowMs).toUTCString();
const service =
  (overrides: Readonly<Record<string, number>> = {}, headers: Readonly<Record<string, string>> = { date }): Service =>
  ({ path }) => {
    const status = Object.entries(overrides).find(([part]) => path.includes(part))?.[1] ?? 200;
    return { status, headers, body: { success: status < 400, providers: [], wallet: {}, transactions: [], total: 0, stats: {}, rates: {} } };
  };
const examine = async (options: Parameters<typeof runCli>[1]) => {
  const result = await runCli(["doctor", "--json"], options);
  const told = JSON.parse(result.stdout) as Told;
  return { ...result, checks: told.checks, bad: told.checks.filter(({ ok }) => !ok).map(({ name }) => name) };
};

const writeDamaged = (folder: string): void => {
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "journal.db"), "no database".repeat(1000), { mode: 0o600 });
};

describe("doctor", () => {
  it("says that all is well, by harmless reads alone", async () => {
    const { code, checks, requests, bad, stderr } = await examine({ service: service() });
    expect([code, bad, stderr]).toEqual([0, [], ""]);
    expect(checks.map(({ name }) => name)).toEqual([
      "runtime",
      "environment",
      "files",
      "journal",
      "disk",
      "account",
      "service",
      "clock",
      "key",
      "read: providers",
      "read: wallet",
      "read: transactions",
      "read: b2c stats",
      "read: global wallet",
      "read: fx rates",
    ]);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
    expect(requests).toHaveLength(6);
  });

  it("ends a hint with the command that is the remedy", async () => {
    const home = createHome();
    const { checks, stderr } = await examine({ home, env: { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined } });
    expect(checks.at(-1)?.hint).toMatch(/: payments-cli login$/);
    expect(JSON.parse(stderr).error).toMatchObject({ hint: checks.at(-1)?.hint, command: ["login"] });
  });

  it("is readable", async () => {
    const { code, stdout } = await runCli(["doctor"], { service: service({ "payments/wallet": 403 }) });
    expect(code).toBe(3);
    expect(stdout).toContain("PROBLEM: The key may not read this (wallet:read): 403");
    expect(stdout).toContain("ok: agrees with the service");
  });

  it.each([
    ["no account", {}, 3, ["account"]],
    ["a key that is refused", { service: service({ "": 401 }) }, 3, ["key"]],
    ["a missing scope", { service: service({ "payments/wallet": 403 }) }, 3, ["read: wallet"]],
    [
      "another service",
      { service: service({ "": 404 }) },
      4,
      ["read: providers", "read: wallet", "read: transactions", "read: b2c stats", "read: global wallet", "read: fx rates"],
    ],
    ["a page in place of the service", { service: () => ({ headers: { date }, body: "<html>Log in to this network</html>" }) }, 10, ["service"]],
    ["a redirect", { service: () => ({ status: 302, headers: { date, location: "https://other.example" }, body: "" }) }, 10, ["service"]],
    ["extra certificates that are not there", { service: service(), env: { NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem" } }, 2, ["extra certificates"]],
    ["extra certificates that are none", { service: service(), env: { NODE_EXTRA_CA_CERTS: import.meta.filename } }, 2, ["extra certificates"]],
    ["a service with a fault", { service: service({ "": 503 }) }, 10, ["service"]],
    ["a clock that is behind", { service: service({}, { date: new Date(nowMs + 400_000).toUTCString() }) }, 2, ["clock"]],
    ["a key that cannot be sent", { service: service(), env: { PAYMENTS_API_KEY: "k–1" } }, 2, ["account"]],
    [
      "certificates unchecked off loopback",
      { service: service(), env: { PAYMENTS_BASE_URL: "https://pay.example.com", NODE_TLS_REJECT_UNAUTHORIZED: "0" } },
      2,
      ["certificates"],
    ],
    ["a base URL that cannot be used", { service: service(), env: { PAYMENTS_BASE_URL: "http://pay.example.com" } }, 2, ["account"]],
  ] as const)("%s", async (_, options, exit, faults) => {
    const { code, bad, checks, stderr } = await examine(options);
    expect([code, bad]).toEqual([exit, faults]);
    expect(JSON.parse(stderr)).toHaveProperty("error.sent", "no");
    expect(checks.filter(({ ok }) => !ok).every(({ hint }) => hint !== undefined && hint.length > 10)).toBe(true);
  });

  it("a service that is not there is reported once", async () => {
    const gone: Service = () => {
      throw new TransportError("refused", false, "Nothing answers at 127.0.0.1:9 (ECONNREFUSED).");
    };
    const { code, bad, requests } = await examine({ service: gone });
    expect([code, bad, requests.length]).toEqual([10, ["service"], 1]);
  });

  it("finds what others can read, and a settings file that is broken", async () => {
    const home = createHome();
    mkdirSync(join(home, "config"), { mode: 0o700 });
    const file = join(home, "config", "config.json");
    writeFileSync(file, "{}", { mode: 0o600 });
    chmodSync(file, 0o644);
    const open = await examine({ service: service(), home });
    expect([open.code, open.bad]).toEqual([2, ["files"]]);
    expect(open.checks.find(({ name }) => name === "files")?.detail).toContain(file);
    writeFileSync(file, '{"pro');
    chmodSync(file, 0o600);
    const broken = await examine({ home });
    expect([broken.code, broken.bad]).toEqual([2, ["journal", "account"]]);
  });

  const payout = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "D-1", "--yes", "--json"];
  it.each([
    ["the journal is a folder", (home: string) => mkdirSync(join(home, "data", "journal.db"), { recursive: true, mode: 0o700 })],
    ["the journal is damaged", (home: string) => writeDamaged(join(home, "data"))],
    ["the folder is a file", (home: string) => writeFileSync(join(home, "data"), "", { mode: 0o600 })],
  ])("is not well where a payment is refused: %s", async (_, spoil) => {
    const home = createHome();
    spoil(home);
    const paid = await runCli(payout, { service: service(), home });
    const { code, bad } = await examine({ service: service(), home });
    expect([paid.code, paid.requests.filter(({ method }) => method === "POST"), code]).toEqual([2, [], 2]);
    expect(bad).toContain("journal");
  });

  it("is not well where no batch could take its lock, nor where the clock was set back", async () => {
    const [locked, early] = [createHome(), createHome()];
    mkdirSync(join(locked, "data"), { mode: 0o700 });
    writeFileSync(join(locked, "data", "locks"), "", { mode: 0o600 });
    expect((await examine({ service: service(), home: locked })).bad).toEqual(["journal"]);
    const later = { nowMs: nowMs + 7_200_000 };
    expect((await runCli(payout, { service: () => ({ body: { transactionId: "T1", status: "QUEUED" } }), home: early, clock: later })).code).toBe(0);
    const { code, bad, checks } = await examine({ service: service(), home: early });
    expect([code, bad]).toEqual([2, ["journal"]]);
    expect(checks.find(({ name }) => name === "journal")?.detail).toContain("2 h");
  });

  it.each([
    [{ PAYMENTS_APIKEY: "k" }, "PAYMENTS_API_KEY"],
    [{ PAYMENT_API_KEY: "k" }, "PAYMENTS_API_KEY"],
    [{ payments_home: "/srv" }, "PAYMENTS_HOME"],
    [{ PAYMENTS_BASEURL: "https://pay.example" }, "PAYMENTS_BASE_URL"],
  ])("names the setting that %j was meant for", async (env, meant) => {
    const { code, bad, checks } = await examine({ service: service(), env });
    expect([code, bad]).toEqual([2, ["environment"]]);
    expect(checks.find(({ name }) => name === "environment")?.hint).toContain(meant);
  });

  it("says which settings have no effect, and is silent about another program's", async () => {
    const { code, checks } = await examine({ service: service(), env: { PAYMENTS_PROFILE: "shop", PAYMENTS_HOME: "pay", PAYMENTS_DATABASE_TIMEOUT: "3" } });
    const detail = checks.find(({ name }) => name === "environment")?.detail;
    expect(code).toBe(0);
    expect(detail).toMatch(/PAYMENTS_PROFILE is not used/);
    expect(detail).toMatch(/PAYMENTS_HOME is a relative path/);
    expect(detail).not.toContain("TIMEOUT");
  });

  it("looks at the withdrawal key as a withdrawal would", async () => {
    const home = createHome();
    const login = ["login", "--base-url", "http://127.0.0.1:9", "--with-key", "--name", "shop"];
    expect(
      (await runCli(login, { service: service(), home, stdin: "k-1234567890", env: { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined } })).code,
    ).toBe(0);
    const file = join(home, "config", "config.json");
    const settings = JSON.parse(readFileSync(file, "utf8"));
    settings.profiles.shop.withdrawalKey = { kdf: "other" };
    writeFileSync(file, JSON.stringify(settings));
    const damaged = await examine({ service: service(), home, env: { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined } });
    expect([damaged.code, damaged.bad]).toEqual([3, ["withdrawal key"]]);
    settings.profiles.shop.withdrawalKey = await sealKey("k-2345678901", "a long passphrase", { profile: "shop", baseUrl: "http://127.0.0.1:9" });
    writeFileSync(file, JSON.stringify(settings));
    const whole = await examine({ service: service(), home, env: { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined } });
    expect([whole.code, whole.checks.find(({ name }) => name === "withdrawal key")?.ok]).toEqual([0, true]);
  });

  it("never shows the key", async () => {
    const key = "sk_live_0123456789";
    const echo: Service = () => ({ status: 403, headers: { date }, body: { message: `no ${key}` } });
    const { stdout, stderr } = await runCli(["doctor", "--debug"], { service: echo, env: { PAYMENTS_API_KEY: key } });
    expect(stdout + stderr).not.toContain(key);
    expect(stdout + stderr).not.toContain(Buffer.from(key).toString("base64"));
  });

  it("says in words how far the clock is off, and claims nothing about the key to a stranger", async () => {
    const behind = await examine({ service: service({}, { date: new Date(nowMs + 3 * 3_600_000).toUTCString() }) });
    expect(behind.checks.find(({ name }) => name === "clock")?.detail).toBe("3 h behind the service");
    const { checks } = await examine({ service: () => ({ headers: { date }, body: "<html></html>" }) });
    expect(checks.map(({ name }) => name)).not.toContain("key");
  });

  const url = new URL("https://pay.example.com");
  const certificate = { subject: "pay.example.com", issuer: "Test", validFrom: "Jan  1 00:00:00 2026 GMT", validTo: "Mar  5 00:00:00 2026 GMT" };
  const ways: readonly (readonly [Inspection, readonly string[], readonly string[]])[] = [
    [{ address: "192.0.2.1", certificate }, ["proxy", "dns", "connection", "tls"], []],
    [{ proxy: "proxy.example:3128", certificate }, ["proxy", "connection", "tls"], []],
    [{ proxy: "p:1", failure: { reason: "proxy", message: "It refused." } }, ["proxy"], ["proxy"]],
    [{ failure: { reason: "dns", message: "Not found." } }, ["proxy", "dns"], ["dns"]],
    [{ failure: { reason: "refused", message: "Refused." } }, ["proxy", "dns", "connection"], ["connection"]],
    [{ failure: { reason: "timeout", message: "Late." } }, ["proxy", "dns", "connection"], ["connection"]],
    [{ certificate, failure: { reason: "tls", message: "It has expired." } }, ["proxy", "dns", "connection", "tls"], ["tls"]],
  ];
  it.each([
    [{ ...certificate, validTo: "Feb  1 00:00:00 2026 GMT" }, "renewed"],
    [{ ...certificate, validFrom: "Jun  1 00:00:00 2026 GMT", validTo: "Jun  1 00:00:00 2027 GMT" }, "set the clock"],
    [certificate, "another host"],
  ])("what to do about a certificate goes by its dates: %j", (shown, words) => {
    const checks = checkConnection({ certificate: shown, failure: { reason: "tls", message: "It is not valid." } }, url, nowMs);
    expect(checks.at(-1)?.fault?.hint).toContain(words);
  });

  it.each(ways)("tells the way step by step: %j", (seen, names, faults) => {
    const checks = checkConnection(seen, url, nowMs);
    expect([checks.map(({ name }) => name), checks.filter(({ fault }) => fault !== undefined).map(({ name }) => name)]).toEqual([names, faults]);
    if (seen.certificate !== undefined) expect(checks.at(-1)?.detail).toContain("2026-03-05");
  });
});
