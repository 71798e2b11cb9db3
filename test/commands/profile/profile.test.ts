import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const wallet: Service = () => ({ body: { success: true, wallet: { balance: 1 }, b2cStats: {}, transactions: [] } });
const providers: Service = () => ({ body: { success: true, providers: [] } });
const bare = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
const login = async (home: string, name: string, url = "https://pay.example", key = `key_of_${name}_0123456789`) => {
  const result = await runCli(["login", "--with-key", "--name", name, "--base-url", url], { home, service: providers, env: bare, stdin: key });
  expect(result.stderr).toBe("");
};
const whoami = async (home: string, env: Record<string, string> = {}, ...flags: string[]) => {
  const result = await runCli(["whoami", "--json", ...flags], { home, env });
  return { ...result, json: result.code === 0 ? (JSON.parse(result.stdout) as Record<string, unknown>) : {} };
};

test("set, list, use and remove", async () => {
  const home = createHome();
  expect((await runCli(["profile", "list"], { home })).stdout).toContain("payments-cli login");
  await runCli(["profile", "set", "a", "--base-url", "https://A.example/pay/", "--mode", "sandbox"], { home });
  await login(home, "b");
  const list = JSON.parse((await runCli(["profile", "list", "--json"], { home })).stdout) as unknown;
  expect(list).toEqual({
    profiles: [
      { name: "a", baseUrl: "https://a.example/pay", mode: "sandbox", current: false, storage: "none", keyHint: "" },
      { name: "b", baseUrl: "https://pay.example", mode: "live", current: true, storage: "file", keyHint: "****6789" },
    ],
  });
  expect((await runCli(["profile", "list"], { home })).stdout).toMatch(/\* +b/);
  expect((await runCli(["profile", "use", "a"], { home })).code).toBe(0);
  const unknown = await runCli(["profile", "use", "c"], { home });
  expect([unknown.code, unknown.stdout]).toEqual([3, ""]);
  expect(unknown.stderr).toContain('"a", "b"');
  expect((await runCli(["profile", "remove", "b"], { home })).code).toBe(0);
  expect((await runCli(["profile", "remove", "b"], { home })).code).toBe(3);
  expect(readFileSync(join(home, "config", "config.json"), "utf8")).not.toContain("key_of_b");
});

test("--sandbox means no profile: none is changed, and its key stays", async () => {
  const home = createHome();
  await login(home, "a");
  await login(home, "b");
  for (const words of [["logout"], ["profile", "use", "a"], ["profile", "remove", "a"], ["profile", "set", "a", "--mode", "sandbox"]]) {
    const { code, stdout } = await runCli([...words, "--sandbox", "--json"], { home });
    expect([words[0], code, stdout]).toEqual([words[0], 2, ""]);
  }
  const { profiles } = JSON.parse((await runCli(["profile", "list", "--json"], { home })).stdout);
  expect(profiles.map(({ name, current, storage, mode }: Record<string, unknown>) => [name, current, storage, mode])).toEqual([
    ["a", false, "file", "live"],
    ["b", true, "file", "live"],
  ]);
});

test.each(["sk_live_0123456789abcdef", "0123456789abcdef0123456789ABCDEF", "https://pay.example"])(
  "%s was pasted for a name: it is neither stored nor shown",
  async (name) => {
    const home = createHome();
    const { code, stdout, stderr } = await runCli(["login", "--with-key", "--name", name, "--base-url", "https://pay.example"], {
      home,
      service: providers,
      env: bare,
      stdin: "key_0123456789",
    });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).not.toContain(name);
  },
);

test("a logout without a key says that there was none", async () => {
  const home = createHome();
  await login(home, "a");
  const said = async () => (await runCli(["logout"], { home })).stdout;
  expect(await said()).toContain("deleted");
  expect(await said()).not.toContain("deleted");
});

test("K4: the flag goes before the variable, and a key from the environment before the profile's", async () => {
  const home = createHome();
  await login(home, "a");
  await login(home, "b");
  expect((await whoami(home, { PAYMENTS_PROFILE: "a" }, "--profile", "b")).json["profile"]).toBe("b");
  expect((await whoami(home, { PAYMENTS_PROFILE: "a" })).json["profile"]).toBe("a");
  expect((await whoami(home, { PAYMENTS_PROFILE: "a", PAYMENTS_API_KEY: "env_key_0123456789" })).json).toEqual({
    profile: "a",
    baseUrl: "https://pay.example",
    mode: "live",
    keySource: "env",
    storage: "none",
    keyHint: "****6789",
  });
});

test("an explicit --profile beats key and address of the environment, with a note", async () => {
  const home = createHome();
  await login(home, "a");
  const result = await runCli(["whoami", "--profile", "a"], {
    home,
    env: { PAYMENTS_API_KEY: "env_key_0123456789", PAYMENTS_BASE_URL: "https://other.example" },
  });
  expect(result.stdout).toContain("https://pay.example");
  expect(result.stderr).toContain("PAYMENTS_API_KEY and PAYMENTS_BASE_URL are not used");
});

