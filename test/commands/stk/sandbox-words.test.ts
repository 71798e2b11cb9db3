import { expect, test } from "vitest";
import { runCli } from "../../support/cli.ts";

test.each([[], ["--quiet"]])("--sandbox announces itself to a person, with %j too", async (...flags) => {
  const result = await runCli(["wallet", "--sandbox", ...flags]);
  expect(result.code).toBe(0);
  expect(result.stderr).toMatch(/SANDBOX/);
});

test("--sandbox --json writes nothing to stderr when the command succeeds", async () => {
  const result = await runCli(["wallet", "--sandbox", "--json"]);
  expect(result.code).toBe(0);
  expect(result.stderr).toBe("");
});

test("--sandbox --json marks the error line", async () => {
  const result = await runCli(["tx", "get", "NO-SUCH-ID", "--sandbox", "--json"]);
  expect(result.code).toBe(4);
  expect(result.stderr.trim().split("\n")).toHaveLength(1);
  expect(JSON.parse(result.stderr).error).toMatchObject({ kind: "not-found", sandbox: true });
});

test("an error without --sandbox has no such mark", async () => {
  const result = await runCli(["tx", "get", "X", "--json"], { service: () => ({ status: 404, body: {} }) });
  expect(JSON.parse(result.stderr).error).not.toHaveProperty("sandbox");
});
