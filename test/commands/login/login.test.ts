import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CliOptions, createHome, runCli, type Service } from "../../support/cli.ts";

const url = "https://pay.example";
const key = "live_key_0123456789abcdef";
const answering =
  (status: number, body: unknown = { success: true, providers: [] }): Service =>
  () => ({ status, body });
// The scripted service sets these two variables for other commands; login is about having neither.
const bare = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
const withKey = async (home: string, more: Partial<CliOptions> = {}, ...flags: string[]) =>
  await runCli(["login", "--base-url", url, "--with-key", "--json", "--retries", "0", ...flags], {
    home,
    service: answering(200),
    env: bare,
    stdin: key,
    ...more,
  });
const settings = (home: string): string => readFileSync(join(home, "config", "config.json"), "utf8");

test("a key from standard input is checked, stored and current", async () => {
  const home = createHome();
  const result = await withKey(home, {}, "--name", "shop");
  expect(result.code).toBe(0);
  expect(JSON.parse(result.stdout)).toEqual({ name: "shop", baseUrl: url, mode: "live", current: true, storage: "file", keyHint: "****cdef" });
  expect(result.requests.map(({ method, path, headers }) => [method, path, headers["authorization"]])).toEqual([
    ["GET", "/api/v1/global/providers", `Bearer ${key}`],
  ]);
  const who = await runCli(["whoami", "--json"], { home });
  expect(JSON.parse(who.stdout)).toEqual({ profile: "shop", baseUrl: url, mode: "live", keySource: "keystore", storage: "file", keyHint: "****cdef" });
});

test("K1: nothing is left open to others, also after a file had been made wider", async () => {
  const home = createHome();
  await withKey(home, {}, "--name", "shop");
  const file = join(home, "config", "config.json");
  chmodSync(file, 0o644);
  chmodSync(join(home, "config"), 0o755);
  await runCli(["whoami"], { home });
  expect([statSync(file).mode & 0o777, statSync(join(home, "config")).mode & 0o777]).toEqual([0o600, 0o700]);
});

test("K2: white space, a byte order mark and quotes are trimmed; a line break inside is refused unseen", async () => {
  const home = createHome();
  expect((await withKey(home, { stdin: '\uFEFF "k1"\r\n' })).code).toBe(0);
  const used = await runCli(["login", "--with-key", "--json"], { home, service: answering(200), env: bare, stdin: "k1" });
  expect(used.requests[0]?.headers["authorization"]).toBe("Bearer k1");
  const broken = await withKey(createHome(), { stdin: "first-half\nsecond-half" });
  expect([broken.code, broken.requests.length, broken.stdout]).toEqual([2, 0, ""]);
  expect(broken.stderr).not.toMatch(/first|second|half/);
  expect(broken.stderr).toContain("position 11");
});

test.each([
  [402, 0],
  [403, 0],
])("%i is a key that the service knows: stored", async (status, code) => {
  const home = createHome();
  const result = await runCli(["login", "--base-url", url, "--with-key"], { home, service: answering(status, { message: "no" }), env: bare, stdin: key });
  expect(result.code).toBe(code);
  expect(settings(home)).toContain(key);
  if (status === 403) expect(result.stderr).toContain("403");
});

test.each([
  [401, 3],
  [404, 4],
  [429, 6],
  [500, 10],
  [302, 10],
])("%i stores nothing and ends with %i", async (status, code) => {
  const home = createHome();
  const result = await withKey(home, { service: answering(status, { message: "no" }) });
  expect([result.code, result.stdout]).toEqual([code, ""]);
  expect(result.stderr).not.toContain(key);
  expect(JSON.parse((await runCli(["profile", "list", "--json"], { home })).stdout)).toEqual({ profiles: [] });
});

test("a 200 that is not the service's own answer stores nothing", async () => {
  const home = createHome();
  expect((await withKey(home, { service: answering(200, "<html>hello</html>") })).code).toBe(10);
  expect((await withKey(home, { service: answering(200, { success: false, message: "no" }) })).code).toBe(6);
  expect(JSON.parse((await runCli(["profile", "list", "--json"], { home })).stdout)).toEqual({ profiles: [] });
});

test("on a terminal name, address and key are asked for, wrong ones explained in place", async () => {
  const home = createHome();
  const result = await runCli(["login", "--mode", "sandbox"], {
    home,
    service: answering(200),
    env: bare,
    answers: ["-bad", "", "http://pay.example", url, "", ` ${key}\n`],
  });
  expect(result.code).toBe(0);
  expect(result.prompts).toEqual([
    "Profile name",
    expect.stringContaining("dash"),
    "Profile name",
    "Base URL of the service",
    expect.stringContaining("https"),
    "Base URL of the service",
    "API key",
    expect.stringContaining("empty"),
    "API key",
  ]);
  expect(result.stdout + result.stderr).not.toContain(key);
  expect(JSON.parse((await runCli(["whoami", "--json"], { home })).stdout)).toMatchObject({ profile: "default", mode: "sandbox" });
});

