import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { binary, cleanEnv, json, node, runBinary, startService } from "../../support/process.ts";

const makeHome = (): string => mkdtempSync(join(tmpdir(), "home-"));
const service = async () =>
  await startService((_seen, response) => json(response, 200, { success: true, providers: [], wallet: { balance: 1 }, b2cStats: {}, transactions: [] }));
const everything = (folder: string): readonly string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name)),
];

test("K1: under umask 000 files are 0600 and folders 0700, and again after a file had been made 0644", async () => {
  const { url } = await service();
  const home = join(makeHome(), "payments");
  const before = process.umask(0o000);
  try {
    expect((await runBinary(["login", "--base-url", url, "--with-key", "--name", "shop"], { home, stdin: "k1" })).code).toBe(0);
    const modes = (): readonly string[] => everything(home).filter((path) => (statSync(path).mode & 0o777) !== (statSync(path).isDirectory() ? 0o700 : 0o600));
    expect(modes()).toEqual([]);
    for (const path of everything(home)) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
    expect((await runBinary(["wallet"], { home })).code).toBe(0);
    expect(modes()).toEqual([]);
  } finally {
    process.umask(before);
  }
});

const keeping = { NODE_DISABLE_COMPILE_CACHE: "" };
const list = async (home: string) =>
  JSON.parse((await runBinary(["profile", "list", "--json"], { home })).stdout) as { profiles: { name: string; current: boolean }[] };

test("K5: of 60 processes that set profiles, 30 of them at once, none is lost", async () => {
  const home = makeHome();
  const names = (writer: number): readonly string[] => Array.from({ length: 2 }, (_, index) => `w${writer}-${index}`);
  const writers = Array.from({ length: 30 }, (_, index) => index);
  await Promise.all(
    writers.map(async (writer) => {
      for (const name of names(writer)) {
        const { code, stderr } = await runBinary(["profile", "set", name, "--base-url", "https://pay.example"], { home, env: keeping, timeoutMs: 90_000 });
        expect([code, stderr]).toEqual([0, ""]);
      }
    }),
  );
  expect((await list(home)).profiles.map(({ name }) => name).sort()).toEqual(writers.flatMap(names).sort());
});

test("logins, secrets, removals and choices beside each other are all kept", async () => {
  const { url } = await service();
  const home = makeHome();
  const run = async (args: readonly string[], stdin = "") =>
    expect((await runBinary(args, { home, stdin, env: keeping, timeoutMs: 90_000 })).code, args.join(" ")).toBe(0);
  const kinds = [0, 1, 2];
  for (const n of kinds) for (const name of [`old${n}`, `kept${n}`]) await run(["profile", "set", name, "--base-url", url]);
  await Promise.all(
    kinds.flatMap((n) => [
      run(["profile", "remove", `old${n}`]),
      run(["profile", "use", "kept1"]),
      run(["profile", "set", `kept${n}`, "--with-webhook-secret"], `webhook secret ${n}`),
      run(["profile", "set", `new${n}`, "--base-url", url, "--with-withdrawal-key"], `second_key_${n}\npassphrase ${n}\n`),
    ]),
  );
  await Promise.all(kinds.map((n) => run(["login", "--base-url", url, "--with-key", "--name", `new${n}`], `first_key_${n}`)));
  const { profiles } = JSON.parse(readFileSync(join(home, "config", "config.json"), "utf8"));
  expect(Object.keys(profiles).sort()).toEqual(kinds.flatMap((n) => [`kept${n}`, `new${n}`]).sort());
  for (const n of kinds) {
    expect(profiles[`kept${n}`]).toMatchObject({ webhookSecrets: [`webhook secret ${n}`] });
    expect(profiles[`new${n}`]).toMatchObject({ apiKey: `first_key_${n}`, withdrawalKey: { kdf: "scrypt" } });
  }
});

