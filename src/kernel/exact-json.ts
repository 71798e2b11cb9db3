import { nodeCrypto } from "./node-crypto.ts";

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
  const marker = `\u0001${nodeCrypto().randomBytes(12).toString("hex")}:`;
  const escaped = JSON.stringify(marker).slice(1, -1);
  made = { marker, escaped, numbers: new RegExp(`"${escaped.replaceAll("\\", "\\\\")}([^"]*)"`, "g") };
  return made;
};
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/** Parses JSON keeping digits. Throws SyntaxError as `JSON.parse` does. */
export const parseExact = (text: string): Json => {
  const plain = JSON.parse(text) as Json;
  let inexact = false;
  const marked = text.replace(tokens, (token) => {
    if (token.startsWith('"') || String(Number(token)) === token) return token;
    inexact = true;
    return `"${marks().escaped}${token}"`;
  });
  if (!inexact) return plain;
  const { marker } = marks();
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(marker) ? new ExactNumber(value.slice(marker.length)) : value,
  ) as Json;
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

/** A text field, else undefined. A number counts as its digits, as ids may be numbers. */
export const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" || value instanceof ExactNumber ? String(value) : undefined;
