import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { checkProfileName, createProfiles, type Profile, type Profiles } from "../../src/accounts/profiles.ts";
import { tryLock } from "../../src/storage/lock.ts";

const makeHome = async (): Promise<string> => await mkdtemp(join(tmpdir(), "profiles-"));
const profile = (name: string, more: Partial<Profile> = {}): Profile => ({
  name,
  baseUrl: "https://pay.example",
  mode: "live",
  storage: "file",
  apiKey: `key-of-${name.length}`,
  keyHint: "****",
  signature: {},
  webhookSecrets: [],
  hasWithdrawalKey: false,
  ...more,
});
/** Nothing else is left in the folder. */
const files = ["config.json", "config.lock"];
const put = async (profiles: Profiles, name: string, use = false): Promise<void> => {
  await profiles.write(name, () => profile(name), { use });
};
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test("K1: files are 0600 and folders 0700, also where wider ones stood", async () => {
  const home = await makeHome();
  const config = join(home, "payments");
  const profiles = createProfiles({ paths: { config } });
  await put(profiles, "shop", true);
  expect([await modeOf(config), await modeOf(join(config, "config.json"))]).toEqual([0o700, 0o600]);
  await chmod(config, 0o755);
  await chmod(join(config, "config.json"), 0o644);
  await profiles.list();
  expect([await modeOf(config), await modeOf(join(config, "config.json"))]).toEqual([0o700, 0o600]);
  await chmod(join(config, "config.json"), 0o666);
  await put(profiles, "other");
  expect(await modeOf(join(config, "config.json"))).toBe(0o600);
  expect(await readdir(config)).toEqual(files);
});

test("a profile comes back as it was written, and fields of a later version stay", async () => {
  const config = await makeHome();
  const profiles = createProfiles({ paths: { config } });
  const whole = profile("shop", { mode: "sandbox", signature: { scheme: "hmac-sha256-hex", header: "X-Sig" }, webhookSecrets: ["a b", "c"] });
  await profiles.write("shop", () => whole, { use: true });
  expect(await profiles.read("shop")).toEqual(whole);
  const path = join(config, "config.json");
  const document = JSON.parse(await readFile(path, "utf8")) as { profiles: Record<string, object>; theme?: string };
  document.theme = "dark";
  document.profiles["shop"] = { ...document.profiles["shop"], later: true };
  await writeFile(path, JSON.stringify(document));
  await put(profiles, "shop");
  const after = JSON.parse(await readFile(path, "utf8")) as unknown;
  expect(after).toMatchObject({ theme: "dark", current: "shop", profiles: { shop: { later: true, mode: "live" } } });
});

test("odd names are profiles like any other", async () => {
  const config = await makeHome();
  const profiles = createProfiles({ paths: { config } });
  const names = ["a.b", "__proto__", "constructor", "__internal__", "🧾 ネコ", "it's", "a/b", "toString"];
  for (const name of names) await put(profiles, checkProfileName(name));
  expect((await profiles.list()).profiles.map(({ name }) => name)).toEqual(names);
  expect((await profiles.read("__proto__"))?.apiKey).toBe("key-of-9");
  expect(await profiles.read("hasOwnProperty")).toBeUndefined();
  expect(await profiles.use("__proto__")).toBe(true);
  expect((await profiles.remove("__proto__"))?.name).toBe("__proto__");
  expect((await profiles.list()).current).toBeUndefined();
});

test.each([
  ["", "empty"],
  ["x".repeat(300), "300"],
  ["a\u0000b", "control"],
  ["a\nb", "control"],
  ["a\u202Eb", "direction"],
  ["\uD800", "half"],
  [" a", "space"],
  ["-a", "dash"],
])("the name %j is refused in words", (name, word) => {
  expect(() => checkProfileName(name)).toThrow(word);
});

test.each([
  ["cut in half", '{"version":1,"profiles":{"shop":{"apiKey":"sec'],
  ["blanks", " \n"],
  ["a byte order mark", '\uFEFF{"version":1}'],
  ["not an object", "[]"],
  ["a newer version", '{"version":2}'],
  ["profiles a list", '{"profiles":[]}'],
])("K6: a settings file with %s is named and left untouched", async (_, content) => {
  const config = await makeHome();
  const path = join(config, "config.json");
  await writeFile(path, content);
  const profiles = createProfiles({ paths: { config } });
  for (const attempt of [() => profiles.list(), () => put(profiles, "new"), () => profiles.remove("shop")]) {
    await expect(attempt()).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining(path) as string });
    await expect(attempt()).rejects.not.toMatchObject({ message: expect.stringContaining("sec") as string });
  }
  expect(await readFile(path, "utf8")).toBe(content);
  expect(await readdir(config)).toEqual(files);
});

test("links are refused and what they point to stays as it is", async () => {
  const home = await makeHome();
  const target = join(home, "target.json");
  await writeFile(target, '{"version":1}', { mode: 0o644 });
  await mkdir(join(home, "config"));
  await symlink(target, join(home, "config", "config.json"));
  const profiles = createProfiles({ paths: { config: join(home, "config") } });
  await expect(profiles.list()).rejects.toThrow("symbolic link");
  await expect(put(profiles, "a")).rejects.toThrow("symbolic link");
  expect([await readFile(target, "utf8"), await modeOf(target)]).toEqual(['{"version":1}', 0o644]);
  await symlink(join(home, "config"), join(home, "linked"));
  await expect(put(createProfiles({ paths: { config: join(home, "linked") } }), "a")).rejects.toThrow("symbolic link");
});

test("a pipe in place of the file does not hang", async () => {
  const config = await makeHome();
  await promisify(execFile)("mkfifo", [join(config, "config.json")]);
  await expect(createProfiles({ paths: { config } }).list()).rejects.toMatchObject({ kind: "usage" });
});

test("a file of 0 bytes counts as no file", async () => {
  const config = await makeHome();
  await writeFile(join(config, "config.json"), "");
  const profiles = createProfiles({ paths: { config } });
  expect(await profiles.list()).toEqual({ current: undefined, profiles: [] });
  expect(await profiles.remove("shop")).toBeUndefined();
  await put(profiles, "shop", true);
  expect(await profiles.list()).toMatchObject({ current: "shop", profiles: [{ name: "shop" }] });
});

test("writers wait while another holds the lock, and none of them is lost", async () => {
  const config = await makeHome();
  const lock = await tryLock(join(config, "config.lock"));
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const writing = Promise.all(names.map(async (name) => await put(createProfiles({ paths: { config } }), name)));
  // Time enough for as many steps as a write takes.
  for (let n = 0; n < 50; n += 1) await readdir(config);
  expect((await createProfiles({ paths: { config } }).list()).profiles).toEqual([]);
  lock?.close();
  await writing;
  expect((await createProfiles({ paths: { config } }).list()).profiles.map(({ name }) => name).sort()).toEqual(names.sort());
  expect(await readdir(config)).toEqual(files);
});
