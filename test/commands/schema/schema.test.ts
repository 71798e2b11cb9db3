import { expect, test } from "vitest";
import { createHome, runCli, type Service } from "../../support/cli.ts";
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

const providers: Service = () => ({ body: { success: true, providers: [] } });
const outputs: readonly (readonly [string, readonly string[]])[] = [
  ["whoami", ["whoami"]],
  ["profile-list", ["profile", "list"]],
  ["profile", ["profile", "use", "shop"]],
  ["journal-list", ["journal", "list"]],
  ["schema-list", ["schema"]],
  ["commands", ["commands"]],
];

test.each(outputs)("%s is what the command prints", async (name, argv) => {
  const home = createHome();
  const login = await runCli(["login", "--with-key", "--base-url", "https://pay.example", "--name", "shop", "--json"], {
    home,
    service: providers,
    env: { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined },
    stdin: "k1",
  });
  expect(schemaFaults("profile", JSON.parse(login.stdout))).toEqual([]);
  const result = await runCli([...argv, "--json"], { home });
  expect(result.code).toBe(0);
  expect(schemaFaults(name, JSON.parse(result.stdout))).toEqual([]);
});

test("an error line is what the error schema says", async () => {
  const result = await runCli(["whoami", "--json"]);
  expect(schemaFaults("error", JSON.parse(result.stderr))).toEqual([]);
});
