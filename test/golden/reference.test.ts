import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandReference } from "../../build/reference.ts";
import { globalFlags } from "../../src/cli/global-flags.ts";
import { registry } from "../../src/cli/registry.ts";

test("docs/commands.md is what the specs say (else: npm run docs)", () => {
  const path = fileURLToPath(new URL("../../docs/commands.md", import.meta.url));
  expect(readFileSync(path, "utf8").replaceAll("\r\n", "\n")).toBe(commandReference(registry, globalFlags));
});

test.each(registry.map(({ spec }) => [spec.path.join(" "), spec] as const))("%s has what help, docs and programs need", (_, spec) => {
  expect(spec.summary).toMatch(/^[A-Z].*[^.]$/);
  expect(spec.examples.length).toBeGreaterThan(0);
  for (const { line } of spec.examples) expect(line).toContain(`payments-cli ${spec.path.join(" ")}`);
  for (const [name, flag] of Object.entries(spec.flags)) {
    expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(Object.hasOwn(globalFlags, name), `--${name} is a global flag`).toBe(false);
    // A key or passphrase is never a flag's value (rules.md, Global flags).
    if (/key$|secret|passphrase/.test(name) && name !== "idempotency-key") expect(flag.type).toBe("boolean");
  }
});
