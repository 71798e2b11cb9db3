import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { globalFlags } from "../../../src/cli/global-flags.ts";
import { registry } from "../../../src/cli/registry.ts";
import { createRun } from "../../../src/commands/completion/completion.ts";
import { readProvidersCache, writeProvidersCache } from "../../../src/payments/providers-cache.ts";
import { createHome, runCli } from "../../support/cli.ts";

test.each(["bash", "zsh", "fish", "powershell"])("%s: every command and long flag is in the script", async (shell) => {
  const { code, stdout } = await runCli(["completion", shell]);
  expect(code).toBe(0);
  for (const { spec } of registry) {
    expect(stdout).toContain(`'${spec.path.join(" ")}'`);
    for (const [name, flag] of Object.entries(spec.flags)) if (flag.hidden !== true) expect(stdout).toContain(`--${name}`);
  }
  // What the shell's own parser says of the script of all commands.
  if (shell !== "powershell" && spawnSync(shell, ["--version"]).error === undefined) {
    const script = join(createHome(), "script");
    writeFileSync(script, stdout);
    const checked = spawnSync(shell, ["-n", script], { encoding: "utf8" });
    expect([checked.status, checked.stderr]).toEqual([0, ""]);
  }
});

test("an unknown shell is 2; csv asked of a script changes nothing", async () => {
  expect((await runCli(["completion", "tcsh"])).code).toBe(2);
  expect((await runCli(["completion"])).code).toBe(2);
  expect((await runCli(["completion", "bash", "--json"])).stdout).toBe((await runCli(["completion", "bash"])).stdout);
});

const goldenPath = fileURLToPath(new URL("powershell.golden.ps1", import.meta.url));
test("PowerShell's script is the golden one (made anew with UPDATE_GOLDEN=1)", async () => {
  const some = registry.filter(({ spec }) => ["whoami", "profile use", "completion"].includes(spec.path.join(" ")));
  const { raw } = await createRun(some, globalFlags, ["exit-codes"])({ flags: {}, args: ["powershell"], words: [] }, Object.create(null));
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(goldenPath, raw ?? "");
  expect(raw).toBe(readFileSync(goldenPath, "utf8"));
});

test("__complete answers from files alone, and never with an error", async () => {
  const home = createHome();
  expect(await runCli(["__complete", "profile"], { home })).toMatchObject({ code: 0, stdout: "", stderr: "" });
  for (const name of ["my shop", "🧾", "__proto__"]) await runCli(["profile", "set", name, "--base-url", "https://pay.example"], { home });
  expect((await runCli(["__complete", "profile"], { home })).stdout).toBe("my shop\n🧾\n__proto__\n");
  const rail = (code: string, country: string, currencies: readonly string[], disbursementChannels: readonly string[]) => ({
    rail: code,
    country,
    currencies,
    live: true,
    capabilities: { disbursementChannels },
  });
  await writeProvidersCache(
    { cache: join(home, "cache") },
    {
      success: true,
      providers: [
        rail("MPESA_KE", "KE", ["KES"], ["MOBILE_MONEY"]),
        rail("BAD\nLINE", "KE", [], []),
        rail("MTN_UG", "UG", ["UGX", "USD"], ["MOBILE_MONEY", "BANK"]),
      ],
    },
  );
  const asked = async (kind: string): Promise<string> => (await runCli(["__complete", kind], { home })).stdout;
  expect(await asked("rail")).toBe("MPESA_KE\nMTN_UG\n");
  expect(await asked("currency")).toBe("KES\nUGX\nUSD\n");
  expect(await asked("channel")).toBe("MOBILE_MONEY\nBANK\n");
  expect(await asked("country")).toBe("KE\nUG\n");
  expect(await asked("nothing")).toBe("");
  writeFileSync(join(home, "config", "config.json"), "{");
  writeFileSync(join(home, "cache", "providers.json"), "[");
  expect([await asked("profile"), await asked("rail")]).toEqual(["", ""]);
});

test("a cache that can't be written is no error", async () => {
  const home = createHome();
  writeFileSync(join(home, "cache"), "a file");
  await writeProvidersCache({ cache: join(home, "cache") }, { providers: [] });
  expect(await readProvidersCache({ cache: join(home, "cache") })).toEqual([]);
});
