import { expect, test } from "vitest";
import { parseInput } from "../../src/cli/parse.ts";
import { retyped } from "../../src/command.ts";
import { b2cBatchSpec } from "../../src/commands/b2c/spec-batch.ts";

test("a command is typed again with other flags, and what stands behind -- stays behind it", () => {
  const input = parseInput(b2cBatchSpec, ["--yes", "--new-run", "--result", "r.csv", "--", "--new-run"]);
  expect(retyped(input, { without: ["new-run"], add: ["--resume"] })).toEqual(["b2c", "batch", "--yes", "--result", "r.csv", "--resume", "--", "--new-run"]);
});
