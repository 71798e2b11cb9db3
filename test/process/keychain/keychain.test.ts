import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createKeychain } from "../../../src/store/keychain.ts";
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

/** A message bus and GNOME's keyring of this test's own, unlocked, with nothing in it. */
const startSecretService = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "keyring-"));
  const daemon = spawn("dbus-daemon", ["--session", "--nofork", "--print-address"], { stdio: ["ignore", "pipe", "ignore"] });
  started.push(daemon);
  const address = await new Promise<string>((resolve) => daemon.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8").trim())));
  process.env[bus] = address;
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_RUNTIME_DIR: folder };
  const keyring = spawn("gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], { env, stdio: ["pipe", "ignore", "ignore"] });
  started.push(keyring);
  keyring.stdin.end("pass");
  const deadlineMs = performance.now() + 10_000;
  // Asked of the bus: asking the service itself would make the bus start a second, locked one.
  const question = ["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"];
  const isUp = (): boolean => spawnSync("dbus-send", question, { env, encoding: "utf8", timeout: 3000 }).stdout.includes("true");
  while (!isUp()) {
    if (performance.now() > deadlineMs) throw new Error("The secret service did not start.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
/** What the service holds for this program, as another library reads it, in a process of its own. */
const held = (): readonly { readonly account: string; readonly password: string }[] => {
  const asked = spawnSync(process.execPath, ["-p", 'JSON.stringify(require("@napi-rs/keyring").findCredentials("payments-cli"))'], { encoding: "utf8" });
  return JSON.parse(asked.stdout) as { account: string; password: string }[];
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
  expect((await runCli(["logout"], { home })).code).toBe(0);
  expect(held()).toEqual([]);
});

test.skipIf(!isHere)("an entry removed by other means is told", async () => {
  await startSecretService();
  const home = createHome();
  await login(home);
  for (const { account } of held()) expect(await createKeychain().remove(account)).toBe(true);
  const result = await runCli(["wallet"], { home, service: providers, env: bare });
  expect([result.code, result.requests.length]).toEqual([3, 0]);
  expect(result.stderr).toContain("payments-cli login --name 'my shop' --keychain");
  const doctor = await runCli(["doctor", "--json"], { home, service: providers, env: bare });
  expect([doctor.code, doctor.stdout]).toEqual([3, expect.stringMatching(/"name": "keychain",\s+"ok": false[^}]+"hint"/)]);
});

test("without a secret service login says so and stores nothing", async () => {
  const home = createHome();
  const result = await login(home);
  expect([result.code, result.stdout]).toEqual([2, ""]);
  expect(result.stderr).toContain("keychain");
  expect(result.stderr).not.toContain(key);
  expect(readdirSync(home)).toEqual([]);
  // Never the kernel's keyring, which forgets.
  if (existsSync("/proc/keys")) expect(readFileSync("/proc/keys", "utf8")).not.toContain("payments-cli");
});

test("a secret service that does not answer is left after 3 seconds", async () => {
  const path = join(createHome(), "bus");
  const server = createServer(() => undefined).listen(path);
  process.env[bus] = `unix:path=${path}`;
  try {
    const startedMs = performance.now();
    await Promise.all([
      expect(createKeychain().write("entry", key)).rejects.toMatchObject({ kind: "unavailable" }),
      expect(createKeychain().read("entry")).rejects.toMatchObject({ kind: "config" }),
    ]);
    expect(performance.now() - startedMs).toBeLessThan(5000);
  } finally {
    server.close();
  }
});
