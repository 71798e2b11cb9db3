import { stringifyExact } from "../kernel/exact-json.ts";

// JSON.stringify leaves DEL, C1 and bidi controls as they are: on a terminal they act, so they are escaped too.
const unescaped = /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The escapes JSON.stringify leaves out, in text it made: parsing gives back the very same. */
export const escapeControls = (json: string): string => json.replace(unescaped, escaped);

/** JSON with numbers digit for digit and every control character escaped; parsing gives back the very same text (cli.md, Streams). */
export const jsonText = (value: unknown, indent = 0): string => escapeControls(stringifyExact(value, indent));