test("a writer killed with the lock in its hands, or a lock file from another time, keeps nobody waiting", async () => {
  const home = makeHome();
  const config = join(home, "config");
  expect((await runBinary(["profile", "set", "one", "--base-url", "https://pay.example"], { home })).code).toBe(0);
  const hold = `
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite") ?? require("@photostructure/sqlite");
    new DatabaseSync(process.argv[1]).exec("BEGIN EXCLUSIVE");
    console.log("held");
    setInterval(() => undefined, 1000);`;
  const holder = spawn(node, ["-e", hold, join(config, "config.lock")], { stdio: ["ignore", "pipe", "ignore"] });
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  const waiting = runBinary(["profile", "set", "two", "--base-url", "https://pay.example"], { home });
  holder.kill("SIGKILL");
  expect((await waiting).code).toBe(0);
  for (const at of [0, 4_000_000_000]) {
    utimesSync(join(config, "config.lock"), at, at);
    expect((await runBinary(["profile", "set", `three${at}`, "--base-url", "https://pay.example"], { home })).code).toBe(0);
  }
  expect((await list(home)).profiles.map(({ name }) => name)).toEqual(["one", "two", "three0", "three4000000000"]);
  expect(readdirSync(config)).toEqual(["config.json", "config.lock"]);
});

test("a settings file of 0 bytes counts as no file", async () => {
  const { url } = await service();
  const home = makeHome();
  mkdirSync(join(home, "config"));
  writeFileSync(join(home, "config", "config.json"), "");
  expect(await list(home)).toEqual({ profiles: [] });
  expect((await runBinary(["wallet"], { home })).code).toBe(3);
  expect((await runBinary(["login", "--base-url", url, "--with-key"], { home, stdin: "k1" })).code).toBe(0);
  expect((await list(home)).profiles).toMatchObject([{ name: "default", current: true }]);
});

const asRoot = process.getuid?.() === 0;
/** Runs the binary below a small disk of its own, mounted for this process alone. */
const onDisk = (kilobytes: number, lines: readonly string[]): SpawnSyncReturns<string> => {
  const script = [`mount -t tmpfs -o size=${kilobytes}k tmpfs "$PAYMENTS_HOME"`, ...lines].join("\n");
  return spawnSync("unshare", ["-m", "sh", "-ec", script, node, binary], { env: cleanEnv({ PAYMENTS_HOME: makeHome() }), encoding: "utf8" });
};
const canMount = asRoot && onDisk(100, []).status === 0;

test.runIf(canMount)("on a full disk the settings stay as they are, also if half of them could be written", () => {
  const set = (name: string, bytes: number): string =>
    `seq -s, 20000 | head -c ${bytes} | "$0" "$1" profile set ${name} --base-url https://pay.example --with-webhook-secret`;
  const sum = 'md5sum "$PAYMENTS_HOME/config/config.json"';
  for (const bytes of [14_000, 15_500, 17_000, 40_000]) {
    const { stdout, stderr } = onDisk(20, [
      `${set("one", 3_000)} >/dev/null`,
      sum,
      `${set("two", bytes)} || echo "code $?"`,
      sum,
      'ls "$PAYMENTS_HOME/config"',
    ]);
    const [before, ...after] = stdout.split("\n");
    expect(after, stderr).toEqual(["code 2", before, "config.json", "config.lock", ""]);
    expect(stderr).toMatch(/config\.json .*full/);
  }
});

test.runIf(asRoot)("a user without a name or a home keeps settings in PAYMENTS_HOME", () => {
  const home = makeHome();
  chownSync(home, 12_345, 12_345);
  const args = [binary, "profile", "set", "shop", "--base-url", "https://pay.example"];
  const { status, stderr } = spawnSync(node, args, { uid: 12_345, env: cleanEnv({ PAYMENTS_HOME: home }), encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});

test("K6: a settings file cut in half is named and left; key and address in the environment work without it", async () => {
  const { url } = await service();
  const home = makeHome();
  await runBinary(["login", "--base-url", url, "--with-key"], { home, stdin: "k1" });
  const path = everything(home).find((entry) => entry.endsWith("config.json")) ?? "";
  const half = readFileSync(path, "utf8").slice(0, 40);
  writeFileSync(path, half);
  const list = await runBinary(["profile", "list"], { home });
  expect([list.code, list.stdout]).toEqual([2, ""]);
  expect(list.stderr).toContain(path);
  expect(readFileSync(path, "utf8")).toBe(half);
  expect((await runBinary(["wallet"], { home, env: { PAYMENTS_API_KEY: "k1", PAYMENTS_BASE_URL: url } })).code).toBe(0);
});
