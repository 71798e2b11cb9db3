import { groupBy } from "./group-by.ts";
import { looseReference, namesNothing } from "./loose-reference.ts";
import { isTelling, type OtherSide } from "./other-side.ts";
import { receiptKey } from "./receipts.ts";

/** What a narrative gives as the reference of its row. */
export const referenceIn = (
  { referenceIn, nameIn }: { readonly referenceIn: readonly RegExp[]; readonly nameIn?: NameIn | undefined },
  text: string,
): string | undefined => {
  const taken = takeBy(referenceIn, text);
  return nameIn === undefined ? taken : nameIn(text, taken);
};

/** Longer cells are no narrative of one row. */
export const narrativeMax = 500;

/** Marks of a reference in the narratives of banks and portals: the least certain of the proofs. */
export const usualReferences: readonly RegExp[] = [/\bAcc\. (.*)$/su, /\bEREF[+:](\S+)/iu];

/** What the first pattern that fits takes out of a text. */
export const takeBy = (patterns: readonly RegExp[], text: string): string | undefined => {
  if (text === "" || text.length > narrativeMax) return undefined;
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1]?.trim();
    if (found !== undefined && !namesNothing(found)) return found;
  }
  return undefined;
};

/** The text of a row, and whether that row has the amount that the other side has for a reference. */
export type Narrative = { readonly text: string; readonly agrees: (token: string) => boolean };
type Named = { readonly text: string; readonly token: string; readonly start: number };

const piecesMax = 40;
/** Every place of a text that names a reference of the other side, at the borders of words: `INV-7` in `MPESA-UCL441211-INV-7`. */
const namedIn = ({ text, agrees }: Narrative, { references, receipts }: OtherSide): readonly Named[] => {
  if (text.length > narrativeMax) return [];
  const pieces = [...text.matchAll(/[\p{L}\p{N}]+/gu)].slice(0, piecesMax);
  const named: Named[] = [];
  let end = -1;
  for (const [from, { index }] of pieces.entries()) {
    if (index < end) continue;
    // A short number is a reference only with its mark, `#101`, or where the amount agrees too.
    const starts = text[index - 1] === "#" ? [index, index - 1] : [index];
    const found = starts
      .flatMap((start) =>
        pieces
          .slice(from, from + 5)
          .reverse()
          .map((last) => ({ text, token: text.slice(start, last.index + last[0].length), start })),
      )
      .find(
        ({ token }) =>
          /^#?[\p{L}\p{N}]+(?:[-_./#:+*\\ ][\p{L}\p{N}]+)*$/u.test(token) &&
          references.has(looseReference(token) ?? "") &&
          (isTelling(token) || agrees(token)) &&
          !receipts.has(receiptKey(token) ?? ""),
      );
    if (found === undefined) continue;
    named.push(found);
    end = found.start + found.token.length;
  }
  return named;
};

