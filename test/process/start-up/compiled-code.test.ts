import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { binary, node, runBinary } from "../../support/process.ts";

const keeping = { NODE_DISABLE_COMPILE_CACHE: "" };
const newHome = () => mkdtempSync(join(tmpdir(), "payments-cli-compiled-"));
const list = async (home: string, env: Record<string, string> = keeping) => await runBinary(["profile", "list", "--json"], { home, env });
const folderOf = (home: string): string => {
  const parent = join(home, "cache", "compiled");
  const names = readdirSync(parent);
  expect(names).toHaveLength(1);
  return join(parent, names[0] ?? "");
};
/**
 * Puts compiled code in place that says "planted": V8 takes it for the program's own, as the source is of the same length. Returns
 * its file.
 */
const plant = (folder: string): string => {
  const name = readdirSync(folder).find((entry) => entry.startsWith("core-")) ?? "";
  const compile = `
    const { readFileSync, writeFileSync } = require("node:fs");
    const [, source, file] = process.argv;
    const text = readFileSync(source, "utf8").replace(/^\\/\\/ src.{25,}$/m, (line) => 'console.error("planted");'.padEnd(line.length));
    const script = new (require("node:vm").Script)("(function (exports, require, module, __filename, __dirname) { " + text + "\\n})");
    writeFileSync(file, Buffer.concat([script.createCachedData(), Buffer.from("whole\\n")]));`;
  execFileSync(node, ["-e", compile, join(dirname(binary), "..", "dist", "chunks", name), join(folder, name)]);
  return join(folder, name);
};
const told = { code: 0, stdout: '{\n  "profiles": []\n}\n', stderr: "" };

describe("code compiled by an earlier run", () => {
  it("is kept in the user's own folder, and gives the same answer when it is used", async () => {
    const home = newHome();
    expect(await list(home)).toMatchObject(told);
    const folder = folderOf(home);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const kept = readdirSync(folder);
    expect(kept.some((name) => name.startsWith("call-"))).toBe(true);
    expect(kept.every((name) => (statSync(join(folder, name)).mode & 0o777) === 0o600)).toBe(true);
    const bytes = kept.map((name) => readFileSync(join(folder, name)));
    for (const name of kept) chmodSync(join(folder, name), 0o644);
    expect(await list(home)).toMatchObject(told);
    expect(kept.filter((name) => (statSync(join(folder, name)).mode & 0o777) !== 0o600)).toEqual([]);
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name)))).toEqual(bytes);
  });

  it("has nothing that draws tables or colours for a call that prints JSON", async () => {
    const home = newHome();
    const drawn = () => readdirSync(folderOf(home)).filter((name) => name.startsWith("drawing-")).length;
    await list(home);
    expect(drawn()).toBe(0);
    await runBinary(["profile", "list"], { home, env: keeping });
    expect(drawn()).toBe(1);
  });

  it.runIf(existsSync("/proc/self"))("hangs no command where its folder can't be made", async () => {
    const { code, signal, stdout } = await runBinary(["profile", "list", "--json"], {
      home: "/proc/nowhere",
      env: keeping,
      timeoutMs: 10_000,
      kill: "SIGKILL",
    });
    expect({ code, signal, stdout }).toEqual({ code: told.code, signal: undefined, stdout: told.stdout });
  });

  it("is not used when it was cut short, and is then made anew", async () => {
    const home = newHome();
    await list(home);
    const folder = folderOf(home);
    const file = join(folder, readdirSync(folder).find((name) => name.startsWith("core-")) ?? "");
    const size = statSync(file).size;
    truncateSync(file, size - 100);
    expect(await list(home)).toMatchObject(told);
    expect(statSync(file).size).toBeGreaterThan(size - 100);
  });

  // Each place with one way to open it to others: the rule for the mode is the same in all of them.
  it.skipIf(process.platform === "win32").each([
    ["", 0o777],
    ["cache", 0o770],
    ["cache/compiled", 0o702],
    ["cache/compiled/*", 0o777],
  ])("is neither used nor kept if others can write into home/%s (%o)", async (place, mode) => {
    const home = newHome();
    await list(home);
    const file = plant(folderOf(home));
    expect(await list(home)).toMatchObject({ ...told, stderr: "planted\n" });
    const planted = readFileSync(file);
    chmodSync(place.endsWith("*") ? folderOf(home) : join(home, place), mode);
    expect(await list(home)).toMatchObject(told);
    expect(readFileSync(file)).toEqual(planted);
  });

  it.skipIf(process.platform === "win32")("is used through a link, and through a folder that others write into but cannot rename in", async () => {
    const shared = newHome();
    chmodSync(shared, 0o1777);
    const home = join(shared, "home");
    await list(home);
    plant(folderOf(home));
    symlinkSync(home, join(shared, "link"));
    for (const path of [home, join(shared, "link")]) expect(await list(path)).toMatchObject({ stderr: "planted\n" });
  });

  it.skipIf(process.getuid?.() !== 0)("is not used from another user's folder or file", async () => {
    for (const place of ["", "cache", "cache/compiled", "folder", "file"]) {
      const home = newHome();
      await list(home);
      const file = plant(folderOf(home));
      chownSync(place === "file" ? file : place === "folder" ? folderOf(home) : join(home, place), 12_345, 12_345);
      expect(await list(home), place).toMatchObject(told);
    }
  });

  it("goes without where the folder can't be made, or the variable says so", async () => {
    const home = newHome();
    mkdirSync(join(home, "cache"));
    writeFileSync(join(home, "cache", "compiled"), "a file stands there");
    expect(await list(home)).toMatchObject(told);
    const other = newHome();
    expect(await list(other, {})).toMatchObject(told);
    expect(readdirSync(other)).not.toContain("cache");
  });

  it("clears what an earlier version of the program kept", async () => {
    const home = newHome();
    const old = join(home, "cache", "compiled", "0.0.1-v20.19.0-x64");
    mkdirSync(old, { recursive: true });
    writeFileSync(join(old, "core-AAAAAAAA.cjs"), "old");
    await list(home);
    expect(folderOf(home)).not.toBe(old);
  });
});
