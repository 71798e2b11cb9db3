/**
 * Text that others wrote is data (cli.md, Streams): what could drive a terminal or turn a line around is made
 * visible as its escape (`\x1b`, `\u202e`), so that a person sees that somebody tried. Line ends and tabs become spaces.
 */
const dangerous =
  // C0, DEL, C1, soft hyphen, Arabic letter mark, Mongolian vowel separator, zero-width space, direction marks,
  // line separators, bidi embeddings and isolates, invisible operators, BOM, interlinear marks, lone surrogates.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const lineEnds = /\r\n|[\n\t\u2028\u2029]/g;

const visible = (character: string): string => {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
};

/** One line that is safe to show on a terminal. */
export const sanitize = (text: string): string => text.replace(lineEnds, " ").replace(dangerous, visible);

/** The same for text that may hold several lines of our own making; each is cleaned. */
export const sanitizeLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => sanitize(line))
    .join("\n");
