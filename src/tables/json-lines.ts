import { usageError } from "../errors.ts";
import { ExactNumber, isObject, type Json, type JsonObject, parseExact, repeatedKey, stringifyExact, textOf } from "../json/exact-json.ts";
import type { CellMark, TableRow } from "./cell.ts";

const lineMax = 1_000_000;

/** Cuts text, piece by piece, into physical lines, counted from 1. */
export const createLineReader = (onLine: (text: string, line: number) => void, name: string) => {
  let pending = "";
  let line = 0;
  const cut = (last: boolean): void => {
    let from = 0;
    for (;;) {
      const end = pending.indexOf("\n", from);
      if (end < 0) break;
      line += 1;
      onLine(pending.slice(from, end), line);
      from = end + 1;
    }
    pending = pending.slice(from);
    if (pending.length > lineMax) throw usageError(`Line ${line + 1} of ${name} is longer than ${lineMax} characters.`, "Is it one JSON object a line?");
    if (last && pending !== "") onLine(pending, line + 1);
  };
  return {
    push(text: string): void {
      pending += text;
      cut(false);
    },
    end: (): void => cut(true),
  };
};

/** The object of one line, flat; undefined for a blank line. Throws CliError usage, naming the line. */
export const parseJsonLine = (text: string, line: number, name: string): JsonObject | undefined => {
  if (text.trim() === "") return undefined;
  let value: Json;
  try {
    value = parseExact(text);
  } catch {
    throw usageError(`Line ${line} of ${name} is not JSON.`, "JSONL has one whole object on each line");
  }
  if (!isObject(value))
    throw usageError(`Line ${line} of ${name} is no JSON object.`, 'JSONL has one object on each line, as {"reference":"A-1","amount":100}');
  if (!Object.values(value).some(isObject)) return value;
  const flat = new Map<string, Json>();
  for (const [field, content] of fieldsOf(value)) {
    if (flat.has(field)) throw fieldTwice(field, line, name);
    flat.set(field, content);
  }
  return Object.fromEntries(flat);
};

const levelsMax = 4;
/** The values of objects inside the object under names such as `customer.phone`; lists stay as they are. */
const fieldsOf = (object: JsonObject, before = "", level = 1): readonly (readonly [name: string, value: Json])[] =>
  Object.entries(object).flatMap(([key, value]) =>
    isObject(value) && level < levelsMax ? fieldsOf(value, `${before}${key}.`, level + 1) : [[`${before}${key}`, value] as const],
  );

const fieldTwice = (field: string, line: number, name: string): Error =>
  usageError(`Line ${line} of ${name} has the field ${field} twice: which one counts is not clear.`);

/** Throws CliError usage where a line has one name twice: which of the two values is meant nobody knows. */
export const refuseRepeatedKey = (text: string, object: JsonObject, line: number, name: string): void => {
  // As many colons after a string as there are names: then there is nothing to look for, which is nearly always so.
  if ((text.match(/"\s*:/g) ?? []).length === Object.keys(object).length) return;
  const twice = repeatedKey(text);
  if (twice !== undefined) throw fieldTwice(twice, line, name);
};

const isNumber: CellMark = { kind: "number", says: "is a number" };
const isTruth: CellMark = { kind: "unclear", says: "is true or false, neither text nor a number" };
const isNested: CellMark = { kind: "unclear", says: "is a list or an object, neither text nor a number" };

const markOf = (value: Json | undefined): CellMark | undefined => {
  if (typeof value === "string" || value === undefined || value === null) return undefined;
  if (typeof value === "number" || value instanceof ExactNumber) return isNumber;
  return typeof value === "boolean" ? isTruth : isNested;
};

/** A line as a row of the columns named. Throws CliError usage. */
export const rowOfJsonLine = (text: string, line: number, keys: readonly string[], name: string): TableRow => {
  const object = parseJsonLine(text, line, name);
  if (object === undefined) return { line, cells: [""] };
  const values = keys.map((key) => (Object.hasOwn(object, key) ? object[key] : undefined));
  return { line, cells: values.map(cellOfJson), marks: values.map(markOf) };
};

/** A cell's text: numbers keep their digits, an absent or null value is empty, nested values stay JSON. */
const cellOfJson = (value: Json | undefined): string => {
  if (value === undefined || value === null) return "";
  try {
    return textOf(value) ?? (typeof value === "boolean" ? String(value) : stringifyExact(value));
  } catch {
    throw usageError("A value in the file is nested too deeply to be read.", "JSONL has one flat object on each line");
  }
};
