import { isObject, type Json, type JsonObject } from "../json/exact-json.ts";

/** A document with one of its fields replaced, the others and their order kept. */
export const withField = (body: Json, name: string, value: Json): JsonObject => ({ ...(isObject(body) ? body : {}), [name]: value });
