import { looseReference } from "./loose-reference.ts";
import { isTelling, type OtherSide } from "./other-side.ts";
import { looksLikeReceipt, receiptKey } from "./receipts.ts";

/** Longer cells are no narrative of one row. */
export const narrativeMax = 500;

/** Marks of a reference in the narratives of banks and portals: the least certain of the proofs. */
export const usualReferences: readonly RegExp[] = [
  /\bAcc\. (.*)$/su,
  /\bAcc(?:ount)?\.? ?(?:Number|No)\.?[:\s]+(\S+)/iu,
  /\bA\/C(?: (?:Number|No))?\.?[:\s]+(\S+)/iu,
  /\bEREF[+:](?!NOTPROVIDED)(\S+)/iu,
];

/** What the first pattern that fits takes out of a text. */
export const takeBy = (patterns: readonly RegExp[], text: string): string | undefined => {
  if (text === "" || text.length > narrativeMax) return undefined;
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1]?.trim();
    if (found !== undefined && found !== "") return found;
  }
  return undefined;
};

type Found = { readonly text: string; readonly token: string; readonly start: number };

/** The words of a narrative with where each begins, also those inside `530100#BA-1` and `UCL~441211#BD-1`. */
const wordsOf = (text: string): readonly { readonly token: string; readonly start: number }[] => {
  const words: { token: string; start: number }[] = [];
  for (const pattern of [/[^\s~;|,()[\]{}"]+/gu, /[^\s~;|,()[\]{}"#:*=/\\+]+/gu]) {
    for (const found of text.matchAll(pattern)) {
      const token = found[0].replace(/[.:]+$/u, "");
      if (token !== "") words.push({ token, start: found.index });
    }
  }
  return words;
};

/** Where a narrative names a reference of the other side, at the borders of a word. */
const findReference = (text: string, side: OtherSide): Found | undefined => {
  if (text.length > narrativeMax) return undefined;
  for (const { token, start } of wordsOf(text)) {
    if (isTelling(token) && !looksLikeReceipt(token) && side.references.has(looseReference(token) ?? "")) return { text, token, start };
  }
  const isKnown = ({ token }: { readonly token: string }): boolean => isTelling(token) && side.references.has(looseReference(token) ?? "");
  const word = wordsOf(text).find(isKnown) ?? partsOf(text).find(isKnown);
  return word === undefined ? undefined : { text, ...word };
};

const partsMax = 40;
/** Parts of texts such as `MPESA-UCL441211-INV-7`, the longest of each place first. */
const partsOf = (text: string): readonly { readonly token: string; readonly start: number }[] => {
  const pieces = [...text.matchAll(/[\p{L}\p{N}]+/gu)].slice(0, partsMax);
  return pieces.flatMap(({ index: start }, from) =>
    pieces
      .slice(from, from + 4)
      .reverse()
      .map((last) => ({ token: text.slice(start, last.index + last[0].length), start }))
      .filter(({ token }) => /^[\p{L}\p{N}]+(?:[-_. ][\p{L}\p{N}]+)*$/u.test(token)),
  );
};

export type NarrativeProof = { readonly pattern: RegExp; readonly found: number };

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** What stands before all of them: the longest common end of the texts in front, back to the border of a word. */
const anchorOf = (found: readonly Found[]): string => {
  const before = found.map(({ text, start }) => text.slice(Math.max(0, start - 30), start));
  let anchor = before[0] ?? "";
  for (const text of before) while (anchor !== "" && !text.endsWith(anchor)) anchor = anchor.slice(1);
  // A part of a word or number that happens to be common is no mark; what ends in one is.
  const inside = found.some(({ text, start }) => {
    const outside = text[start - anchor.length - 1];
    return outside !== undefined && anchor !== "" && /[\p{L}\p{N}]/u.test(outside) && /[\p{L}\p{N}]/u.test(anchor[0] ?? "");
  });
  return (inside ? anchor.replace(/^[\p{L}\p{N}]+/u, "") : anchor).trimStart();
};

/** The letters that all of them begin with, up to a sign or a digit. */
const prefixOf = (found: readonly Found[]): string => {
  let prefix = found[0]?.token ?? "";
  for (const { token } of found) while (prefix !== "" && !token.toLowerCase().startsWith(prefix.toLowerCase())) prefix = prefix.slice(0, -1);
  return /^\p{L}+[-/_# ]?/u.exec(prefix)?.[0] ?? "";
};

/**
 * Learns, from narratives that name references of the other side, how to find the reference in the others: by what stands
 * before it in all of them, or else by the letters that all references begin with. Undefined if fewer than two name one.
 */
export const proveReference = (narratives: readonly string[], side: OtherSide): NarrativeProof | undefined => {
  const found = narratives.flatMap((text) => findReference(text, side) ?? []);
  if (new Set(found.map(({ token }) => token)).size < 2) return undefined;
  const anchor = anchorOf(found);
  // What stands right behind a reference in one of them ends it in the others.
  const ends = [...new Set(found.map(({ text, token, start }) => text[start + token.length] ?? ""))].filter((end) => /[^\p{L}\p{N}\s~;|,()[\].:-]/u.test(end));
  const inside = `[^\\s~;|,()\\[\\]${ends.map(escaped).join("")}]+`;
  const patterns: RegExp[] = [];
  if (/[^\s]/u.test(anchor) && !/^[\p{L}\p{N}]{1,2}$/u.test(anchor.trim()))
    patterns.push(new RegExp(`(?:^|(?<=[^\\p{L}\\p{N}])|(?=[^\\p{L}\\p{N}]))${escaped(anchor)}(${inside})`, "u"));
  const prefix = prefixOf(found);
  for (const joints of prefix.length >= 2 ? ["/_-", "_-", ""] : [])
    patterns.push(new RegExp(`(?<![\\p{L}\\p{N}])(${escaped(prefix)}[\\p{L}\\p{N}][\\p{L}\\p{N}${joints}]*)`, "iu"));
  const [{ token: one } = { token: "" }] = found;
  if (/^\d{4,}$/.test(one)) patterns.push(new RegExp(`(?<![\\p{L}\\p{N}])(\\d{${one.length}})(?![\\p{L}\\p{N}])`, "u"));
  for (const mark of ["/", "|", "~", ";", "*", ","]) {
    const places = new Set(found.map(({ text, start }) => text.slice(0, start).split(mark).length - 1));
    const [place] = places;
    if (places.size === 1 && place !== undefined && place > 0) patterns.push(new RegExp(`^(?:[^${mark}]*[${mark}]){${place}}([^${mark}]+)`, "u"));
  }
  const pattern = patterns.find((each) => found.every(({ text, token }) => looseReference(takeBy([each], text) ?? "") === looseReference(token)));
  return pattern === undefined ? undefined : { pattern, found: found.length };
};

/** Learns whether narratives hold receipts: those of the other side, or by their form in three of five rows. */
export const proveReceipt = (narratives: readonly string[], side: OtherSide | undefined): NarrativeProof | undefined => {
  const pattern = /(?<![\p{L}\p{N}])(?=[A-Z0-9]*\d)([A-Z]{2}[A-Z0-9]{8})(?![\p{L}\p{N}])/u;
  const taken = narratives.flatMap((text) => takeBy([pattern], text) ?? []);
  if (taken.length === 0) return undefined;
  const found = side === undefined ? 0 : taken.filter((receipt) => side.receipts.has(receiptKey(receipt) ?? "")).length;
  if (found >= 2 || taken.length >= narratives.length * 0.6) return { pattern, found };
  return undefined;
};
