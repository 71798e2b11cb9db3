import { usageError } from "../errors.ts";
import { fieldOf, isObject, type Json } from "../json/exact-json.ts";

/** A value in a row, and the keys of the objects that lead to it. Part of an array keeps its dotted name: an array with holes would be another value. */
type Place = { readonly keys: readonly string[]; readonly value: Json };

const placeOf = (row: Json | undefined, path: string): Place | undefined => {
  if (Array.isArray(row)) {
    const [, index, rest] = /^(\d{1,9})(?:\.(.+))?$/.exec(path) ?? [];
    const item: Json | undefined = index === undefined ? undefined : row[Number(index)];
    const value = rest === undefined ? item : valueAt(item, rest);
    return value === undefined ? undefined : { keys: [path], value };
  }
  const own = fieldOf(row, path);
  if (own !== undefined) return { keys: [path], value: own };
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const head = path.slice(0, dot);
    const inner = fieldOf(row, head);
    const found = inner === undefined ? undefined : placeOf(inner, path.slice(dot + 1));
    if (found !== undefined) return { keys: Array.isArray(inner) ? [path] : [head, ...found.keys], value: found.value };
  }
  return undefined;
};

/**
 * The value at a dotted path: `metadata.receipt`, `holds.0.amount`. A key that itself has dots is found too, as the
 * longest own key wins. Never reads a prototype.
 */
export const valueAt = (row: Json | undefined, path: string): Json | undefined => placeOf(row, path)?.value;

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

/** A column of these, or a part of one. */
export const isWithin = (field: string, columns: readonly string[]): boolean => columns.some((name) => field === name || field.startsWith(`${name}.`));

/**
 * A field that no row has is a usage error naming those there are (rules.md, JSON and CSV). Without rows nothing can be said.
 * `columns` are known beforehand: a later row may have them.
 */
export const checkFields = (rows: readonly Json[], fields: readonly string[], columns: readonly string[] = []): void => {
  if (rows.length === 0) return;
  const missing = fields.filter((field) => !isWithin(field, columns) && !rows.some((row) => valueAt(row, field) !== undefined));
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
    const found = placeOf(row, field);
    if (found !== undefined) put(picked, found);
  }
  return picked;
};

type JsonFields = Record<string, Json>;
const put = (target: JsonFields, { keys: [key = "", ...rest], value }: Place): void => {
  const held = target[key];
  // Never a member of the row itself: that is not ours to change.
  const child: JsonFields = Object.assign(Object.create(null), isObject(held) ? held : {});
  target[key] = rest.length === 0 ? value : child;
  if (rest.length > 0) put(child, { keys: rest, value });
};
