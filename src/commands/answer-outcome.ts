import { isObject, type Json, type JsonObject } from "../json/exact-json.ts";
import type { Outcome, View } from "../outcome.ts";

/** A document with one of its fields replaced, the others and their order kept. */
export const withField = (body: Json, name: string, value: Json): JsonObject => ({ ...(isObject(body) ? body : {}), [name]: value });

/** An answer whose one object under `name` is the row, while --json prints the whole answer (rules.md, JSON and CSV). */
export const oneObjectOutcome = (body: Json, name: string, view: View): Outcome => {
  const row = isObject(body) ? (body[name] ?? null) : null;
  return { rows: [row], single: true, document: ([only]) => withField(body, name, only ?? null), view };
};
