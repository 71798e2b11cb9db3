import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { registry } from "../../../src/cli/registry.ts";
import { type CliOptions, createHome, runCli, type SeenRequest, type Service } from "../../support/cli.ts";
import { rememberDerivedKeys } from "../../support/derived-keys.ts";
import { withdrawal } from "../../support/withdrawal.ts";

const url = "https://pay.example";
const elsewhere = "https://other.example";
const apiKey = "first_key_0123456789";
const secondKey = "second_key_0123456789";
const passphrase = "correct horse";
const bare = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
const rail = {
  rail: "UG_MOMO",
  country: "UG",
  currencies: ["UGX"],
  collectionFlow: "PUSH",
  minAmount: 500,
  maxAmount: 5_000_000,
  live: true,
  capabilities: { collect: true, disburse: true, disbursementChannels: ["MOBILE_MONEY"] },
};
const paying: Service = ({ method, path }) => {
  if (path.endsWith("/providers")) return { body: { success: true, providers: [rail] } };
  if (method === "POST") return { status: 201, body: { success: true, disbursement: { reference: "GD-1", status: "PROCESSING", amount: 5000, fee: 0 } } };
  return { body: { success: true, wallet: {}, transactions: [], total: 0 } };
};
const run = async (home: string, argv: readonly string[], more: Partial<CliOptions> = {}) =>
  await runCli(argv, { home, service: paying, ...more, env: { ...bare, ...more.env } });
const login = async (home: string, name: string, baseUrl = url, more: Partial<CliOptions> = {}) =>
  await run(home, ["login", "--with-key", "--name", name, "--base-url", baseUrl], { stdin: apiKey, ...more });
const setKey = async (home: string, name = "shop", words: string | Uint8Array = `${secondKey}\n${passphrase}\n`) =>
  await run(home, ["profile", "set", name, "--with-withdrawal-key", "--passphrase-stdin"], { stdin: words });
rememberDerivedKeys();
const prepared = createHome();
beforeAll(async () => {
  expect((await login(prepared, "shop")).code).toBe(0);
  expect((await setKey(prepared)).code).toBe(0);
});
/** A home whose profile shop has an API key and a withdrawal key. */
const withTwoKeys = (): string => {
  const home = createHome();
  cpSync(prepared, home, { recursive: true });
  return home;
};
const withdraw = async (home: string, words: string | Uint8Array, ...flags: readonly string[]) =>
  await run(home, [...withdrawal, "--yes", "--json", "--passphrase-stdin", ...flags], { stdin: words });
const keysOf = (requests: readonly SeenRequest[]): readonly (string | undefined)[] =>
  requests.filter(({ method }) => method === "POST").map(({ headers }) => headers["authorization"]);
const settings = (home: string): string => readFileSync(join(home, "config", "config.json"), "utf8");
type Stored = { profiles: Record<string, { withdrawalKey?: Record<string, unknown> } & Record<string, unknown>> };
const edit = (home: string, change: (stored: Stored) => void): void => {
  const stored = JSON.parse(settings(home)) as Stored;
  change(stored);
  writeFileSync(join(home, "config", "config.json"), JSON.stringify(stored));
};