test("key and address of the environment need no profile, and no readable settings file (K6)", async () => {
  const home = createHome();
  await mkdir(join(home, "config"));
  const path = join(home, "config", "config.json");
  writeFileSync(path, '{"version":1,"profiles":{"shop":{"apiKey":"sec');
  const list = await runCli(["profile", "list"], { home });
  expect([list.code, list.stdout]).toEqual([2, ""]);
  expect(list.stderr).toContain(path);
  const env = { PAYMENTS_API_KEY: "env_key_0123456789", PAYMENTS_BASE_URL: "https://pay.example/" };
  expect((await whoami(home, env)).json).toMatchObject({
    profile: "environment",
    baseUrl: "https://pay.example",
    mode: "live",
    keySource: "env",
    storage: "none",
  });
  expect((await whoami(home)).code).toBe(2);
  expect(readFileSync(path, "utf8")).toBe('{"version":1,"profiles":{"shop":{"apiKey":"sec');
});

test("a stored key is not sent to another address, however that is given", async () => {
  const home = createHome();
  await login(home, "a", "https://pay.example/v/");
  for (const [env, flags] of [
    [{ PAYMENTS_BASE_URL: "https://evil.example" }, []],
    [{}, ["--base-url", "https://evil.example"]],
    [{}, ["--base-url", "https://pay.example"]],
    [{ PAYMENTS_API_KEY: "env_key_0123456789" }, ["--profile", "a", "--base-url", "https://evil.example"]],
  ] as const) {
    const result = await whoami(home, { ...env }, ...flags);
    expect(result.code).toBe(3);
    expect(result.stderr).toContain("PAYMENTS_API_KEY");
  }
  expect((await whoami(home, { PAYMENTS_BASE_URL: "HTTPS://PAY.example:443/v" })).json["baseUrl"]).toBe("https://pay.example/v");
  const moved = await runCli(["profile", "set", "a", "--base-url", "https://evil.example"], { home });
  expect(moved.code).toBe(0);
  expect(moved.stderr).toContain("payments-cli login --name a --base-url https://evil.example");
  const away = await whoami(home, {}, "--profile", "a");
  expect(away.code).toBe(3);
  expect(away.stderr).toContain("is not sent to https://evil.example");
  const asked = await runCli(["wallet", "--profile", "a"], { home, service: () => ({ body: {} }) });
  expect([asked.code, asked.requests.length]).toEqual([3, 0]);
  await runCli(["profile", "set", "a", "--base-url", "https://pay.example/v"], { home });
  expect((await whoami(home, {}, "--profile", "a")).code).toBe(0);
});

test("without a profile and a key: 3, naming login and --sandbox", async () => {
  const result = await runCli(["whoami"]);
  expect([result.code, result.stdout]).toEqual([3, ""]);
  expect(result.stderr).toContain("payments-cli login");
  expect(result.stderr).toContain("--sandbox");
  expect((await whoami(createHome(), { PAYMENTS_API_KEY: "k" })).stderr).toContain("PAYMENTS_BASE_URL");
  expect((await whoami(createHome(), { PAYMENTS_BASE_URL: "https://pay.example" })).stderr).toContain("PAYMENTS_API_KEY");
});

test("an unknown profile is 3 with the names there are", async () => {
  const home = createHome();
  await login(home, "a");
  const result = await whoami(home, {}, "--profile", "b");
  expect(result.code).toBe(3);
  expect(result.stderr).toContain('"a\\"');
});

test("K3: a key from the environment with an en dash is refused before any request, unseen", async () => {
  const result = await runCli(["whoami"], { service: wallet, env: { PAYMENTS_API_KEY: "k–1secret" } });
  expect([result.code, result.requests.length]).toEqual([2, 0]);
  expect(result.stderr).toContain("position 2");
  expect(result.stderr).not.toContain("secret");
});

test.each([
  ["--profile", "a"],
  ["--base-url", "https://pay.example"],
])("--sandbox with %s is a usage error", async (...flag) => {
  expect((await whoami(createHome(), {}, "--sandbox", ...flag)).code).toBe(2);
});

test("webhook secrets come from standard input and are never shown", async () => {
  const home = createHome();
  await login(home, "a");
  const result = await runCli(["profile", "set", "a", "--signature", "hmac-sha256-hex", "--signature-header", "X-Sig", "--with-webhook-secret", "--json"], {
    home,
    stdin: "a secret with spaces\r\nsecond_secret\r\n",
  });
  expect(result.code).toBe(0);
  expect(result.stdout).not.toContain("second");
  const stored = JSON.parse(readFileSync(join(home, "config", "config.json"), "utf8")) as unknown;
  expect(stored).toMatchObject({
    profiles: { a: { signature: { scheme: "hmac-sha256-hex", header: "X-Sig" }, webhookSecrets: ["a secret with spaces", "second_secret"] } },
  });
});

