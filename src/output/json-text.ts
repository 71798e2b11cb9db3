import { stringifyExact } from "../json/exact-json.ts";
import { escapeUnseen } from "./sanitize.ts";

/** JSON with numbers digit for digit and every control character escaped; parsing gives back the very same text (docs/rules.md, Streams). */
export const jsonText = (value: unknown, indent = 0): string => escapeUnseen(stringifyExact(value, indent));
