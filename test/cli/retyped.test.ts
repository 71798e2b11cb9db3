import { expect, test } from "vitest";
import { readCommandLine } from "../../src/cli/command-line.ts";
import { registry } from "../../src/cli/registry.ts";
import { retyped } from "../../src/command.ts";

test("a command is typed again with other flags, and what stands behind -- stays behind it", () => {
  const input = readCommandLine(registry, ["b2c", "batch", "--yes", "--new-run", "--result", "r.csv", "--", "--new-run"]);
  expect(retyped(input, { without: ["new-run"], add: ["--resume"] })).toEqual(["b2c", "batch", "--yes", "--result", "r.csv", "--resume", "--", "--new-run"]);
});