const keyOf = ({ token }: { readonly token: string }): string => looseReference(token) ?? "";
/** Names that stand in half of the texts: a till or a branch says nothing of a row. */
const commonIn = (all: readonly (readonly Named[])[]): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  for (const named of all) for (const key of new Set(named.map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
  const most = Math.max(2, all.length / 2);
  return new Set([...counts].flatMap(([key, count]) => (count > most ? [key] : [])));
};

/** The letters of a reference, and how long it is: others of about that form are references too. */
const formOf = (key: string): readonly [string, number] => [key.replace(/\d/g, ""), key.length];
const createForms = (keys: Iterable<string>): ((key: string) => boolean) => {
  const lengths = new Map<string, Set<number>>();
  for (const key of keys) {
    const [letters, length] = formOf(key);
    lengths.set(letters, (lengths.get(letters) ?? new Set<number>()).add(length));
  }
  return (key) => {
    const [letters, length] = formOf(key);
    return [-2, -1, 0, 1, 2].some((more) => lengths.get(letters)?.has(length + more) === true);
  };
};

/** The one reference of the other side that a text contains, asked for when the patterns found no such reference in it. */
export type NameIn = (text: string, taken: string | undefined) => string | undefined;

type NarrativeProof = { readonly patterns: readonly RegExp[]; readonly found: number };
export type ReferenceProof = NarrativeProof & { readonly nameIn: NameIn /** How many different ones. */; readonly distinct: number };

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const triedMax = 20;

/** By what stands right before a reference: two words, one, or signs alone; at the start of the text, nothing. */
const byAnchor = (named: readonly Named[]): readonly RegExp[] => {
  const counts = new Map<string, number>();
  for (const { text, start } of named) {
    const before = text.slice(0, start);
    const anchors = [/\S+\s+\S+$/u, /\S+\s+$/u, /[\p{L}\p{N}]*[^\p{L}\p{N}]+$/u, /[^\p{L}\p{N}]+$/u].flatMap((end) => end.exec(before.slice(-40))?.[0] ?? []);
    for (const anchor of new Set(before.trim() === "" ? [""] : anchors.map((each) => each.trimStart())))
      if (before.trim() === "" || /[^\s]/u.test(anchor)) counts.set(anchor, (counts.get(anchor) ?? 0) + 1);
  }
  // What stands right behind a reference in one of them ends it in the others.
  const ends = [...new Set(named.map(({ text, token, start }) => text[start + token.length] ?? ""))].filter((end) => /[^\p{L}\p{N}\s~;|,()[\].:-]/u.test(end));
  const inside = `[^\\s~;|,()\\[\\]"${ends.map(escaped).join("")}]+`;
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort((a, b) => b[1] - a[1] || b[0].length - a[0].length)
    .slice(0, triedMax)
    .map(([anchor]) =>
      anchor === "" ? new RegExp(`^\\s*(${inside})`, "u") : new RegExp(`(?:^|(?<=[^\\p{L}\\p{N}])|(?=[^\\p{L}\\p{N}]))${escaped(anchor)}(${inside})`, "u"),
    );
};

/** By the form that references have: letters, digits and, if they are not `loose`, signs in the same places. */
const byForm = (named: readonly Named[], loose: boolean): readonly RegExp[] => {
  const tokens = named.map(({ token }) => token.match(loose ? /\p{L}+|\p{N}+/gu : /\p{L}+|\p{N}+|[^\p{L}\p{N}]+/gu) ?? []);
  const forms = groupBy(tokens, (runs) => runs.map((run) => (/\p{L}/u.test(run) ? "L" : /\p{N}/u.test(run) ? "N" : "S")).join(""));
  const usual = [...forms].sort(([, a], [, b]) => b.length - a.length).slice(0, triedMax);
  return usual.map(([form, tokens]) => {
    const parts = [...form].map((sort, index) => {
      const runs = [...new Set(tokens.map((runs) => (runs[index] ?? "").toLowerCase()))];
      if (runs.length === 1 && sort !== "N") return escaped(runs[0] ?? "");
      const lengths = runs.map((run) => run.length);
      const count = form === "N" ? `{${Math.min(...lengths)},${Math.max(...lengths)}}` : "+";
      return `${sort === "L" ? "\\p{L}" : sort === "N" ? "\\d" : "[^\\p{L}\\p{N}]"}${count}`;
    });
    return new RegExp(`(?<![\\p{L}\\p{N}])(${parts.join(loose ? "[^\\p{L}\\p{N}]?" : "")})(?![\\p{L}\\p{N}]|[-/_.]\\d)`, "iu");
  });
};

/**
 * Learns, from narratives that name references of the other side, how to find the reference in the others: by what stands
 * before it, or its form. A pattern counts by how many different references it finds. Undefined if none finds two.
 */
export const proveReference = (narratives: readonly Narrative[], side: OtherSide): ReferenceProof | undefined => {
  const all = narratives.map((narrative) => namedIn(narrative, side));
  const common = commonIn(all);
  const named = all.flat().filter((each) => !common.has(keyOf(each)));
  const keys = new Map<string, Set<string>>();
  for (const each of named) keys.set(each.text, (keys.get(each.text) ?? new Set<string>()).add(keyOf(each)));
  // Any number has the form of a short one: only what stands before it tells which are references.
  const telling = named.filter(({ token }) => isTelling(token));
  const [best] = [...byAnchor(named), ...byForm(telling, false), ...byForm(telling, true)]
    .map((pattern) => {
      const found = [...keys].map(([text, own]) => [looseReference(takeBy([pattern], text) ?? "") ?? "", own] as const).filter(([key, own]) => own.has(key));
      return { pattern, texts: found.length, count: new Set(found.map(([key]) => key)).size };
    })
    .sort((a, b) => b.count - a.count || b.texts - a.texts);
  if (best === undefined || best.count < 2) return undefined;
  const isOfForm = createForms(side.references.keys());
  const nameIn: NameIn = (text, taken) => {
    // What has the form of a reference is one, also if the text speaks of another payment.
    if (taken !== undefined && isOfForm(looseReference(taken) ?? "")) return taken;
    const names = new Map(namedIn({ text, agrees: () => false }, side).map((each) => [keyOf(each), each.token]));
    for (const key of common) names.delete(key);
    const [name] = names.values();
    return names.size === 1 ? name : taken;
  };
  return { patterns: [best.pattern], nameIn, found: narratives.filter(({ text }) => keys.has(text)).length, distinct: best.count };
};

/** A few values in many rows, such as two tills, are no references beside a text that names many. */
export const isBetter = ({ rows, distinct }: { readonly rows: number; readonly distinct: number }, proof: ReferenceProof): boolean =>
  distinct >= proof.distinct || (rows >= proof.found && distinct * 2 > rows);

/** Learns whether narratives hold receipts: those of the other side, or by the form of mobile money's in three of five rows. */
export const proveReceipt = (narratives: readonly string[], side: OtherSide | undefined): NarrativeProof | undefined => {
  const pattern = /(?<![\p{L}\p{N}])(?=[A-Z0-9]*\d)([A-Z]{2}[A-Z0-9]{8})(?![\p{L}\p{N}])/iu;
  const taken = narratives.flatMap((text) => takeBy([pattern], text) ?? []);
  const found = side === undefined ? 0 : taken.filter((receipt) => side.receipts.has(receiptKey(receipt) ?? "")).length;
  if (found >= 2 || taken.filter((receipt) => receipt === receipt.toUpperCase()).length >= Math.max(1, narratives.length * 0.6))
    return { patterns: [pattern], found };
  if (side === undefined || side.receipts.size === 0) return undefined;
  const references = new Map([...side.receipts].map(([key, known]) => [looseReference(key) ?? key, known]));
  return proveReference(
    narratives.map((text) => ({ text, agrees: () => false })),
    { ...side, references, receipts: new Map() },
  );
};
