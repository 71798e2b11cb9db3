import { usageError } from "../../errors.ts";
import { type Json, type JsonObject, parseExact, textOf } from "../../json/exact-json.ts";

/** Key and value of a field. Throws CliError usage that says how `flag` takes it. */
const splitAt = (text: string, sign: string, flag: string, kind: string): readonly [string, string] => {
  const at = text.indexOf(sign);
  if (at <= 0) throw usageError(`${flag} takes key${sign}${kind}, not "${text}".`);
  return [text.slice(0, at), text.slice(at + sign.length)];
};

const parseField = (text: string): readonly [string, Json] => {
  const [key, value] = splitAt(text, "=", "-f", "text");
  if (key.endsWith(":")) throw usageError(`"${text}" gives JSON, which -F takes: -F ${key}=…`, "-f keeps its value as a string.");
  return [key, value];
};

const parseJsonField = (text: string): readonly [string, Json] => {
  const [key, value] = splitAt(text, ":=", "-F", "json");
  try {
    return [key, parseExact(value)];
  } catch {
    throw usageError(`-F ${key} has a value that is not JSON: ${value.slice(0, 80)}`, `A string is given with -f ${key}=text.`);
  }
};

/** `-f` and `-F` as one object. Throws CliError usage naming the field. */
export const parseFields = (strings: readonly string[], jsons: readonly string[]): JsonObject => {
  const fields = [...strings.map(parseField), ...jsons.map(parseJsonField)];
  const names = fields.map(([name]) => name);
  for (const [at, name] of names.entries()) {
    if (/[[\]]/.test(name)) throw usageError(`"${name}" is no field name.`, "An object or a list is one field: -F 'name:={\"part\":1}'");
    if (names.indexOf(name) !== at) throw usageError(`The field ${name} is given twice.`);
  }
  return Object.fromEntries(fields);
};

/** Fields as a query: numbers and truth values by their text. Throws CliError usage for what has none. */
export const toQuery = (fields: JsonObject): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
      const text = typeof item === "boolean" ? String(item) : textOf(item);
      if (text === undefined) throw usageError(`The field ${name} cannot be in a query: only text, numbers, true and false can.`);
      query.append(name, text);
    }
  }
  return query.toString();
};
