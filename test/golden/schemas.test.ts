import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { catalogue, toJsonSchema } from "../../src/commands/schema/catalogue.ts";
import { exitCodes } from "../../src/errors.ts";

const path = fileURLToPath(new URL("../../src/commands/schema/schemas.json", import.meta.url));

// What scripts rely on, and what `mcp` lists without making it. A change here is a change of the promise: keys may be added, never taken away or renamed.
test("the schemas are those of src/commands/schema/schemas.json (made anew with UPDATE_GOLDEN=1)", () => {
  const all = JSON.parse(JSON.stringify(Object.fromEntries(catalogue.map((entry) => [entry.name, toJsonSchema(entry)])))) as unknown;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, `${JSON.stringify(all, undefined, 1)}\n`);
  expect(all).toEqual(JSON.parse(readFileSync(path, "utf8")));
});

test("names are unique and in kebab case; requests are strict, outputs leave room", () => {
  expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length);
  for (const entry of catalogue) {
    expect(entry.name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    const schema = toJsonSchema(entry);
    expect(schema["type"]).toBe("object");
    expect(schema["additionalProperties"], entry.name).toEqual(entry.kind === "request" ? false : {});
  }
});

test("the error schema knows every kind", () => {
  const schema = catalogue.find(({ name }) => name === "error")?.schema;
  for (const kind of Object.keys(exitCodes)) {
    expect(schema?.safeParse({ error: { kind, message: "m", retryable: false, sent: "no" } }).success, kind).toBe(true);
  }
  expect(schema?.safeParse({ error: { kind: "other", message: "m", retryable: false, sent: "no" } }).success).toBe(false);
});
