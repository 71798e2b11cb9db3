import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { structuredSchema, toStructured } from "../../../src/commands/mcp/structured.ts";
import { schemas } from "../../../src/commands/schema/schemas.ts";

describe("structured content", () => {
  it.each([
    ["150", 150],
    ["1500.0", 1500],
    ["0.1", 0.1],
    ["1e3", 1000],
    ["-0", 0],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", "9007199254740993"],
    ["12345678901234567890", "12345678901234567890"],
    ["0.30000000000000000001", "0.30000000000000000001"],
    ["1e400", "1e400"],
  ])("%s becomes %j", (digits, value) => {
    expect(toStructured(`{"amount":${digits},"rows":[{"amount":${digits}}]}`)).toEqual({ amount: value, rows: [{ amount: value }] });
  });

  it("keeps texts and unusual keys as they are", () => {
    const text = '{"__proto__":{"a":12345678901234567890},"text":"12345678901234567890","none":null}';
    expect(JSON.stringify(toStructured(text))).toBe('{"__proto__":{"a":"12345678901234567890"},"text":"12345678901234567890","none":null}');
  });

  it("is what its schema allows, and nothing else is", () => {
    const ajv = new Ajv2020({ strict: true });
    addFormats.default(ajv);
    const validate = ajv.compile(structuredSchema(schemas["tx-list"] ?? {}) as object);
    const page = (amount: string) =>
      toStructured(`{"transactions":[{"id":"T1","reference":"R","amount":${amount},"status":"SENT"}],"total":12345678901234567890}`);
    for (const amount of ["150", "12345678901234567890"]) expect([validate(page(amount)), validate.errors]).toEqual([true, null]);
    for (const amount of ['"many"', "-1", "null"]) expect(validate(page(amount))).toBe(false);
  });
});
