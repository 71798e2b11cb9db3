import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { catalogue, toJsonSchema } from "../../../src/commands/schema/catalogue.ts";
import { createHome, runCli, type Service } from "../../support/cli.ts";

test("schema lists all, and prints one", async () => {
  const list = JSON.parse((await runCli(["schema", "--json"])).stdout) as { schemas: { name: string; kind: string }[] };
  expect(list.schemas.map(({ name }) => name)).toEqual([...catalogue.map(({ name }) => name), "openapi"]);
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

test.each(catalogue)("$name compiles where a validator is strict", (entry) => {
  const ajv = new Ajv2020({ strict: true });
  addFormats.default(ajv);
  expect(typeof ajv.compile(toJsonSchema(entry))).toBe("function");
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
  const schemaOf = (wanted: string) => catalogue.find((entry) => entry.name === wanted)?.schema;
  expect(schemaOf("profile")?.safeParse(JSON.parse(login.stdout)).error).toBeUndefined();
  const result = await runCli([...argv, "--json"], { home });
  expect(result.code).toBe(0);
  expect(schemaOf(name)?.safeParse(JSON.parse(result.stdout)).error).toBeUndefined();
});

test("an error line is what the error schema says", async () => {
  const result = await runCli(["whoami", "--json"]);
  expect(catalogue.find((entry) => entry.name === "error")?.schema.safeParse(JSON.parse(result.stderr)).error).toBeUndefined();
});
