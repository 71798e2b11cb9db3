import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keychain } from "../../../src/accounts/keychain.ts";
import { createHome, runCli, type Service } from "../../support/cli.ts";

const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const isHere = ["gnome-keyring-daemon", "dbus-daemon", "dbus-send"].every(has);
const bus = "DBUS_SESSION_BUS_ADDRESS";
const key = "live_key_0123456789abcdef";
const providers: Service = () => ({ body: { success: true, providers: [] } });
const bare = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
const login = async (home: string, ...flags: string[]) =>
  await runCli(["login", "--with-key", "--base-url", "https://pay.example", "--keychain", "--name", "my shop", ...flags], {
    home,
    service: providers,
    env: bare,
    stdin: key,
  });

let started: ChildProcess[] = [];
const before = process.env[bus];
afterEach(() => {
  for (const child of started) child.kill("SIGKILL");
  started = [];
  if (before === undefined) delete process.env[bus];
  else process.env[bus] = before;
});
beforeEach(() => {
  process.env[bus] = "unix:path=/nonexistent/bus";
});

const hasService = (): boolean => {
  // Asked of the bus: asking the service itself would make the bus start a second, locked one.
  const question = ["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"];
  return spawnSync("dbus-send", question, { encoding: "utf8", timeout: 3000 }).stdout.includes("true");
};
const until = async (what: string, isSo: () => boolean): Promise<void> => {
  const deadlineMs = performance.now() + 10_000;
  while (!isSo()) {
    if (performance.now() > deadlineMs) throw new Error(`Waited too long: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const startKeyring = async (folder: string): Promise<ChildProcess> => {
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_RUNTIME_DIR: folder };
  const keyring = spawn("gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], { env, stdio: ["pipe", "ignore", "ignore"] });
  started.push(keyring);
  keyring.stdin.end("pass");
  await until("for the secret service", hasService);
  return keyring;
};
/** A message bus and GNOME's keyring of this test's own, unlocked, with nothing in it. */
const startSecretService = async (): Promise<{ readonly address: string; lock(): void; unlock(): Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), "keyring-"));
  const daemon = spawn("dbus-daemon", ["--session", "--nofork", "--print-address"], { stdio: ["ignore", "pipe", "ignore"] });
  started.push(daemon);
  const address = await new Promise<string>((resolve) => daemon.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8").trim())));
  process.env[bus] = address;
  let keyring = await startKeyring(folder);
  const login = "array:objpath:/org/freedesktop/secrets/collection/login";
  return {
    address,
    lock: () => {
      const args = ["--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock", login];
      expect(spawnSync("dbus-send", args).status).toBe(0);
    },
    unlock: async () => {
      keyring.kill("SIGKILL");
      await until("for the secret service to end", () => !hasService());
      keyring = await startKeyring(folder);
    },
  };
};
/** What the service holds for this program, as another library reads it, in a process of its own. */
const held = (): readonly { readonly account: string; readonly password: string }[] => {
  const asked = spawnSync(process.execPath, ["-p", 'JSON.stringify(require("@napi-rs/keyring").findCredentials("payments-cli"))'], { encoding: "utf8" });
  return JSON.parse(asked.stdout) as { account: string; password: string }[];
};
/** A bus in front of another, which hands on everything but the answers to a client that has sent `word`. */
const startDeafBus = (address: string, word: string): Server => {
  const path = /path=([^,]+)/.exec(address)?.[1] ?? expect.fail(address);
  const own = join(createHome(), "bus");
  process.env[bus] = `unix:path=${own}`;
  return createServer((client) => {
    let deaf = false;
    const real = createConnection(path);
    client.on("data", (chunk) => {
      deaf ||= chunk.includes(word);
      real.write(chunk);
    });
    real.on("data", (chunk) => (deaf ? undefined : client.write(chunk)));
    for (const [one, other] of [[client, real] as const, [real, client] as const]) one.on("error", () => undefined).on("close", () => other.destroy());
  }).listen(own);
};

test("where it is required, the secret service is installed", () => {
  if (process.env["REQUIRE_SECRET_SERVICE"] === "1") expect(isHere).toBe(true);
});

test.skipIf(!isHere)("a key goes to the secret service and nowhere else, is used from there, and is removed from there", async () => {
  await startSecretService();
  const home = createHome();
  const result = await login(home, "--json");
  expect([result.code, result.stderr]).toEqual([0, ""]);
  expect(JSON.parse(result.stdout)).toMatchObject({ storage: "keychain", keyHint: "****cdef" });
  expect(readFileSync(join(home, "config", "config.json"), "utf8")).not.toContain(key);
  expect(held().map(({ password }) => password)).toEqual([key]);
  const wallet: Service = () => ({ body: { success: true, wallet: { balance: 1, currency: "KES" }, b2cStats: {}, transactions: [] } });
  const used = await runCli(["wallet", "--json"], { home, service: wallet, env: bare });
  expect([used.code, used.requests[0]?.headers["authorization"]]).toEqual([0, `Bearer ${key}`]);
  expect((await runCli(["doctor"], { home, service: providers, env: bare })).stdout).toMatch(/^keychain +ok: gives the key/m);
  // A new login replaces the entry, and logout leaves none.
  await login(home);
  expect(held().length).toBe(1);
  // It stays in the keychain if nobody says anything of it.
  const again = await runCli(["login", "--with-key", "--name", "my shop", "--json"], { home, service: providers, env: bare, stdin: key });
  expect([JSON.parse(again.stdout).storage, held().length]).toEqual(["keychain", 1]);
  expect((await runCli(["logout"], { home })).code).toBe(0);
  expect(held()).toEqual([]);
});

test.skipIf(!isHere)("an entry that something else removed gets an error that says so", async () => {
  await startSecretService();
  const home = createHome();
  await login(home);
  for (const { account } of held()) await keychain.remove(account);
  expect(held()).toEqual([]);
  const result = await runCli(["wallet"], { home, service: providers, env: bare });
  expect([result.code, result.requests.length]).toEqual([3, 0]);
  expect(result.stderr).toContain("payments-cli login --name 'my shop' --keychain");
  const doctor = await runCli(["doctor", "--json"], { home, service: providers, env: bare });
  expect([doctor.code, doctor.stdout]).toEqual([3, expect.stringMatching(/"name": "keychain",\s+"ok": false[^}]+"hint"/)]);
});

test.skipIf(!isHere)("an entry has the attributes of earlier versions, so that one is read by the other", async () => {
  await startSecretService();
  await keychain.write("my shop 1", key);
  const attributes = "dict:string:string:service,payments-cli,username,my shop 1";
  const args = ["--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.SearchItems"];
  expect(spawnSync("dbus-send", [...args, attributes], { encoding: "utf8" }).stdout).toContain("/org/freedesktop/secrets/collection/login/1");
  expect(await keychain.read("my shop 1")).toBe(key);
});

test.skipIf(!isHere).each([[["logout"]], [["profile", "remove", "my shop"]]])(
  "%s with a locked keychain claims nothing, keeps the profile, and works once it is unlocked",
  async (argv) => {
    const { lock, unlock } = await startSecretService();
    const home = createHome();
    await login(home);
    lock();
    const refused = await runCli([...argv, "--json"], { home });
    expect([refused.code, refused.stdout]).toEqual([3, ""]);
    expect(JSON.parse(refused.stderr).error).toMatchObject({ kind: "config", message: expect.stringMatching(/entry "my shop [-0-9a-f]+"/) });
    expect(JSON.parse((await runCli(["profile", "list", "--json"], { home })).stdout)).toMatchObject({ profiles: [{ name: "my shop", storage: "keychain" }] });
    await unlock();
    expect(held().map(({ password }) => password)).toEqual([key]);
    expect((await runCli(argv, { home })).code).toBe(0);
    expect(held()).toEqual([]);
  },
);

test.skipIf(!isHere)("a locked keychain stores nothing and says so", async () => {
  const { lock, unlock } = await startSecretService();
  const home = createHome();
  lock();
  const result = await login(home);
  expect([result.code, result.stdout, readdirSync(home)]).toEqual([2, "", []]);
  expect(result.stderr).toContain("Nothing was stored.");
  await unlock();
  expect(held()).toEqual([]);
});

test.skipIf(!isHere)("a profile that cannot be written leaves no entry", async () => {
  await startSecretService();
  const home = createHome();
  writeFileSync(join(home, "config"), "in the way");
  expect((await login(home)).code).toBe(2);
  expect(held()).toEqual([]);
});

test.skipIf(!isHere)("a keychain that is given up on after it was asked to store a key may hold it: that is said, with the entry's name", async () => {
  const { address } = await startSecretService();
  const home = createHome();
  const server = startDeafBus(address, "CreateItem");
  try {
    const result = await login(home, "--json");
    process.env[bus] = address;
    const [entry] = held();
    expect([result.code, result.stdout, entry?.password, readdirSync(home)]).toEqual([10, "", key, []]);
    const { message } = JSON.parse(result.stderr).error as { message: string };
    expect(message).toContain(entry?.account);
    expect(message).not.toMatch(/Nothing was stored|live_key/);
  } finally {
    server.close();
  }
});

test("without a secret service login says so and stores nothing", async () => {
  const home = createHome();
  const result = await login(home);
  expect([result.code, result.stdout]).toEqual([2, ""]);
  expect(result.stderr).toMatch(/keychain[\s\S]*Nothing was stored/);
  expect(result.stderr).not.toContain(key);
  expect(readdirSync(home)).toEqual([]);
  // Never the kernel's keyring, which forgets.
  if (existsSync("/proc/keys")) expect(readFileSync("/proc/keys", "utf8")).not.toContain("payments-cli");
});

test("a secret service that does not answer is given up on after 3 seconds", async () => {
  const path = join(createHome(), "bus");
  const server = createServer(() => undefined).listen(path);
  process.env[bus] = `unix:path=${path}`;
  try {
    const startedMs = performance.now();
    await Promise.all([
      expect(keychain.write("entry", key)).rejects.toMatchObject({ kind: "unavailable" }),
      expect(keychain.read("entry")).rejects.toMatchObject({ kind: "config" }),
      expect(keychain.remove("entry")).rejects.toMatchObject({ kind: "config" }),
    ]);
    // The bus itself would give up after 25 seconds.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  } finally {
    server.close();
  }
});
