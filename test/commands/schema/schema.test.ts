import { expect, test } from "vitest";
import { runCli } from "../../support/cli.ts";
import { published, schemaFaults } from "../../support/schemas.ts";

test("schema lists all, and prints one", async () => {
  const list = JSON.parse((await runCli(["schema", "--json"])).stdout) as { schemas: { name: string; kind: string }[] };
  expect(list.schemas.map(({ name }) => name)).toEqual([...Object.keys(published), "openapi"]);
  for (const name of ["tx-list", "tx-get", "wallet", "stk", "error", "b2c-batch", "tx-reconcile"])
    expect(list.schemas.some((entry) => entry.name === name)).toBe(true);
  const plain = await runCli(["schema", "tx-list"]);
  const json = await runCli(["schema", "tx-list", "--json"]);
  expect(JSON.parse(plain.stdout)).toEqual(JSON.parse(json.stdout));
  expect(JSON.parse(json.stdout)).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    required: ["transactions", "total"],
  });
});

test.each(Object.keys(published))("%s compiles where a validator is strict", (name) => {
  expect(() => schemaFaults(name, {})).not.toThrow();
});

test("an unknown name is 2 and says which are near", async () => {
  const result = await runCli(["schema", "transactions-tx-list"]);
  expect([result.code, result.stdout]).toEqual([2, ""]);
  expect(result.stderr).toContain("tx-list");
});
