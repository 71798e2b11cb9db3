import * as z from "zod";
import type { JsonObject } from "../../json/exact-json.ts";
import { layoutSchema } from "../../reconcile/layout-schema.ts";
import { routes } from "../../service/contract/routes.ts";
import { schemas as contract, fxRates } from "../../service/contract/schemas.ts";
import written from "./schemas.json" with { type: "json" };

export type Schema = JsonObject & { readonly $comment: string };

const conversion = z
  .looseObject({ amount: z.string(), from: z.string(), to: z.string(), rate: z.string(), result: z.string() })
  .describe("With --convert: for display alone (service 2.7)");
const fxOutput = z.looseObject({ success: z.boolean(), rates: fxRates, conversion: conversion.optional() });
/** What more is known of who prints an output. */
const alsoPrintedBy: Readonly<Record<string, string>> = { "tx get": " (also stk and b2c with --wait)" };

const toSchema = (title: string, $comment: string, schema: z.ZodType): readonly [string, Schema] => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  // Through text, so that it is plain JSON and nothing of a library's own.
  return [title, JSON.parse(JSON.stringify({ $schema, title, $comment, ...rest }))];
};

/** Every published schema by name. The bundle has them made beforehand (build/bundle.mjs): to make them takes as long as a start. */
export const schemas: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries([
    ...Object.values(routes).map(({ id, command }) => {
      const reply = id === "fxRates" ? fxOutput : contract[id].reply;
      return toSchema(command.replaceAll(" ", "-"), `Printed by: ${command}${alsoPrintedBy[command] ?? ""} --json`, reply);
    }),
    ...Object.values(routes).flatMap(({ id, command, method, path }) => {
      const { body, query } = contract[id];
      const [name, comment] = [`${command.replaceAll(" ", "-")}-request`, `Sent to: ${method} ${path.replace(/^\/api\/v1\/(?:merchants\/)?/, "")}`];
      if (!(body instanceof z.ZodUndefined)) return [toSchema(name, comment, body)];
      return query instanceof z.ZodUndefined ? [] : [toSchema(name, `${comment}, its query`, query)];
    }),
    toSchema("tx-layout-show", "Printed by: tx layout show, save and remove with --json", z.looseObject(layoutSchema.shape)),
  ]),
  ...written,
};
