import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as z from "zod";
import { exitCodes } from "../../src/errors.ts";
import { categories } from "../../src/reconcile/judge.ts";
import { layoutSchema } from "../../src/reconcile/layout-schema.ts";
import { routes } from "../../src/service/contract/routes.ts";
import { fxRates, schemas } from "../../src/service/contract/schemas.ts";
import { published, schemaFaults } from "../support/schemas.ts";

const path = fileURLToPath(new URL("../../src/commands/schema/schemas.json", import.meta.url));
type Derived = { readonly name: string; readonly comment: string; readonly schema: z.ZodType };

const conversion = z
  .looseObject({ amount: z.string(), from: z.string(), to: z.string(), rate: z.string(), result: z.string() })
  .describe("With --convert: for display alone (service 2.7)");
const fxOutput = z.looseObject({ success: z.boolean(), rates: fxRates, conversion: conversion.optional() });
/** What more is known of who prints an output. */
const alsoPrintedBy: Readonly<Record<string, string>> = { "tx get": " (also stk and b2c with --wait)" };

/** The schemas that follow from the contract and from the layouts; the others are written by hand. */
const derived: readonly Derived[] = [
  ...Object.values(routes).map(({ id, command }) => ({
    name: command.replaceAll(" ", "-"),
    comment: `Printed by: ${command}${alsoPrintedBy[command] ?? ""} --json`,
    schema: id === "fxRates" ? fxOutput : schemas[id].reply,
  })),
  ...Object.values(routes).flatMap(({ id, command, method, path: of }): Derived[] => {
    const { body, query } = schemas[id];
    const [name, comment] = [`${command.replaceAll(" ", "-")}-request`, `Sent to: ${method} ${of.replace(/^\/api\/v1\/(?:merchants\/)?/, "")}`];
    if (!(body instanceof z.ZodUndefined)) return [{ name, comment, schema: body }];
    return query instanceof z.ZodUndefined ? [] : [{ name, comment: `${comment}, its query`, schema: query }];
  }),
  { name: "tx-layout-show", comment: "Printed by: tx layout show, save and remove with --json", schema: z.looseObject(layoutSchema.shape) },
];
const toJsonSchema = ({ name, comment, schema }: Derived): unknown => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  return JSON.parse(JSON.stringify({ $schema, title: name, $comment: comment, ...rest }));
};

// What scripts rely on. A change here is a change of the promise: keys may be added, never taken away or renamed.
test("the schemas of the service and of layouts follow from the code (made anew with UPDATE_GOLDEN=1)", () => {
  const made = Object.fromEntries(derived.map((one) => [one.name, toJsonSchema(one)]));
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, `${JSON.stringify({ ...published, ...made }, undefined, 1)}\n`);
  const written: Record<string, unknown> = JSON.parse(readFileSync(path, "utf8"));
  for (const [name, schema] of Object.entries(made)) expect(written[name], name).toEqual(schema);
});

test("names are in kebab case and stand in the schemas; requests are strict, outputs leave room", () => {
  for (const [name, schema] of Object.entries(published)) {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(schema).toMatchObject({ title: name, type: "object", $comment: expect.stringMatching(/^(Printed by|Sent to): /) });
    expect(schema["additionalProperties"], name).toEqual(String(schema["$comment"]).startsWith("Sent to") ? false : {});
  }
});

test("the error schema knows every kind, and the schema of tx reconcile every category", () => {
  const error = (kind: string) => ({ error: { kind, message: "m", retryable: false, sent: "no" } });
  for (const kind of Object.keys(exitCodes)) expect(schemaFaults("error", error(kind)), kind).toEqual([]);
  expect(schemaFaults("error", error("other"))).not.toEqual([]);
  const side = { rows: 1, amount: "1.00" };
  const report = (category: string) => ({ inputs: [], summary: { [category]: { count: 1, amount: "1.00", ours: side, theirs: side } }, rows: [] });
  for (const category of categories) expect(schemaFaults("tx-reconcile", report(category)), category).toEqual([]);
  expect(schemaFaults("tx-reconcile", report("other"))).not.toEqual([]);
});
