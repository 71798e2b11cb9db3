import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runBinary } from "../../support/process.ts";

const keeping = { NODE_DISABLE_COMPILE_CACHE: "" };
const newHome = () => mkdtempSync(join(tmpdir(), "payments-cli-compiled-"));
const list = async (home: string, env: Record<string, string> = keeping) => await runBinary(["profile", "list", "--json"], { home, env });
const folderOf = (home: string): string => {
  const parent = join(home, "cache", "compiled");
  const names = readdirSync(parent);
  expect(names).toHaveLength(1);
  return join(parent, names[0] ?? "");
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
    expect(await list(home)).toMatchObject(told);
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name)))).toEqual(bytes);
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

  it.skipIf(process.platform === "win32")("is neither used nor kept where others could have written it", async () => {
    const home = newHome();
    await list(home);
    const folder = folderOf(home);
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "not what was compiled");
    chmodSync(folder, 0o777);
    expect(await list(home)).toMatchObject(told);
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(readdirSync(folder).map(() => "not what was compiled"));
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
