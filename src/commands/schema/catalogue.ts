import * as z from "zod";
import { routes } from "../../service/contract/routes.ts";
import { fxRates, schemas } from "../../service/contract/schemas.ts";
import { ownOutputs } from "./own-outputs.ts";

export type SchemaEntry = { readonly name: string; readonly of: string; readonly kind: "output" | "request"; readonly schema: z.ZodType };

const conversion = z
  .looseObject({ amount: z.string(), from: z.string(), to: z.string(), rate: z.string(), result: z.string() })
  .describe("With --convert: for display alone (service 2.7)");
const fxOutput = z.looseObject({ success: z.boolean(), rates: fxRates, conversion: conversion.optional() });

const output = (name: string, of: string, schema: z.ZodType): SchemaEntry => ({ name, of: `${of} --json`, kind: "output", schema });
const request = (name: string, of: string, schema: z.ZodType): SchemaEntry => ({ name, of, kind: "request", schema });

/** What more is known of who prints an output. */
const alsoPrintedBy: Readonly<Record<string, string>> = { "tx get": " (also stk and b2c with --wait)" };

/** Every schema by name: the service's answers as they are passed on, its requests, and our own outputs. */
export const catalogue: readonly SchemaEntry[] = [
  ...Object.values(routes).map(({ id, command }) =>
    output(command.replaceAll(" ", "-"), `${command}${alsoPrintedBy[command] ?? ""}`, id === "fxRates" ? fxOutput : schemas[id].reply),
  ),
  ...Object.values(routes).flatMap(({ id, command, method, path }) => {
    const { body, query } = schemas[id];
    const [name, of] = [`${command.replaceAll(" ", "-")}-request`, `${method} ${path.replace(/^\/api\/v1\/(?:merchants\/)?/, "")}`];
    if (!(body instanceof z.ZodUndefined)) return [request(name, of, body)];
    return query instanceof z.ZodUndefined ? [] : [request(name, `${of}, its query`, query)];
  }),
  ...Object.entries(ownOutputs).map(([name, { of, schema }]): SchemaEntry => ({ name, of, kind: "output", schema })),
];

/** One entry as JSON Schema 2020-12. */
export const toJsonSchema = ({ name, of, kind, schema }: SchemaEntry): Readonly<Record<string, unknown>> => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  return { $schema, title: name, $comment: kind === "output" ? `Printed by: ${of}` : `Sent to: ${of}`, ...rest };
};
