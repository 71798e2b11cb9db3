import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { routes } from "../../src/service/contract/routes.ts";
import { bench } from "../sandbox/harness.ts";
import { createHome, runCli } from "../support/cli.ts";
import { openApiProblems } from "../support/openapi.ts";

type Schema = {
  readonly type?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
  readonly anyOf?: unknown;
  readonly additionalProperties?: unknown;
};
const documentOf = async () => {
  const { code, stdout } = await runCli(["schema", "openapi", "--json"]);
  expect(code).toBe(0);
  return JSON.parse(stdout);
};

describe("schema openapi", () => {
  it("is an OpenAPI 3.1 document for a public validator", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(await documentOf());
    expect([valid, errors, validator.version]).toEqual([true, undefined, "3.1"]);
  });

  it("has every endpoint with its scope and errors, and creations with Idempotency-Key", async () => {
    const { paths, webhooks, components } = await documentOf();
    const operations = Object.values<Record<string, { operationId: string }>>(paths).flatMap((path) => Object.values(path));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(routes).sort());
    for (const route of Object.values(routes)) {
      const operation = paths[route.path.replace(/:(\w+)/g, "{$1}")][route.method.toLowerCase()];
      const keyed = JSON.stringify(operation.parameters ?? []).includes("IdempotencyKey");
      expect(keyed).toBe(route.effect === "creates-payment");
      for (const status of ["401", "403", "429", "503"]) expect(operation.responses[status]).toBeDefined();
    }
    expect(paths[routes.wallet.path].get.security).toEqual([{ apiKey: ["wallet:read"] }]);
    expect(components.securitySchemes.apiKey).toMatchObject({ type: "http", scheme: "bearer" });
    expect(Object.keys(webhooks)).toHaveLength(1);
  });

  it("says of every field what it is, of which type, and leaves room for more in replies", async () => {
    const { paths, components } = await documentOf();
    const bare: string[] = [];
    const look = (schema: Schema, place: string): void => {
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        if (field.$ref === undefined && (field.description === undefined || field.type === undefined) && field.anyOf === undefined)
          bare.push(`${place}.${name}`);
        look(field, `${place}.${name}`);
      }
    };
    for (const [name, schema] of Object.entries<Schema>(components.schemas)) {
      look(schema, name);
      expect([name, schema.additionalProperties]).toEqual([name, {}]);
    }
    for (const [path, operations] of Object.entries<
      Record<
        string,
        { requestBody?: { content: Record<string, { schema: Schema }> }; responses: Record<string, { content?: Record<string, { schema: Schema }> }> }
      >
    >(paths))
      for (const { requestBody, responses } of Object.values(operations)) {
        look(requestBody?.content["application/json"]?.schema ?? {}, `${path} body`);
        look(responses["200"]?.content?.["application/json"]?.schema ?? {}, `${path} reply`);
      }
    expect(bare).toEqual([]);
  });

  it("would notice a wrong reply", () => {
    expect(openApiProblems(routes.getTransaction, 200, { id: 7 })).not.toEqual([]);
    expect(openApiProblems(routes.getTransaction, 404, { success: false })).not.toEqual([]);
    expect(openApiProblems(routes.getTransaction, 200, { id: "T1", reference: "R", amount: 1, status: "SENT", more: true })).toEqual([]);
  });
});

describe("the sandbox", () => {
  it("serves the document without a key, with its own address", async () => {
    const { ask } = await bench({ data: createHome() });
    const { status, body } = await ask("GET", "/openapi.json", undefined, { key: "" });
    expect([status, body.openapi, body.servers[0].url.startsWith("http")]).toEqual([200, "3.1.0", true]);
  });
});
