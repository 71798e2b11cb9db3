import { ExactNumber, isObject, type Json, parseExact } from "../../json/exact-json.ts";
import { compareDecimals, toDecimal } from "../../money/money.ts";

/** Said of every tool's result. */
export const aboutNumbers = "A number that a 64-bit float cannot hold exactly is given as a string with its digits.";

/** Whether reading the text as a JavaScript number keeps its value. */
const isHeld = (text: string): boolean => {
  const [exact, held] = [toDecimal(text), toDecimal(String(Number(text)))];
  return exact !== undefined && held !== undefined && compareDecimals(exact, held) === 0;
};

/** A document for `structuredContent`, which passes through JavaScript numbers on both sides: those it would change become strings. */
export const toStructured = (text: string): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(parseExact(text), function (this: Readonly<Record<string, unknown>>, key, value: unknown) {
      // What `value` is by now was written by `toJSON`.
      const exact = this[key];
      if (!(exact instanceof ExactNumber)) return value;
      return isHeld(exact.text) ? exact.valueOf() : exact.text;
    }),
  );

/** A published schema as `toStructured` follows it: each number may also be a string of digits. */
export const structuredSchema = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(structuredSchema);
  if (!isObject(schema)) return schema;
  const { type, description, ...rest } = schema;
  if (type === "number" || type === "integer")
    return {
      ...(description === undefined ? {} : { description }),
      anyOf: [
        { type, ...rest },
        { type: "string", pattern: "^-?[0-9]" },
      ],
    };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, structuredSchema(value)]));
};