describe("--passphrase-stdin", () => {
  const disbursements = "/api/v1/global/disbursements";
  const lines: Readonly<Record<string, readonly (readonly string[])[]>> = {
    "global withdraw": [
      [...withdrawal, "--yes"],
      [...withdrawal, "--dry-run"],
    ],
    api: [
      ["api", "POST", disbursements, "--input", "body.json", "--yes"],
      ["api", "GET", "/api/v1/global/wallet"],
    ],
    "journal resume": [
      ["journal", "resume"],
      ["journal", "resume", "--all"],
      ["journal", "resume", "00000000-0000-4000-8000-000000000000", "--mark", "refused"],
    ],
    "approval approve": [["approval", "approve", "00000000-0000-4000-8000-000000000000", "--yes"]],
    "profile set": [["profile", "set", "shop", "--mode", "live"]],
  };
  const accepting = registry.filter(({ spec }) => "passphrase-stdin" in spec.flags).map(({ spec }) => spec.path.join(" "));

  test.each(accepting)("%s without a withdrawal key is a usage error, whatever the key comes from", async (command) => {
    const home = createHome();
    await login(home, "shop");
    writeFileSync(join(home, "body.json"), "{}");
    const environments = [{}, { PAYMENTS_API_KEY: apiKey }, { PAYMENTS_API_KEY: apiKey, PAYMENTS_BASE_URL: url }];
    for (const line of lines[command] ?? expect.fail(`no lines for ${command}`)) {
      for (const env of environments) {
        const argv = [...line.map((word) => (word === "body.json" ? join(home, word) : word)), "--passphrase-stdin", "--json"];
        const { code, stdout, stderr, requests } = await run(home, argv, { stdin: passphrase, env });
        expect({ code, stdout, requests: requests.length }, `${argv.join(" ")} ${JSON.stringify(env)}`).toEqual({ code: 2, stdout: "", requests: 0 });
        expect(JSON.parse(stderr).error).toMatchObject({ kind: "usage", message: expect.stringContaining("--passphrase-stdin") });
      }
    }
  });

  test("is a usage error in the sandbox, which has no withdrawal key", async () => {
    const { code, stdout } = await runCli([...withdrawal, "--yes", "--passphrase-stdin", "--sandbox"], { stdin: passphrase });
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("is a usage error with key and address from the environment, also beside a profile that has a withdrawal key", async () => {
    const home = withTwoKeys();
    const env = { PAYMENTS_API_KEY: apiKey, PAYMENTS_BASE_URL: url };
    const result = await run(home, [...withdrawal, "--yes", "--passphrase-stdin"], { stdin: passphrase, env });
    expect([result.code, result.requests.length]).toEqual([2, 0]);
    expect(result.stderr).toContain("--profile");
  });

  test("is a usage error with a call of api that is no withdrawal", async () => {
    const home = withTwoKeys();
    const result = await run(home, ["api", "GET", "/api/v1/global/wallet", "--passphrase-stdin"], { stdin: passphrase });
    expect([result.code, result.requests.length]).toEqual([2, 0]);
  });
});

describe("a withdrawal key is used", () => {
  test("with the API key of the environment as well, at the profile's address", async () => {
    const home = withTwoKeys();
    const env = { PAYMENTS_API_KEY: "env_key_0123456789" };
    const without = await run(home, [...withdrawal, "--yes"], { env });
    expect([without.code, keysOf(without.requests)]).toEqual([2, []]);
    const given = await run(home, [...withdrawal, "--yes", "--passphrase-stdin"], { env, stdin: passphrase });
    expect([given.code, keysOf(given.requests)]).toEqual([0, [`Bearer ${secondKey}`]]);
  });

  test("after a second login at the same address, and by api and journal resume", async () => {
    const home = withTwoKeys();
    expect((await login(home, "shop", url, { stdin: "renewed_key_0123456789" })).code).toBe(0);
    expect((await run(home, ["profile", "set", "shop", "--mode", "sandbox"])).code).toBe(0);
    const body = { rail: "UG_MOMO", channel: "MOBILE_MONEY", operator: "MTN", payeeMsisdn: "0772000001", amount: 5000, currency: "UGX" };
    writeFileSync(join(home, "body.json"), JSON.stringify(body));
    const api = ["api", "POST", "/api/v1/global/disbursements", "--input", join(home, "body.json"), "--yes", "--retries", "0"];
    const refused = await run(home, api);
    expect([refused.code, keysOf(refused.requests)]).toEqual([2, []]);
    const lost: Service = (request, count) => (request.method === "POST" ? { status: 503, body: {} } : paying(request, count));
    const unknown = await run(home, [...api, "--passphrase-stdin"], { stdin: passphrase, service: lost });
    expect([unknown.code, keysOf(unknown.requests)]).toEqual([9, [`Bearer ${secondKey}`]]);
    const [attempt] = JSON.parse((await run(home, ["journal", "list", "--json"])).stdout).attempts;
    const bare = await run(home, ["journal", "resume", attempt.id, "--yes"]);
    expect([bare.code, keysOf(bare.requests)]).toEqual([2, []]);
    const settled = await run(home, ["journal", "resume", attempt.id, "--yes", "--passphrase-stdin"], { stdin: passphrase });
    expect([settled.code, keysOf(settled.requests)]).toEqual([0, [`Bearer ${secondKey}`]]);
  });
});

describe("a withdrawal key is never dropped without a question", () => {
  type Step = (home: string, more?: Partial<CliOptions>) => ReturnType<typeof run>;
  const dropping: readonly (readonly [string, Step])[] = [
    ["a login of the same name at another address", async (home, more) => await login(home, "shop", elsewhere, more)],
    [
      "a login after the profile moved away",
      async (home, more) => {
        await run(home, ["profile", "set", "shop", "--base-url", elsewhere]);
        return await login(home, "shop", elsewhere, more);
      },
    ],
    ["logout", async (home, more) => await run(home, ["logout"], more)],
    ["profile remove", async (home, more) => await run(home, ["profile", "remove", "shop"], more)],
  ];

  test.each(dropping)("%s refuses without a terminal, says what to do and changes nothing", async (_, step) => {
    const home = withTwoKeys();
    const { withdrawalKey } = (JSON.parse(settings(home)) as Stored).profiles["shop"] ?? {};
    const result = await step(home);
    expect([result.code, result.stdout, result.requests.length]).toEqual([2, "", 0]);
    expect(result.stderr).toMatch(/withdrawal key[\s\S]*payments-cli (logout|profile remove)/);
    const after = (JSON.parse(settings(home)) as Stored).profiles["shop"];
    expect(after).toMatchObject({ withdrawalKey, apiKey });
  });

  test.each(dropping)("%s asks on a terminal; no leaves it", async (_, step) => {
    const home = withTwoKeys();
    const result = await step(home, { answers: [false] });
    expect([result.code, result.stdout]).toEqual([130, ""]);
    expect(result.prompts).toEqual([expect.stringContaining("withdrawal key")]);
    expect(settings(home)).toContain("scrypt");
  });

  test.each(dropping)("%s asks on a terminal; yes drops it", async (title, step) => {
    const home = withTwoKeys();
    const result = await step(home, { answers: title.startsWith("a login") ? [true, apiKey] : [true] });
    expect(result.code).toBe(0);
    expect(settings(home)).not.toContain("scrypt");
  });

  test.each([[["logout"]], [["profile", "remove", "shop"]]])("%s names --yes as the answer, which a login does not take", async (argv) => {
    const home = withTwoKeys();
    const refused = await run(home, ["login", "--with-key", "--name", "shop", "--base-url", elsewhere, "--yes"], { stdin: apiKey });
    expect([refused.code, refused.requests.length]).toEqual([2, 0]);
    const { error } = JSON.parse((await run(home, [...argv, "--json"])).stderr);
    expect((await run(home, error.command)).code).toBe(0);
    expect(settings(home)).not.toContain("scrypt");
  });

  test("a profile that moves keeps it, unused until it comes back", async () => {
    const home = withTwoKeys();
    expect((await run(home, ["profile", "set", "shop", "--base-url", elsewhere])).code).toBe(0);
    const away = await run(home, [...withdrawal, "--yes", "--passphrase-stdin"], { stdin: passphrase, env: { PAYMENTS_API_KEY: "env_key_0123456789" } });
    expect([away.code, keysOf(away.requests)]).toEqual([3, []]);
    expect(away.stderr).toContain(url);
    expect((await run(home, ["profile", "set", "shop", "--base-url", url])).code).toBe(0);
    expect(keysOf((await withdraw(home, passphrase)).requests)).toEqual([`Bearer ${secondKey}`]);
  });

  test("one that appears while a login is under way stops that login", async () => {
    const home = createHome();
    await login(home, "shop");
    const meanwhile: Service = async (request, count) => {
      expect((await setKey(home)).code).toBe(0);
      return await paying(request, count);
    };
    expect((await login(home, "shop", elsewhere, { service: meanwhile })).code).toBe(2);
    expect(settings(home)).toContain("scrypt");
    expect(settings(home)).not.toContain(elsewhere);
  });

  test("the sandbox's own profile does not replace a profile that has one", async () => {
    const home = createHome();
    await run(home, ["profile", "set", "sandbox", "--base-url", url, "--mode", "sandbox"]);
    await setKey(home, "sandbox");
    const ended = AbortSignal.abort();
    await run(home, ["sandbox", "--ephemeral", "--port", "0"], { signal: ended });
    expect(settings(home)).toContain("scrypt");
  });

  test("nor a profile of that name that belongs to another service", async () => {
    const home = createHome();
    await run(home, ["login", "--with-key", "--name", "sandbox", "--mode", "sandbox", "--base-url", url], { stdin: apiKey });
    const result = await run(home, ["sandbox", "--ephemeral", "--port", "0"], { signal: AbortSignal.abort() });
    expect(result.stderr).toContain("The profile sandbox was not written");
    expect(settings(home)).toContain(apiKey);
  });
});

describe("the sealed record belongs to its profile and address", () => {
  test("copied to another profile, or to another address by hand, it does not open", async () => {
    const home = withTwoKeys();
    await login(home, "other");
    await setKey(home, "other", `third_key_0123456789\n${passphrase}\n`);
    edit(home, ({ profiles }) => {
      const [shop, other] = [profiles["shop"] ?? expect.fail(), profiles["other"] ?? expect.fail()];
      other.withdrawalKey = { ...shop.withdrawalKey };
    });
    const copied = await withdraw(home, passphrase, "--profile", "other");
    expect([copied.code, keysOf(copied.requests)]).toEqual([3, []]);
    edit(home, ({ profiles }) => {
      const text = JSON.stringify(profiles["shop"]).replaceAll(url, elsewhere);
      profiles["shop"] = JSON.parse(text) as Stored["profiles"][string];
    });
    const moved = await withdraw(home, passphrase, "--profile", "shop");
    expect([moved.code, keysOf(moved.requests)]).toEqual([3, []]);
  });

  const hostile: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ["a cost that would fill the memory", { N: 2 ** 20, r: 16 }],
    ["a cost that would take for ever", { p: 16, N: 2 ** 20 }],
    ["a cost that a guess costs nothing", { N: 2, r: 1, p: 1 }],
    ["a cost that is no number", { N: "65536" }],
    ["no salt", { salt: "" }],
    ["a short tag", { tag: "AAAA" }],
    ["another cipher", { cipher: "aes-256-ctr" }],
    ["no version, as an earlier program wrote it", { version: undefined }],
    ["data without end", { data: "A".repeat(100_000) }],
  ];
  test.each(hostile)("%s is refused before a passphrase is tried", async (_, change) => {
    const home = withTwoKeys();
    edit(home, ({ profiles }) => {
      const shop = profiles["shop"] ?? expect.fail();
      shop.withdrawalKey = { ...shop.withdrawalKey, ...change };
    });
    const { code, stderr, requests } = await withdraw(home, passphrase);
    expect([code, keysOf(requests)]).toEqual([3, []]);
    expect(JSON.parse(stderr).error).toMatchObject({ kind: "config", hint: expect.stringContaining("--with-withdrawal-key") });
  });
});

describe("the passphrase", () => {
  const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le"));
  const bigEndian = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le").swap16());
  type Words = string | Uint8Array;
  const opened: readonly (readonly [string, Words, readonly Words[], readonly Words[]])[] = [
    [
      "R2-59: in NFC or NFD it is the same, and one line end is cut",
      `${secondKey}\ncaf\u00e9 du port`,
      [
        "caf\u00e9 du port",
        "cafe\u0301 du port",
        "cafe\u0301 du port\r\n",
        "caf\u00e9 du port\n",
        utf16("caf\u00e9 du port\r\n"),
        bigEndian("caf\u00e9 du port"),
      ],
      ["caf\u00e9 du port ", "cafe du port", "caf\u00e9 du port\n\n", "caf\u00e9 du port\nmore", "", Buffer.from("caf\u00e9 du port", "latin1")],
    ],
    ["R2-59: a ligature is a text of its own", utf16(`${secondKey}\r\n\ufb01 office x\r\n`), ["\ufb01 office x"], ["fi office x", "\ufb01 office x "]],
  ];
  test.each(opened)("%s", async (_, set, same, others) => {
    const home = createHome();
    await login(home, "shop");
    expect((await setKey(home, "shop", set)).code).toBe(0);
    for (const words of others) {
      const { code, stdout, requests } = await withdraw(home, words);
      expect([[2, 3].includes(code), stdout, keysOf(requests)], JSON.stringify(words)).toEqual([true, "", []]);
    }
    for (const words of same) {
      const { code, requests } = await withdraw(home, words, "--allow-duplicate");
      expect([code, keysOf(requests)], JSON.stringify(words)).toEqual([0, [`Bearer ${secondKey}`]]);
    }
  });

  test.each([
    ["too short", "seven 7"],
    ["too short once composed", "e\u0301e\u0301e\u0301e\u0301e"],
    ["blank", "            "],
    ["two lines", "correct horse\nbattery"],
    ["UTF-16 without its mark", Buffer.from("correct horse", "utf16le").toString("latin1")],
  ])("that is %s is refused when it is set", async (_, words) => {
    const home = createHome();
    await login(home, "shop");
    const piped = await setKey(home, "shop", `${secondKey}\n${words}`);
    expect([piped.code, settings(home).includes("scrypt")]).toEqual([2, false]);
    const typed = await run(home, ["profile", "set", "shop", "--with-withdrawal-key"], { answers: [secondKey, words, { interrupt: true }] });
    expect([typed.code, settings(home).includes("scrypt")]).toEqual([130, false]);
  });

  test("needs an address to be bound to", async () => {
    const home = createHome();
    await run(home, ["profile", "set", "shop", "--mode", "live"]);
    const result = await setKey(home);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("--base-url");
  });
});
