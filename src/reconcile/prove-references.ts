import type { FieldName } from "./columns.ts";
import { byHeading, cellOf, type Draft, freeColumns, isSure, nameOfColumn, take } from "./draft.ts";
import { isReceiptHeading, rankOfHeading } from "./heading-words.ts";
import { looseReference } from "./loose-reference.ts";
import { proveReceipt, proveReference, takeBy, usualReferences } from "./narrative.ts";
import { isTelling, type OtherSide } from "./other-side.ts";
import { emptyProfile, isAmountColumn, isDateColumn, isIdentifierColumn, isPhoneColumn, isReceiptColumn, type Profile } from "./profile.ts";
import { receiptKey } from "./receipts.ts";

const matchesMin = 2;

type Matches = { readonly column: number; readonly rows: number; readonly distinct: number };

const countMatches = (draft: Draft, column: number, isKnown: (cell: string) => boolean): Matches => {
  const seen = new Set<string>();
  let rows = 0;
  for (const row of draft.body) {
    const cell = cellOf(row, column);
    if (cell === "" || cell.length > 80 || !isKnown(cell)) continue;
    rows += 1;
    seen.add(cell);
  }
  return { column, rows, distinct: seen.size };
};

const best = (found: readonly Matches[], preferred: readonly number[]): Matches | undefined => {
  const place = (column: number): number => (preferred.includes(column) ? preferred.indexOf(column) : preferred.length);
  return [...found].sort((a, b) => b.distinct - a.distinct || place(a.column) - place(b.column) || a.column - b.column).find(({ distinct }) => distinct > 0);
};

/** Enough different values for no chance; one is enough if the file hardly has more. */
const isProof = ({ distinct }: Matches, filled: number): boolean => distinct >= matchesMin || (distinct === 1 && filled <= 3);

const couldName = (profile: Profile | undefined): boolean =>
  profile !== undefined && profile.filled > 0 && !isDateColumn(profile) && !isPhoneColumn(profile) && profile.directed === 0 && profile.negatives === 0;

const isKnownReference =
  ({ references }: OtherSide) =>
  (cell: string): boolean => {
    const loose = looseReference(cell);
    return loose !== undefined && (isTelling(cell) || loose.length >= 4) && references.has(loose);
  };

/** Finds the column, or the words of the narrative, that hold the reference and the receipt. */
export const proveReferences = (draft: Draft, other: OtherSide | undefined): void => {
  proveReceiptColumn(draft, other);
  proveReferenceColumn(draft, other);
  takeWeakReceipt(draft, other);
};

const columnsToTry = (draft: Draft, field: "reference" | "receipt"): readonly number[] => {
  const own = draft.columns[field];
  const also = [draft.columns.id, draft.columns.details].filter((column) => column !== undefined);
  return [...new Set([...(own === undefined ? [] : [own]), ...also, ...freeColumns(draft)])].filter(
    (column) => couldName(draft.profiles[column]) && !isLikelyAmount(draft, column),
  );
};

/** Amounts are on both sides as well: a column of them that no heading calls a reference is none. */
const isLikelyAmount = (draft: Draft, column: number): boolean => {
  const profile = draft.profiles[column];
  if (profile === undefined || !isAmountColumn(profile)) return false;
  const named = (fields: readonly FieldName[]): boolean =>
    fields.some((field) => rankOfHeading(draft.header.headings[column] ?? "", field, draft.kind) !== undefined);
  return named(["amount", "paid-in", "withdrawn", "balance"]) || !(named(["reference", "receipt", "id"]) || profile.distinct === profile.filled);
};

const proveReceiptColumn = (draft: Draft, other: OtherSide | undefined): void => {
  draft.receiptIn = (draft.data?.narrative?.receipt ?? []).map((pattern) => new RegExp(pattern, "iu"));
  if (draft.sources.get("receipt") === "told") return;
  const named = byHeading(draft, "receipt");
  if (other !== undefined && other.receipts.size > 0) {
    const found = best(
      columnsToTry(draft, "receipt").map((column) => countMatches(draft, column, (cell) => other.receipts.has(receiptKey(cell) ?? ""))),
      draft.columns.receipt === undefined ? named : [draft.columns.receipt],
    );
    if (found !== undefined && (isProof(found, draft.body.length) || found.column === draft.columns.receipt)) {
      if (found.column !== draft.columns.receipt) take(draft, "receipt", found.column, "other side");
      draft.notes.push(`Receipts: ${found.rows} of the cells in "${nameOfColumn(draft.header, found.column)}" are known to ${other.name}.`);
      return;
    }
  }
  if (draft.columns.receipt !== undefined) return;
  const profileOf = (column: number): Profile | undefined => draft.profiles[column];
  const strong = named.find((column) => isReceiptHeading(draft.header.headings[column] ?? "") && couldName(profileOf(column)));
  const formed = [...named, ...freeColumns(draft)].find((column) => isReceiptColumn(profileOf(column) ?? emptyProfile));
  const column = strong ?? formed;
  if (column !== undefined) take(draft, "receipt", column, strong === column ? "heading" : "form");
  else if (draft.receiptIn.length === 0 && draft.kind === "statement") {
    const proof = proveReceipt(narrativesOf(draft), other);
    if (proof === undefined) return;
    draft.receiptIn = [proof.pattern];
    draft.notes.push(
      `Receipts: they stand in ${nameOfColumn(draft.header, draft.columns.details ?? 0)}${other === undefined ? "" : `; ${proof.found} of them are receipts of ${other.name}`}.`,
    );
  }
};

