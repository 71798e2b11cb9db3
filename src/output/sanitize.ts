/*
 * Text that others wrote is data (docs/rules.md, Streams). The one place that decides which characters may reach a terminal: what
 * drives it, reorders a line or cannot be seen is shown as its escape (`\x1b`, `\u202e`), so that a person sees what was tried.
 */

// Controls, format characters (bidi, zero width, tags), line separators, halves of characters, and letters that are blank.
// Variation selectors stay: they choose between the two pictures of an emoji.
const unseen = "[\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}]--[\\ufe00-\\ufe0f]";
// The joiner inside an emoji is part of one picture.
const inEmoji = "(?<![\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]\\u200d(?=\\p{Extended_Pictographic}))";
const harmful = new RegExp(`[\\p{Cc}[${unseen}]]${inEmoji}`, "gv");
const unseenInJson = new RegExp(`[\\u007f-\\u009f[${unseen}]]${inEmoji}`, "gv");
const strayInDrawing = new RegExp(`[[\\p{Cc}--[\\u0007\\b\\n\\r\\u001b]][${unseen}]]${inEmoji}`, "gv");
const lineEnds = /\r\n|[\n\t\u2028\u2029]/g;
const plain = /^[\x20-\x7e]*$/;

const visible = (character: string): string => {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  if (hex.length > 4) return `\\u{${hex}}`;
  return hex.length > 2 ? `\\u${hex.padStart(4, "0")}` : `\\x${hex.padStart(2, "0")}`;
};

/** One line that is safe to show on a terminal. Line ends and tabs become spaces. */
export const sanitize = (text: string): string => (plain.test(text) ? text : text.replace(lineEnds, " ").replace(harmful, visible));

/** Nothing in it would have to be made visible. */
export const isPrintable = (text: string): boolean => sanitize(text) === text;

/** Several lines of ours, indented under the first. A line end inside one of them begins no line. */
export const sanitizeLines = (lines: string | readonly string[]): string => (typeof lines === "string" ? [lines] : lines).map(sanitize).join("\n  ");

/** A whole text of somebody else's: its lines and tabs are kept. */
export const sanitizeText = (text: string): string =>
  text
    .split(/\r\n|[\n\r]/)
    .map((line) => line.split("\t").map(sanitize).join("\t"))
    .join("\n");

/** What a prompting library draws, with its own cursor movement and colours: everything that it does not use itself is made visible. */
export const sanitizeDrawing = (text: string): string => text.replace(strayInDrawing, visible);

/** What `JSON.stringify` leaves as it is although it acts on a terminal or cannot be seen, as JSON escapes: parsing gives back the very same. */
export const escapeUnseen = (json: string): string =>
  json.replace(unseenInJson, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
