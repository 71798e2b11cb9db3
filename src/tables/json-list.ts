import { usageError } from "../errors.ts";
import { isObject, type Json, parseExact, repeatedKey, stringifyExact } from "../json/exact-json.ts";

const levelsMax = 4;
type Found = readonly [name: string, list: readonly Json[]];
/** The lists of objects inside a value, each by the names that lead to it. */
const listsIn = (value: Json, name = "", level = 1): readonly Found[] => {
  if (Array.isArray(value)) return value.some(isObject) ? [[name, value]] : [];
  if (!isObject(value) || level > levelsMax) return [];
  return Object.entries(value).flatMap(([key, inner]) => listsIn(inner, name === "" ? key : `${name}.${key}`, level + 1));
};

/** One JSON value with the rows in a list, as services answer, as JSONL. Throws CliError usage. */
export const linesOfJson = (text: string, name: string): { readonly lines: string; readonly note: string } => {
  let value: Json;
  try {
    value = parseExact(text);
  } catch {
    throw usageError(`${name} looks like JSON, but it is not valid or it is cut off.`, "Export it again, or write one object on each line (JSONL)");
  }
  const twice = repeatedKey(text);
  if (twice !== undefined) throw usageError(`${name} has the field ${twice} twice in one object: which one counts is not clear.`);
  const [first, ...more] = listsIn(value);
  if (first === undefined)
    throw usageError(`${name} is JSON with no list of objects in it.`, "Rows are the objects of one list, or one object on each line (JSONL)");
  const [list, items] = first;
  const names = [first, ...more].map(([each]) => each);
  if (more.length > 0) throw usageError(`${name} has several lists: ${names.join(", ")}. Which one has the rows is not clear.`, "Save that list alone");
  const note = `is JSON: each item of ${list === "" ? "its list" : `the list ${list}`} is a row, and "line 3" is the third`;
  try {
    return { lines: items.map((item) => stringifyExact(item)).join("\n"), note };
  } catch {
    throw usageError(`A value in ${name} is nested too deeply to be read.`);
  }
};
