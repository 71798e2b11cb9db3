import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { globalFlags } from "../../../src/cli/global-flags.ts";
import { registry } from "../../../src/cli/registry.ts";
import type { Flag } from "../../../src/command.ts";
import { readProvidersCache, writeProvidersCache } from "../../../src/payments/rails.ts";
import { createHome, runCli } from "../../support/cli.ts";

test.each(["bash", "zsh", "fish"])("%s's own parser takes the script", async (shell) => {
  const { code, stdout } = await runCli(["completion", shell]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("__complete")]);
  if (spawnSync(shell, ["--version"]).error !== undefined) return;
  const script = join(createHome(), "script");
  writeFileSync(script, stdout);
  const checked = spawnSync(shell, ["-n", script], { encoding: "utf8" });
  expect([checked.status, checked.stderr]).toEqual([0, ""]);
});

test("an unknown shell is 2; csv asked of a script changes nothing", async () => {
  expect((await runCli(["completion", "tcsh"])).code).toBe(2);
  expect((await runCli(["completion"])).code).toBe(2);
  expect((await runCli(["completion", "bash", "--json"])).stdout).toBe((await runCli(["completion", "bash"])).stdout);
});

const goldenPath = fileURLToPath(new URL("powershell.golden.ps1", import.meta.url));
test("PowerShell's script is the golden one (made anew with UPDATE_GOLDEN=1)", async () => {
  const { stdout } = await runCli(["completion", "powershell"]);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(goldenPath, stdout);
  expect(stdout).toBe(readFileSync(goldenPath, "utf8"));
});

const offered = async (home: string, ...typed: readonly string[]): Promise<readonly string[]> => {
  const { code, stdout, stderr } = await runCli(["__complete", ...typed], { home });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[0] ?? "");
};

describe("__complete", () => {
  test("offers every command where it may stand, and each of its flags", async () => {
    const home = createHome();
    for (const { spec } of registry) {
      for (const [at, word] of spec.path.entries()) expect(await offered(home, "zsh", ...spec.path.slice(0, at), "")).toContain(word);
      const all: Readonly<Record<string, Flag>> = spec.path[0] === "whoami" ? { ...globalFlags, ...spec.flags } : spec.flags;
      const found = await offered(home, "fish", ...spec.path, "--");
      for (const [name, { choices }] of Object.entries(all)) {
        expect(found).toContain(`--${name}`);
        if (choices === undefined) continue;
        expect(await offered(home, "zsh", ...spec.path, `--${name}`, "")).toEqual(choices);
        expect(await offered(home, "zsh", ...spec.path, `--${name}=`)).toEqual(choices.map((choice) => `--${name}=${choice}`));
      }
    }
  });

  test("offers stored values from files alone, and never an error", async () => {
    const home = createHome();
    expect(await offered(home, "zsh", "profile", "use", "")).toEqual([]);
    for (const name of ["my shop", "🧾", "__proto__"]) await runCli(["profile", "set", name, "--base-url", "https://pay.example"], { home });
    expect(await offered(home, "zsh", "profile", "use", "")).toEqual(["my shop", "🧾", "__proto__"]);
    const rail = (code: string, country: string, currencies: readonly string[], disbursementChannels: readonly string[]) => ({
      rail: code,
      country,
      currencies,
      live: true,
      capabilities: { disbursementChannels },
    });
    const providers = [
      rail("MPESA_KE", "KE", ["KES"], ["MOBILE_MONEY"]),
      rail("BAD\nLINE", "KE", [], []),
      rail("MTN_UG", "UG", ["UGX", "USD"], ["MOBILE_MONEY", "BANK"]),
    ];
    await writeProvidersCache({ cache: join(home, "cache") }, { success: true, providers });
    const values = async (flag: string): Promise<readonly string[]> =>
      await offered(home, "zsh", "global", flag === "--country" ? "providers" : "withdraw", flag, "");
    expect(await values("--rail")).toEqual(["MPESA_KE", "MTN_UG"]);
    expect(await values("--currency")).toEqual(["KES", "UGX", "USD"]);
    expect(await values("--channel")).toEqual(["MOBILE_MONEY", "BANK"]);
    expect(await values("--country")).toEqual(["KE", "UG"]);
    expect(await values("--amount")).toEqual([]);
    writeFileSync(join(home, "config", "config.json"), "{");
    writeFileSync(join(home, "cache", "providers.json"), "[");
    expect([await offered(home, "zsh", "profile", "use", ""), await values("--rail")]).toEqual([[], []]);
  });

  test.each([
    ["a file", ["b2c", "batch", ""], [":file"]],
    ["a file of a flag", ["webhook", "verify", "--body", ""], [":file"]],
    ["a file behind an equals sign", ["webhook", "verify", "--body=x"], [":file"]],
    ["nothing behind a flag that stands alone", ["whoami", "--json="], []],
    ["nothing behind an unknown flag", ["whoami", "--nothing", ""], []],
    ["a variadic argument again and again", ["tx", "watch", "T1", "T2", ""], []],
    ["what follows the end of flags", ["profile", "use", "--", "--"], []],
  ])("%s", async (_, typed, wanted) => {
    expect(await offered(createHome(), "zsh", ...typed)).toEqual(wanted);
  });

  test("leaves out what is no line of text, is a flag, or is too long to be picked", async () => {
    const home = createHome();
    mkdirSync(join(home, "config"));
    const names = ["good", "a\nb", "a\tb", "\u001b[31mx", "\u009b31m", "\u202ex", "x\u200by", "", "-rf", "--yes", "y".repeat(201)];
    const profile = { baseUrl: "https://pay.example", mode: "live" };
    writeFileSync(join(home, "config", "config.json"), JSON.stringify({ version: 1, profiles: Object.fromEntries(names.map((name) => [name, profile])) }));
    for (const shell of ["zsh", "fish"]) expect(await offered(home, shell, "profile", "use", "")).toEqual(["good"]);
    expect(await offered(home, "powershell", "profile", "use", "=")).toEqual(["good"]);
    expect(await offered(home, "bash", "payments-cli profile use ", "")).toEqual(["good"]);
    expect(await offered(home, "zsh", "--profile=")).toEqual(["--profile=good", "--profile=-rf", "--profile=--yes"]);
  });
});

test("a cache that can't be written is no error", async () => {
  const home = createHome();
  writeFileSync(join(home, "cache"), "a file");
  await writeProvidersCache({ cache: join(home, "cache") }, { providers: [] });
  expect(await readProvidersCache({ cache: join(home, "cache") })).toEqual([]);
});
