/**
 * JSON in which every number keeps the digits it came with.
 *
 * A number that JavaScript would write otherwise (`1500.0`, `12345678901234567890`, `1e3`) becomes an
 * `ExactNumber`; all others are plain numbers, so the usual case costs no more than `JSON.parse`.
 */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  valueOf(): number {
    return Number(this.text);
  }
  toString(): string {
    return this.text;
  }
  toJSON(): string {
    return marks().marker + this.text;
  }
}

export type Json = null | boolean | number | string | ExactNumber | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

type Marks = { readonly marker: string; readonly escaped: string; readonly numbers: RegExp };
let made: Marks | undefined;
/** A mark no service can guess, so that no text of its own is taken for a number. Most answers need none, so it is made when first needed. */
const marks = (): Marks => {
  if (made !== undefined) return made;
  const marker = `\u0001${process.getBuiltinModule("node:crypto").randomBytes(12).toString("hex")}:`;
  const escaped = JSON.stringify(marker).slice(1, -1);
  made = { marker, escaped, numbers: new RegExp(`"${escaped.replaceAll("\\", "\\\\")}([^"]*)"`, "g") };
  return made;
};

/**
 * Where a number that JavaScript may write otherwise begins: one with a point or an exponent, of sixteen digits or more, or
 * beginning with `-0`. Looked for without regard to strings: most texts have none, and need no closer look.
 */
const suspect = /[:,[\s]-?(?:\d+[.eE]|\d{16}|(?<=-)0)/;
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Parses JSON keeping digits. Throws SyntaxError as `JSON.parse` does. */
export const parseExact = (text: string): Json => {
  const plain: Json = JSON.parse(text);
  if (typeof plain === "number") return String(plain) === text.trim() ? plain : new ExactNumber(text.trim());
  if (!suspect.test(text)) return plain;
  const marked = text.replace(stringOrNumber, (token) => (token.startsWith('"') || String(Number(token)) === token ? token : `"${marks().escaped}${token}"`));
  return marked === text ? plain : (unmark(JSON.parse(marked), marks().marker) as Json);
};

/** Marked strings become numbers, in place: a reviver would take ten times as long. */
const unmark = (value: unknown, marker: string): unknown => {
  if (typeof value === "string") return value.startsWith(marker) ? new ExactNumber(value.slice(marker.length)) : value;
  if (typeof value !== "object" || value === null) return value;
  for (const [key, held] of Object.entries(value)) {
    const now = unmark(held, marker);
    // Defined, not assigned: a key of the service's may be `__proto__`.
    if (now !== held) Object.defineProperty(value, key, { value: now, enumerable: true, writable: true, configurable: true });
  }
  return value;
};

/** Writes JSON with every number's own digits. `indent` in spaces; 0 puts all on one line. */
export const stringifyExact = (value: unknown, indent = 0): string => {
  const text = JSON.stringify(value, undefined, indent) ?? "null";
  // Writing an ExactNumber makes the marks.
  return made !== undefined && text.includes(made.escaped) ? text.replace(made.numbers, "$1") : text;
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** The own field of an object, else undefined. Never reads a prototype. */
export const fieldOf = (value: Json | undefined, name: string): Json | undefined => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined);

type Present<M> = string extends keyof M
  ? Readonly<Record<string, Exclude<M[keyof M], undefined>>>
  : { readonly [Name in keyof M]?: Exclude<M[Name], undefined> };
/** An object of the members that have a value. */
export const present = <M extends object>(members: M): Present<M> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<M>;

/** A text field, else undefined. A number counts as its digits, as ids may be numbers. */
export const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" || value instanceof ExactNumber ? String(value) : undefined;

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs;

/**
 * A name that one object of the text has twice, or undefined. Parsers disagree on which of the two counts: what is checked here
 * would not be what the service reads. The text is JSON already; depth costs no stack.
 */
export const repeatedKey = (json: string): string | undefined => {
  const open: (Set<string> | undefined)[] = [];
  let text = "";
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const names = open.at(-1);
      const name = String(JSON.parse(text));
      if (names?.has(name) === true) return name;
      names?.add(name);
    } else if (token !== ",") text = token;
  }
  return undefined;
};
