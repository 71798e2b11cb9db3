import type { Suggestion } from "./suggest.ts";

/** The word at the cursor: as typed, as it is without its quoting, and the quote that is still open, with where its text begins. */
type Current = { readonly raw: string; readonly text: string; readonly open?: { readonly quote: "'" | '"'; readonly before: string } };
export type Line = { readonly words: readonly string[]; readonly current: Current };

const plainCharacter = /[\w./:=@%+,-]|[^\x00-\x7f]/u;
/** White space, a quoted part (its end may be missing), an escaped character, what only bash can tell, and plain text. */
const pieces = /(\s+)|'([^']*)('?)|"((?:\\[\s\S]|[^"\\])*\\?)("?)|\\([\s\S]?)|([$`;|&()<>])|([^\s'"\\$`;|&()<>]+)/gu;

/** Splits a command line up to the cursor as bash does. Undefined where only bash can tell (a `$`, a pipe), and behind a closed quote. */
export const readLine = (line: string): Line | undefined => {
  const words: string[] = [];
  let current: Current | undefined;
  let closed = false;
  for (const [raw, space, single, singleEnd, double, doubleEnd, escaped, special, text] of line.matchAll(pieces)) {
    if (special !== undefined || /(?<!\\)(?:\\\\)*[$`]/.test(double ?? "")) return undefined;
    if (space !== undefined) {
      if (current !== undefined) words.push(current.text);
      current = undefined;
      closed = false;
      continue;
    }
    const before: Current = current ?? { raw: "", text: "" };
    const quote = single !== undefined ? "'" : double !== undefined ? '"' : undefined;
    const added = single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? text ?? "";
    const isOpen = quote !== undefined && (singleEnd ?? doubleEnd) === "";
    closed ||= quote !== undefined && !isOpen;
    current = { raw: before.raw + raw, text: before.text + added, ...(isOpen ? { open: { quote, before: before.text } } : {}) };
  }
  return closed ? undefined : { words, current: current ?? { raw: "", text: "" } };
};

/** The literal text inside an open quote; undefined where it cannot stand there. */
const insideQuote = (text: string, quote: "'" | '"'): string | undefined => {
  if (quote === "'") return text.includes("'") ? undefined : text;
  // An exclamation mark recalls history, and behind a quotation mark at the end readline does not close the quote.
  return /!|"$/.test(text) ? undefined : text.replace(/["\\$`]/g, "\\$&");
};

const outsideQuotes = (text: string): string => [...text].map((character) => (plainCharacter.test(character) ? character : `\\${character}`)).join("");

/**
 * What bash is to put in place of its own current word, `cur`: a part of ours, as it also splits at `=` and `:`. Everything is
 * quoted for where it will stand, so that bash reads the suggestion's own text and nothing else.
 */
export const forBash = (suggestions: readonly Suggestion[], current: Current, cur: string): readonly string[] => {
  const fitting = suggestions.filter(({ value }) => value.startsWith(current.text));
  const { open } = current;
  if (open !== undefined) return fitting.flatMap(({ value }) => insideQuote(value.slice(open.before.length), open.quote) ?? []);
  const typed = /^[=:]*$/.test(cur) ? "" : cur;
  if (!current.raw.endsWith(typed)) return [];
  const kept = readLine(current.raw.slice(0, current.raw.length - typed.length))?.current.text ?? "";
  return fitting.map(({ value }) => outsideQuotes(value.slice(kept.length)));
};
