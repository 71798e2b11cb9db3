import { describe, expect, test } from "vitest";
import { registry } from "../../src/cli/registry.ts";
import { createHome, runCli } from "../support/cli.ts";

/** Splits as a shell does, for what examples use: words and single or double quotes. */
const words = (line: string): string[] => [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");

describe("examples in help", () => {
  test.each(registry.map(({ spec }) => [spec.path.join(" "), spec] as const))("%s has some", (_, spec) => {
    expect(spec.examples.length).toBeGreaterThan(0);
    for (const example of spec.examples) {
      expect(example.line).toContain(`payments-cli ${spec.path.join(" ")}`);
      expect(example.why).not.toBe("");
    }
  });

  const tested = registry.flatMap(({ spec }) => spec.examples.filter((example) => example.why === undefined).map((example) => example.line));
  test.each(tested)("%s", async (line) => {
    const argv = words(line).slice(1);
    const alone = ["completion", "schema", "commands", "demo", "login", "logout", "whoami", "profile"].includes(argv[0] ?? "");
    const result = await runCli(alone || argv.includes("--sandbox") ? argv : [...argv, "--sandbox"], { home: createHome() });
    expect(`${result.code}\n${result.stderr}`).toMatch(/^0\n/);
  });
});

describe("help", () => {
  test("the first page names every command", async () => {
    const { stdout } = await runCli(["--help"]);
    const named = registry.map(({ spec }) => spec.path.join(" ")).filter((path) => new RegExp(`^  ${path}( {2,}|$)`, "m").test(stdout));
    expect(named).toEqual(registry.map(({ spec }) => spec.path.join(" ")));
  });

  test.each(registry.map(({ spec }) => spec.path.join(" ")))("%s --help names its flags and ends 0", async (path) => {
    const result = await runCli([...path.split(" "), "--help"]);
    expect(result.code).toBe(0);
    expect(result.stderr).toBe("");
    expect(result.stdout).toContain(`payments-cli ${path}`);
    expect(result.stdout).toContain("Examples");
    const asked = await runCli(["help", ...path.split(" ")]);
    expect(asked.stdout).toBe(result.stdout);
  });
});
