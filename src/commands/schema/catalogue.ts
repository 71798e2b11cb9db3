import * as z from "zod";
import { fxRates, schemas } from "../../service/contract/schemas.ts";
import { ownOutputs } from "./own-outputs.ts";

export type SchemaEntry = { readonly name: string; readonly of: string; readonly kind: "output" | "request"; readonly schema: z.ZodType };

const conversion = z
  .looseObject({ amount: z.string(), from: z.string(), to: z.string(), rate: z.string(), result: z.string() })
  .describe("With --convert: for display alone (service 2.7)");
const fxOutput = z.looseObject({ success: z.boolean(), rates: fxRates, conversion: conversion.optional() });

const output = (name: string, of: string, schema: z.ZodType): SchemaEntry => ({ name, of: `${of} --json`, kind: "output", schema });
const request = (name: string, of: string, schema: z.ZodType): SchemaEntry => ({ name, of, kind: "request", schema });

/** Every schema by name: the service's answers as they are passed on, its requests, and our own outputs. */
export const catalogue: readonly SchemaEntry[] = [
  output("stk", "stk", schemas.stkPush.reply),
  output("b2c", "b2c", schemas.b2c.reply),
  output("b2c-stats", "b2c stats", schemas.b2cStats.reply),
  output("tx-get", "tx get (also stk and b2c with --wait)", schemas.getTransaction.reply),
  output("tx-list", "tx list", schemas.listTransactions.reply),
  output("wallet", "wallet", schemas.wallet.reply),
  output("global-providers", "global providers", schemas.providers.reply),
  output("global-collect", "global collect", schemas.collect.reply),
  output("global-withdraw", "global withdraw", schemas.withdraw.reply),
  output("global-wallet", "global wallet", schemas.globalWallet.reply),
  output("global-fx", "global fx", fxOutput),
  request("stk-request", "POST payments/stk-push", schemas.stkPush.body),
  request("b2c-request", "POST payments/b2c", schemas.b2c.body),
  request("global-collect-request", "POST global/collections", schemas.collect.body),
  request("global-withdraw-request", "POST global/disbursements", schemas.withdraw.body),
  request("tx-list-request", "GET payments/transactions, its query", schemas.listTransactions.query),
  request("global-fx-request", "GET global/fx/rates, its query", schemas.fxRates.query),
  ...Object.entries(ownOutputs).map(([name, { of, schema }]): SchemaEntry => ({ name, of, kind: "output", schema })),
];

/** One entry as JSON Schema 2020-12. */
export const toJsonSchema = ({ name, of, kind, schema }: SchemaEntry): Readonly<Record<string, unknown>> => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  return { $schema, title: name, $comment: kind === "output" ? `Printed by: ${of}` : `Sent to: ${of}`, ...rest };
};
