import { usageError } from "../errors.ts";
import { fieldOf, isObject, type Json } from "../json/exact-json.ts";

/**
 * The value at a dotted path: `metadata.receipt`, `holds.0.amount`. A key that itself has dots is found too, as the
 * longest own key wins. Never reads a prototype.
 */
export const valueAt = (value: Json | undefined, path: string): Json | undefined => {
  if (Array.isArray(value)) {
    const [, index, rest] = /^(\d{1,9})(?:\.(.+))?$/.exec(path) ?? [];
    if (index === undefined) return undefined;
    const item: Json | undefined = value[Number(index)];
    return rest === undefined ? item : valueAt(item, rest);
  }
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const head = path.slice(0, dot);
    if (!Object.hasOwn(value, head)) continue;
    const found = valueAt(value[head], path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The leaves of a row under dotted names, in their order. Arrays stay whole; an empty object is a leaf. */
export const flatten = (row: Json): Map<string, Json> => {
  const leaves = new Map<string, Json>();
  const walk = (value: Json, prefix: string): void => {
    if (!isObject(value) || (prefix !== "" && Object.keys(value).length === 0)) {
      leaves.set(prefix === "" ? "value" : prefix, value);
      return;
    }
    for (const [key, inner] of Object.entries(value)) walk(inner, prefix === "" ? key : `${prefix}.${key}`);
  };
  walk(row, "");
  return leaves;
};

/** Every dotted column that some row has, in the order first met. */
export const columnsOf = (rows: readonly Json[]): string[] => {
  const names = new Set<string>();
  for (const row of rows) for (const name of flatten(row).keys()) names.add(name);
  return [...names];
};

/**
 * A field that no row has is a usage error naming those there are (rules.md, JSON and CSV). Without rows nothing can be said.
 * `columns` are known beforehand: a later row may have them.
 */
export const checkFields = (rows: readonly Json[], fields: readonly string[], columns: readonly string[] = []): void => {
  if (rows.length === 0) return;
  const isColumn = (field: string): boolean => columns.some((name) => field === name || field.startsWith(`${name}.`));
  const missing = fields.filter((field) => !isColumn(field) && !rows.some((row) => valueAt(row, field) !== undefined));
  if (missing.length === 0) return;
  const known = [...new Set([...columns, ...columnsOf(rows)])];
  const shown = known.slice(0, 60).join(", ") + (known.length > 60 ? ", …" : "");
  throw usageError(`No row has the field ${missing.map((name) => `"${name}"`).join(" or ")}.`, `The fields are: ${shown}`);
};

/** The same rows with null for each field that no row has, and which those fields are. */
export const nullForMissing = (rows: readonly Json[], fields: readonly string[]): { readonly filled: readonly Json[]; readonly missing: readonly string[] } => {
  const missing = fields.filter((field) => rows.every((row) => valueAt(row, field) === undefined));
  const nulls = Object.fromEntries(missing.map((field) => [field, null]));
  return { filled: missing.length === 0 ? rows : rows.map((row) => (isObject(row) ? { ...row, ...nulls } : row)), missing };
};

/** The row with the chosen fields alone, in the order asked for, nested as it was: nothing is renamed. */
export const pick = (row: Json, fields: readonly string[]): Json => {
  const picked: JsonFields = Object.create(null);
  for (const field of fields) {
    const value = valueAt(row, field);
    if (value !== undefined) place(picked, keysOf(row, field), value);
  }
  return picked;
};

type JsonFields = Record<string, Json>;
const place = (target: JsonFields, [key = "", ...rest]: readonly string[], value: Json): void => {
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const held = target[key];
  // Never a member of the row itself: that is not ours to change.
  const child: JsonFields = Object.assign(Object.create(null), isObject(held) ? held : {});
  target[key] = child;
  place(child, rest, value);
};

/** The keys of the objects that lead to a value. Part of an array keeps its dotted name: an array with holes would be another value. */
const keysOf = (source: Json, path: string): readonly string[] => {
  if (!isObject(source) || Object.hasOwn(source, path)) return [path];
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const inner = fieldOf(source, path.slice(0, dot));
    const rest = path.slice(dot + 1);
    if (isObject(inner) && valueAt(inner, rest) !== undefined) return [path.slice(0, dot), ...keysOf(inner, rest)];
  }
  return [path];
};