/** An id of the bank's own must not forbid the reference: it is a receipt only beside a side that has none. */
const takeWeakReceipt = (draft: Draft, other: OtherSide | undefined): void => {
  if (draft.kind !== "statement" || draft.columns.receipt !== undefined || draft.receiptIn.length > 0) return;
  if (other !== undefined && other.receipts.size > 0) return;
  const [column] = byHeading(draft, "receipt").filter((each) => couldName(draft.profiles[each]));
  if (column !== undefined) take(draft, "receipt", column, "heading");
};

const narrativesOf = (draft: Draft): readonly string[] =>
  draft.columns.details === undefined ? [] : draft.body.map((row) => cellOf(row, draft.columns.details)).filter((text) => text !== "");

const proveReferenceColumn = (draft: Draft, other: OtherSide | undefined): void => {
  const own = (draft.data?.narrative?.reference ?? []).map((pattern) => new RegExp(pattern, "iu"));
  draft.referenceIn = [...own, ...(draft.kind === "statement" ? usualReferences : [])];
  if (draft.sources.get("reference") === "told") return;
  const candidates = columnsToTry(draft, "reference").filter((column) => column !== draft.columns.receipt);
  const named = byHeading(draft, "reference", candidates);
  const given = draft.columns.reference;
  if (other !== undefined && other.references.size > 0) {
    const found = best(
      candidates.map((column) => countMatches(draft, column, isKnownReference(other))),
      given === undefined ? named : [given, ...named],
    );
    const proof = draft.kind === "statement" ? proveReference(narrativesOf(draft), other) : undefined;
    const kept = given === undefined ? undefined : countMatches(draft, given, isKnownReference(other));
    const byLayout = own.length > 0 ? narrativesOf(draft).filter((text) => isKnownReference(other)(takeBy(own, text) ?? "")).length : 0;
    if (kept !== undefined && kept.distinct > 0 && isSure(draft, "reference")) {
      sayReference(draft, kept, other);
      return;
    }
    if (byLayout > 0 && byLayout >= (found?.rows ?? 0)) {
      if (!isSure(draft, "reference")) delete draft.columns.reference;
      draft.notes.push(`References: ${byLayout} that stand in ${nameOfColumn(draft.header, draft.columns.details ?? 0)} are references of ${other.name}.`);
      return;
    }
    if (found !== undefined && isProof(found, draft.body.length) && found.rows >= (proof?.found ?? 0)) {
      take(draft, "reference", found.column, found.column === given ? (draft.sources.get("reference") ?? "heading") : "other side");
      sayReference(draft, found, other);
      return;
    }
    if (proof !== undefined) {
      draft.referenceIn = [proof.pattern, ...draft.referenceIn];
      delete draft.columns.reference;
      draft.notes.push(
        `References: they stand in ${nameOfColumn(draft.header, draft.columns.details ?? 0)}; ${proof.found} of them are references of ${other.name}.`,
      );
      return;
    }
  }
  if (given !== undefined) return;
  takeByName(draft, named, candidates);
};

const sayReference = (draft: Draft, { column, rows }: Matches, other: OtherSide): void => {
  draft.notes.push(`References: ${rows} of the cells in "${nameOfColumn(draft.header, column)}" are known to ${other.name}.`);
};

/** One value all through a statement is the account that it is of. */
const isOwnAccount = ({ kind, profiles }: Draft, column: number): boolean => {
  const { distinct, filled } = profiles[column] ?? emptyProfile;
  return kind === "statement" && distinct === 1 && filled > 2;
};

/** The last resort: headings, then the form of the cells. */
const takeByName = (draft: Draft, named: readonly number[], candidates: readonly number[]): void => {
  const [column] = named.filter((each) => couldName(draft.profiles[each]) && !isOwnAccount(draft, each));
  if (column !== undefined) {
    take(draft, "reference", column, "heading");
    return;
  }
  if (draft.kind === "orders") {
    const [id] = byHeading(draft, "id", candidates);
    if (id !== undefined) {
      take(draft, "reference", id, "heading");
      return;
    }
  }
  const forms = candidates.filter((each) => {
    const profile = draft.profiles[each] ?? emptyProfile;
    return (
      isIdentifierColumn(profile) &&
      profile.distinct >= profile.filled * 0.8 &&
      profile.amounts < profile.filled &&
      !/\bbalance\b/i.test(draft.header.headings[each] ?? "")
    );
  });
  if (draft.columns.receipt !== undefined || draft.receiptIn.length > 0) return;
  if (draft.kind === "statement" && narrativesOf(draft).filter((text) => takeBy(draft.referenceIn, text) !== undefined).length >= matchesMin) return;
  const [only] = forms;
  if (forms.length === 1 && only !== undefined) {
    take(draft, "reference", only, "form");
    draft.notes.push(`References: ${nameOfColumn(draft.header, only)} is the only column that could hold them.`);
    return;
  }
  const { details } = draft.columns;
  draft.open.push({ field: "reference", candidates: forms.length > 0 || details === undefined ? forms : [details] });
};
