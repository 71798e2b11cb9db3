import { usageError } from "../../errors.ts";
import { isObject, type Json, type JsonObject, parseExact, textOf } from "../../json/exact-json.ts";

type Tree = { [name: string]: Json | Tree | Json[] };

const wrong = (flag: string, given: string, form: string): Error => usageError(`${flag} takes ${form}, not "${given}".`);

const splitAt = (text: string, sign: string): readonly [string, string] | undefined => {
  const at = text.indexOf(sign);
  return at <= 0 ? undefined : [text.slice(0, at), text.slice(at + sign.length)];
};

const parseField = (text: string): readonly [string, Json] => {
  const [key, value] = splitAt(text, "=") ?? [];
  if (key === undefined || value === undefined) throw wrong("-f", text, "key=text");
  if (key.endsWith(":")) throw usageError(`"${text}" gives JSON, which -F takes: -F ${key}=…`, "-f keeps its value as a string.");
  return [key, value];
};

const parseJsonField = (text: string): readonly [string, Json] => {
  const [key, value] = splitAt(text, ":=") ?? [];
  if (key === undefined || value === undefined) throw wrong("-F", text, "key:=json");
  try {
    return [key, parseExact(value)];
  } catch {
    throw usageError(`-F ${key} has a value that is not JSON: ${value.slice(0, 80)}`, `A string is given with -f ${key}=text.`);
  }
};

const namesOf = (key: string): readonly string[] => {
  const [, first, rest = ""] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? [];
  if (first === undefined) throw usageError(`"${key}" is no field name: write name, name[part] or name[].`);
  return [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1] ?? "")];
};

const twice = (key: string): Error => usageError(`The field ${key} is given twice.`);
// Without a prototype, so that a field may have any name.
const emptyTree = (): Tree => Object.create(null);

const isTree = (value: Json | Tree | Json[] | undefined): value is Tree => isObject(value) && Object.getPrototypeOf(value) === null;

const put = (tree: Tree, key: string, value: Json): void => {
  const names = namesOf(key);
  let at = tree;
  for (const [index, name] of names.entries()) {
    const last = index === names.length - 1;
    const there = at[name];
    if (names[index + 1] === "") {
      if (index + 2 !== names.length) throw usageError(`"${key}": [] comes last.`);
      if (there !== undefined && !Array.isArray(there)) throw twice(key);
      at[name] = [...(there ?? []), value];
      return;
    }
    if (last) {
      if (there !== undefined) throw twice(key);
      at[name] = value;
      return;
    }
    if (there !== undefined && !isTree(there)) throw twice(key);
    const next = there ?? emptyTree();
    at[name] = next;
    at = next;
  }
};

/** `-f` and `-F` as one object: `a[b]=1` nests, `a[]=1` makes a list. Throws CliError usage naming the field. */
export const parseFields = (strings: readonly string[], jsons: readonly string[]): JsonObject => {
  const tree = emptyTree();
  for (const [key, value] of [...strings.map(parseField), ...jsons.map(parseJsonField)]) put(tree, key, value);
  return tree as JsonObject;
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