test.each([
  ["nothing to set", ["a"], ""],
  ["both secrets", ["a", "--with-webhook-secret", "--with-withdrawal-key"], "x\ny"],
  ["an empty secret", ["a", "--with-webhook-secret"], " \n"],
  ["a secret for no profile", ["nobody", "--with-webhook-secret"], "x"],
  ["a scheme there is not", ["a", "--signature", "md5"], ""],
  ["a header that is none", ["a", "--signature-header", "X Sig"], ""],
  ["a key without a passphrase", ["a", "--with-withdrawal-key"], "second_key_0123456789\n"],
  ["no name", [""], ""],
  ["a name of 300 characters", ["x".repeat(300), "--mode", "live"], ""],
])("profile set with %s is 2 and changes nothing", async (_, words, stdin) => {
  const home = createHome();
  await login(home, "a");
  const before = readFileSync(join(home, "config", "config.json"), "utf8");
  const result = await runCli(["profile", "set", ...words], { home, stdin });
  expect([result.code, result.stdout]).toEqual([2, ""]);
  expect(readFileSync(join(home, "config", "config.json"), "utf8")).toBe(before);
});

test("a withdrawal key is asked for with its passphrase twice, and kept under it", async () => {
  const home = createHome();
  await login(home, "a");
  const asked = ["second_key_0123456789", "correct horse battery", "correct horse battery"];
  expect((await runCli(["profile", "set", "a", "--with-withdrawal-key"], { home, answers: asked })).code).toBe(0);
  const text = readFileSync(join(home, "config", "config.json"), "utf8");
  expect(text).not.toMatch(/second_key|correct horse/);
  expect(JSON.parse(text)).toMatchObject({ profiles: { a: { withdrawalKey: { kdf: "scrypt", cipher: "aes-256-gcm" } } } });
  const differ = await runCli(["profile", "set", "a", "--with-withdrawal-key"], {
    home,
    answers: ["other_key_0123456789", "one passphrase", "another one", { interrupt: true }],
  });
  expect(differ.code).toBe(130);
  expect(readFileSync(join(home, "config", "config.json"), "utf8")).toBe(text);
  const piped = await runCli(["profile", "set", "a", "--with-withdrawal-key", "--passphrase-stdin"], {
    home,
    stdin: "third_key_0123456789\ncorrect horse battery\n",
  });
  expect(piped.code).toBe(0);
});

test("a journal's password is piped in beside its URL or later, is never in the URL, and is never shown", async () => {
  const home = createHome();
  const stored = () => readFileSync(join(home, "config", "config.json"), "utf8");
  const set = (words: readonly string[], stdin?: string) =>
    runCli(["profile", "set", "a", ...words], { home, env: bare, ...(stdin === undefined ? {} : { stdin }) });
  const url = "postgresql://ann@127.0.0.1:9/payments";
  for (const withPassword of ["postgresql://ann:s3cret@127.0.0.1/payments", `${url}?password=s3cret`]) {
    const refused = await set(["--base-url", "https://pay.example", "--journal-url", withPassword]);
    expect([refused.code, refused.stderr.includes("s3cret")]).toEqual([2, false]);
  }
  expect((await set(["--base-url", "https://pay.example", "--journal-url", url])).code).toBe(0);
  expect(stored()).not.toContain("journalPassword");
  const piped = await set(["--journal-url", url], "s3cret one\n");
  expect([piped.code, piped.stdout.includes("s3cret")]).toEqual([0, false]);
  expect(stored()).toContain('"s3cret one"');
  expect((await set(["--with-journal-password"], "s3cret two")).code).toBe(0);
  expect(stored()).toContain('"s3cret two"');
  // A new URL without a password keeps the one there is.
  await set(["--journal-url", url], "");
  expect(stored()).toContain('"s3cret two"');
});

test.each([["remove"], ["logout"]])("%s of a profile that is not there is 3, names those that are, and offers no login", async (command) => {
  const home = createHome();
  const words = command === "logout" ? ["logout", "--name", "nobody"] : ["profile", "remove", "nobody"];
  const errorOf = async () => JSON.parse((await runCli([...words, "--json"], { home })).stderr).error;
  expect(await errorOf()).toMatchObject({ kind: "config", sent: "no" });
  expect(await errorOf()).not.toHaveProperty("command");
  await runCli(["profile", "set", "shop", "--base-url", "https://pay.example"], { home });
  const { hint, command: remedy } = await errorOf();
  expect([hint, remedy]).toEqual([expect.stringContaining("shop"), undefined]);
});