test("on a terminal a key that the service refuses is asked for again in place, three times in all, and none of them is stored", async () => {
  const accepts =
    (right: string): Service =>
    ({ headers }) =>
      headers["authorization"] === `Bearer ${right}` ? { body: { success: true, providers: [] } } : { status: 401, body: { message: "no" } };
  const login = async (home: string, answers: readonly string[]) =>
    await runCli(["login", "--name", "shop", "--base-url", url], { home, service: accepts(key), env: bare, answers });
  const home = createHome();
  const second = await login(home, ["wrong_key_0123456789", key]);
  expect([second.code, second.requests.length]).toEqual([0, 2]);
  expect(second.prompts).toEqual(["API key", expect.stringMatching(/\(401\), and nothing was stored.*pay\.example\?\n {2}API key$/)]);
  expect(settings(home)).not.toContain("wrong_key");
  const never = createHome();
  const third = await login(never, ["wrong_key_1", "wrong_key_2", "wrong_key_3"]);
  expect([third.code, third.requests.length, third.stdout]).toEqual([3, 3, ""]);
  expect(third.stderr).not.toContain("wrong_key");
  expect(JSON.parse((await runCli(["profile", "list", "--json"], { home: never })).stdout)).toEqual({ profiles: [] });
  const elsewhere = await runCli(["login", "--name", "shop", "--base-url", url], { service: answering(404), env: bare, answers: [key] });
  expect([elsewhere.code, elsewhere.requests.length]).toEqual([4, 1]);
});

test.each([
  ["without a terminal and --with-key", ["login", "--base-url", url], "--with-key"],
  ["without an address", ["login", "--with-key"], "--base-url"],
  ["plain http elsewhere", ["login", "--with-key", "--base-url", "http://pay.example"], "https"],
  ["with --sandbox", ["login", "--with-key", "--sandbox"], "--sandbox"],
  ["an unusable name", ["login", "--with-key", "--base-url", url, "--name", "a\u0007b"], "control"],
])("%s it is a usage error that says so", async (_, argv, word) => {
  const result = await runCli(argv, { service: answering(200), env: bare, stdin: key });
  expect([result.code, result.requests.length, result.stdout]).toEqual([2, 0, ""]);
  expect(result.stderr).toContain(word);
});

test("an empty standard input is a missing key", async () => {
  expect((await withKey(createHome(), { stdin: " \n" })).code).toBe(2);
});

test("another login of the same name does not carry what belonged to another address", async () => {
  const home = createHome();
  await withKey(home, {}, "--name", "shop");
  await runCli(["profile", "set", "shop", "--signature", "stripe", "--with-webhook-secret"], { home, stdin: "whsec one\nwhsec two\n" });
  await withKey(home, {}, "--name", "shop");
  expect(settings(home)).toContain("whsec two");
  await runCli(["login", "--base-url", "https://other.example", "--with-key", "--name", "shop"], { home, service: answering(200), env: bare, stdin: key });
  expect(settings(home)).not.toContain("whsec");
});

test("logout forgets keys and secrets and keeps the rest; whoami then is 3", async () => {
  const home = createHome();
  await withKey(home, {}, "--name", "shop", "--mode", "sandbox");
  await runCli(["profile", "set", "shop", "--with-webhook-secret"], { home, stdin: "whsec" });
  const out = await runCli(["logout", "--json"], { home });
  expect(JSON.parse(out.stdout)).toEqual({ name: "shop", baseUrl: url, mode: "sandbox", current: true, storage: "none", keyHint: "" });
  expect(settings(home)).not.toMatch(/live_key|whsec/);
  const who = await runCli(["whoami"], { home });
  expect([who.code, who.stdout]).toEqual([3, ""]);
  expect(who.stderr).toContain("payments-cli login --name shop");
  expect((await runCli(["logout"], { home: createHome() })).code).toBe(3);
});

test("a login again keeps the team's journal and its password, also after a logout", async () => {
  const home = createHome();
  await withKey(home, {}, "--name", "shop");
  const journal = "postgresql://ann@127.0.0.1:9/payments";
  expect((await runCli(["profile", "set", "shop", "--journal-url", journal], { home, env: bare, stdin: "s3cret" })).code).toBe(0);
  const kept = (): unknown => {
    const { journalUrl, journalPassword } = JSON.parse(settings(home)).profiles.shop;
    return [journalUrl, journalPassword];
  };
  expect((await withKey(home, {}, "--name", "shop")).code).toBe(0);
  expect(kept()).toEqual([journal, "s3cret"]);
  expect((await runCli(["logout", "--name", "shop"], { home, env: bare })).code).toBe(0);
  expect((await withKey(home, {}, "--name", "shop")).code).toBe(0);
  expect(kept()).toEqual([journal, "s3cret"]);
});

test("a key of the environment at the profile's address pays through the profile's shared journal, at another address not", async () => {
  const home = createHome();
  await withKey(home, {}, "--name", "shop");
  await runCli(["profile", "set", "shop", "--journal-url", "postgresql://ann@127.0.0.1:9/payments"], { home, env: bare, stdin: "s3cret" });
  const pay = (baseUrl: string) =>
    runCli(["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R-1", "--yes", "--json"], {
      home,
      service: () => ({ body: { transactionId: "T1", status: "QUEUED" } }),
      env: { PAYMENTS_API_KEY: key, PAYMENTS_BASE_URL: baseUrl },
    });
  const here = await pay(`${url.toUpperCase().replace("HTTPS", "https")}/`);
  expect([here.code, here.requests.length]).toEqual([2, 0]);
  expect(here.stderr).toContain("shared journal");
  expect((await pay("https://other.example")).code).toBe(0);
});

test("with settings that cannot be read, a key of the environment reads, and pays nothing: they may name a shared journal", async () => {
  const home = createHome();
  await withKey(home, {}, "--name", "shop");
  writeFileSync(join(home, "config", "config.json"), "{");
  const service: Service = () => ({ body: { transactions: [], total: 0 } });
  expect((await runCli(["tx", "list", "--json"], { home, service })).code).toBe(0);
  const paid = await runCli(["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "R-1", "--yes", "--json"], { home, service });
  expect([paid.code, paid.requests.length]).toEqual([2, 0]);
});
