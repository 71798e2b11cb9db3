import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { json, runBinary, startService } from "../../support/process.ts";

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

test("K5: of 6 processes at once, each setting 20 profiles of its own, none is lost", async () => {
  const home = makeHome();
  const names = (writer: number): readonly string[] => Array.from({ length: 20 }, (_, index) => `w${writer}-${index}`);
  const writers = [1, 2, 3, 4, 5, 6];
  await Promise.all(
    writers.map(async (writer) => {
      for (const name of names(writer))
        expect((await runBinary(["profile", "set", name, "--base-url", "https://pay.example"], { home, env: { NODE_DISABLE_COMPILE_CACHE: "" } })).code).toBe(
          0,
        );
    }),
  );
  const list = JSON.parse((await runBinary(["profile", "list", "--json"], { home })).stdout) as { profiles: { name: string }[] };
  expect(list.profiles.map(({ name }) => name).sort()).toEqual(writers.flatMap(names).sort());
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
