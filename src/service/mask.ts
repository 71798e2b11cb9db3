import { isObject, type Json } from "../json/exact-json.ts";

const shown = "****";
// Nine digits are the shortest national number; ids and amounts with letters or a point beside them are left alone.
const phones = /(?<=%2B|(?<![\w.+-]))\+?\d{9,15}(?!\w|\.\d)/gi;

/** Keeps the first and last digits of whatever may be a phone: 254712345678 becomes 2547****678. */
export const maskPhones = (text: string): string =>
  text.replace(phones, (whole) => {
    const digits = whole.replace("+", "");
    return `${whole.slice(0, whole.length - digits.length + 4)}${shown}${whole.slice(-3)}`;
  });

/** The parts of a secret's base64 that are the same whatever stands before it. */
const base64Forms = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret, "utf8");
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const inner = whole.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
    // A shorter one could be part of any word.
    return [...(before === 0 ? [whole] : []), inner].filter((form) => form.length >= 6);
  });
};

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const hex = (value: number, length: number): string => value.toString(16).padStart(length, "0");

/** One character, as it is, with backslashes as JSON may have them, or as `\u0041` or `%41`; `+` and `/` of base64 in both alphabets. */
const characterPattern = (character: string, base64: boolean): string => {
  const plain = base64 && character === "+" ? "[+-]" : base64 && character === "/" ? "[/_]" : escaped(character);
  const json = Array.from({ length: character.length }, (_, at) => `\\\\{1,4}u${hex(character.charCodeAt(at), 4)}`).join("");
  const percent = [...Buffer.from(character, "utf8")].map((byte) => `%${hex(byte, 2)}`).join("");
  return `(?:\\\\{0,4}${plain}|${json}|${percent})`;
};

/** Below this a secret may stand in any text by chance. */
const tellingLength = 8;
/** A line break inside, also one written `\n`. */
const broken = "(?:\\s|\\\\{1,4}[nrt])*";

const formPattern = (form: string, base64: boolean): string => {
  const breaks = form.length >= tellingLength;
  const characters = [...(breaks ? form.replace(/\s+/g, "") : form)];
  return characters.map((character) => characterPattern(character, base64)).join(breaks ? broken : "");
};

const patternsOf = (secret: string, inData: boolean): readonly string[] => {
  const trimmed = secret.trim();
  if (trimmed.length < 2) return [];
  const plain = formPattern(trimmed, false);
  if (inData && trimmed.length < tellingLength) return [`(?<=\\bBearer\\s+)${plain}(?!\\w)`];
  return [...[...new Set(base64Forms(trimmed))].sort((a, b) => b.length - a.length).map((form) => formPattern(form, true)), plain];
};

export type Mask = (text: string) => string;

const maskOf = (secrets: readonly string[], inData: boolean): Mask => {
  let any: RegExp | undefined;
  return (text) => {
    // Made when there is something to mask: most calls have nothing to say. Without a secret it matches nothing.
    any ??= new RegExp(secrets.flatMap((secret) => patternsOf(secret, inData)).join("|") || "(?!)", "gi");
    return text.replace(any, shown);
  };
};

/**
 * Replaces each secret by `****`: plain, escaped as in JSON, percent-encoded, in base64, in any case of letters (a key pasted as a host
 * is shown in small ones), and broken over lines. A secret of one character is no secret.
 */
export const createMask = (secrets: readonly string[]): Mask => maskOf(secrets, false);

/** The same for what others wrote. There a short secret (`k1`) is part of ids and names: it is only replaced behind `Bearer`. */
export const createDataMask = (secrets: readonly string[]): Mask => maskOf(secrets, true);

/** Masks the strings and names in a JSON value; numbers stay. */
export const maskJson = (value: Json, mask: Mask): Json => {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((one: Json) => maskJson(one, mask));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [mask(name), maskJson(inner, mask)]));
};
