import { amountColumns, areLongNumbers, referenceOf, toAmountRows } from "./amount-rows.ts";
import { absolute } from "./balance-proof.ts";
import type { FieldName } from "./columns.ts";
import { byHeading, cellOf, type Draft, freeColumns, headingOf, isSure, nameOf, profileOf, says, take } from "./draft.ts";
import { headingSays, isReceiptHeading, rankOfHeading } from "./heading-words.ts";
import { looseReference } from "./loose-reference.ts";
import { isBetter, proveReceipt, proveReference, type ReferenceProof, takeBy, usualReferences } from "./narrative.ts";
import { isTelling, type OtherSide } from "./other-side.ts";
import { isAmountColumn, isDateColumn, isIdentifierColumn, isPhoneColumn, isReceiptColumn, type Profile } from "./profile.ts";
import { haveSameCells } from "./prove-amounts.ts";
import { receiptKey, receiptsOf } from "./receipts.ts";

const matchesMin = 2;

type Matches = { readonly column: number; readonly rows: number; readonly distinct: number };

type IsKnown = (cell: string, row: Draft["body"][number]) => boolean;
const countMatches = (draft: Draft, column: number, isKnown: IsKnown): Matches => {
  const seen = new Set<string>();
  let rows = 0;
  for (const row of draft.body) {
    const cell = cellOf(row, column);
    if (cell === "" || cell.length > 80 || !isKnown(cell, row)) continue;
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

const couldName = (profile: Profile): boolean =>
  profile.filled > 0 &&
  (!isDateColumn(profile) || isAmountColumn(profile) || profile.epochs === profile.dates) &&
  !isPhoneColumn(profile) &&
  profile.directed === 0 &&
  profile.negatives === 0;

/** Whether a row has the amount that the other side has for a reference. */
const createAgreement = (draft: Draft, { references }: OtherSide): IsKnown => {
  const rows = new Map(toAmountRows(draft, amountColumns(draft)).map(({ row, amounts }) => [row, [...amounts.values()].map(absolute)]));
  return (reference, row) => {
    const amountMinor = references.get(looseReference(reference) ?? "")?.amountMinor;
    return amountMinor !== undefined && rows.get(row)?.includes(absolute(amountMinor)) === true;
  };
};

/** A short number is on both sides by chance, unless the amount agrees. */
const isKnownReference =
  ({ references }: OtherSide, agrees: IsKnown): IsKnown =>
  (cell, row) => {
    const loose = looseReference(cell);
    return loose !== undefined && references.has(loose) && (isTelling(cell) || loose.length >= 4 || agrees(cell, row));
  };

/**
 * Finds the column, or the words of a narrative, that hold the reference and the receipt: first by the values of the other side, then
 * by headings, and by the form of cells last.
 */
export const proveReferences = (draft: Draft, other: OtherSide | undefined): void => {
  const own = draft.referenceIn;
  draft.referenceIn = [...own, ...(draft.kind === "statement" ? usualReferences : [])];
  if (other !== undefined) proveReceiptColumn(draft, other);
  const isProved = other !== undefined && proveReferenceColumn(draft, other, own);
  takeReceipt(draft, other);
  if (!isProved && draft.columns.reference === undefined) takeByName(draft);
  takeWeakReceipt(draft, other);
};

const columnsToTry = (draft: Draft, field: "reference" | "receipt"): readonly number[] => {
  const own = [draft.columns[field], draft.columns.id, draft.columns.details].filter((column) => column !== undefined);
  return [...new Set([...own, ...freeColumns(draft)])].filter((column) => couldName(profileOf(draft, column)));
};

/** Amounts are on both sides as well: a column of them that no heading calls a reference is none. */
const isLikelyAmount = (draft: Draft, column: number): boolean => {
  const profile = profileOf(draft, column);
  if (!isAmountColumn(profile)) return false;
  const heading = headingOf(draft, column);
  const named = (fields: readonly FieldName[]): boolean => fields.some((field) => rankOfHeading(heading, field, draft.kind) !== undefined);
  if (named(["amount", "paid-in", "withdrawn", "balance"])) return true;
  if (named(["reference", "receipt", "id"]) || headingSays(heading, "number")) return false;
  return headingSays(heading, "money") || (profile.distinct < profile.filled && !areLongNumbers(draft, column));
};

const proveReceiptColumn = (draft: Draft, other: OtherSide): void => {
  if (draft.sources.get("receipt") === "told" || other.receipts.size === 0) return;
  const columns = columnsToTry(draft, "receipt").filter((column) => !isLikelyAmount(draft, column));
  const all = columns.map((column) => countMatches(draft, column, (cell) => receiptsOf(cell).some((receipt) => other.receipts.has(receiptKey(receipt) ?? ""))));
  const found = best(all, draft.columns.receipt === undefined ? byHeading(draft, "receipt") : [draft.columns.receipt]);
  if (draft.kind === "orders" && takeReceiptInTexts(draft, columns, other, found?.rows ?? 0)) return;
  if (found === undefined || !(isProof(found, draft.body.length) || found.column === draft.columns.receipt)) return;
  if (found.column !== draft.columns.receipt) take(draft, "receipt", found.column, "other side");
  draft.notes.push(`Receipts: they stand in "${nameOf(draft, found.column)}"; ${other.name} knows ${found.rows} of them.`);
  const again = all.find(({ column, distinct }) => column !== found.column && distinct >= matchesMin && !haveSameCells(draft, [column, found.column]));
  if (draft.kind === "orders" && again !== undefined)
    draft.notes.push(`Receipts: "${nameOf(draft, again.column)}" has others, and is not read: of two payments in a row only one counts.`);
};

/** People write more than the receipt, or paste the whole message that has it. */
const takeReceiptInTexts = (draft: Draft, columns: readonly number[], other: OtherSide, more: number): boolean => {
  const texts = columns.filter((column) => profileOf(draft, column).phrases > 0);
  const [best] = texts
    .flatMap((column) => ((proof) => (proof === undefined ? [] : [{ ...proof, column }]))(proveReceipt(textsOf(draft, column), other)))
    .sort((a, b) => b.found - a.found);
  if (best === undefined || best.found < matchesMin || best.found <= more || isSure(draft, "receipt")) return false;
  delete draft.columns.receipt;
  take(draft, "details", best.column, "other side");
  draft.receiptIn = best.patterns;
  draft.notes.push(`Receipts: they stand in ${nameOf(draft, best.column)}; ${best.found} of them are receipts of ${other.name}.`);
  return true;
};

/** Receipts by a heading, the form of cells, or in the narrative. */
const takeReceipt = (draft: Draft, other: OtherSide | undefined): void => {
  if (draft.columns.receipt !== undefined || (draft.kind === "orders" && draft.receiptIn.length > 0)) return;
  const named = byHeading(draft, "receipt").filter((column) => !isOwnAccount(draft, column) && !isOfSeveral(draft, column));
  const strong = named.find((column) => isReceiptHeading(headingOf(draft, column)) && couldName(profileOf(draft, column)));
  const column =
    strong ??
    [...named, ...freeColumns(draft)].find((each) => isReceiptColumn(profileOf(draft, each)) && !isOwnAccount(draft, each) && !isOfSeveral(draft, each));
  if (column !== undefined) take(draft, "receipt", column, strong === column ? "heading" : "form");
  else if (draft.receiptIn.length === 0 && draft.kind === "statement") {
    const proof = proveReceipt(narrativesOf(draft), other);
    if (proof === undefined) return;
    draft.receiptIn = proof.patterns;
    draft.notes.push(
      `Receipts: they stand in ${nameOf(draft, draft.columns.details ?? 0)}${other === undefined ? "" : `; ${proof.found} of them are receipts of ${other.name}`}.`,
    );
  }
};

/** An id of the bank's own must not forbid the reference: it is a receipt only beside a side that has none. */
const takeWeakReceipt = (draft: Draft, other: OtherSide | undefined): void => {
  if (draft.kind !== "statement" || draft.columns.receipt !== undefined || draft.receiptIn.length > 0) return;
  if (other !== undefined && other.receipts.size > 0) return;
  const [column] = byHeading(draft, "receipt").filter((each) => couldName(profileOf(draft, each)) && !isOfSeveral(draft, each));
  if (column !== undefined) take(draft, "receipt", column, "heading");
};

const textsOf = ({ body }: Draft, column: number | undefined): readonly string[] => body.map((row) => cellOf(row, column)).filter((text) => text !== "");
const narrativesOf = (draft: Draft): readonly string[] => textsOf(draft, draft.columns.details);

/** The column of texts that name most references of the other side: any column of texts may be the narrative. */
const proveNarrative = (draft: Draft, other: OtherSide, agrees: IsKnown): (ReferenceProof & { readonly column: number }) | undefined => {
  const { details, type, receipt, reference } = draft.columns;
  // What a shop's plug-in sends as the reference may be more than the order's: `WOOC_5012_17733`.
  const columns = [...new Set(isSure(draft, "details") ? [details, reference] : [details, type, reference, ...freeColumns(draft)])];
  return columns
    .flatMap((column) => {
      const profile = profileOf(draft, column);
      if (column === undefined || column === receipt || !couldName(profile) || isAmountColumn(profile)) return [];
      if (column !== reference && says(draft, column, "account of several")) return [];
      const narratives = draft.body.flatMap((row) => {
        const text = cellOf(row, column);
        return text === "" ? [] : [{ text, agrees: (token: string) => agrees(token, row) }];
      });
      const proof = proveReference(narratives, other);
      return proof === undefined ? [] : [{ ...proof, column }];
    })
    .sort((a, b) => b.distinct - a.distinct || b.found - a.found)[0];
};

/** False if the other side proves nothing of the reference. */
const proveReferenceColumn = (draft: Draft, other: OtherSide, own: readonly RegExp[]): boolean => {
  if (draft.sources.get("reference") === "told") return true;
  if (other.references.size === 0) return false;
  const candidates = columnsToTry(draft, "reference").filter((column) => column !== draft.columns.receipt);
  const given = draft.columns.reference;
  const agrees = createAgreement(draft, other);
  const isKnown = isKnownReference(other, agrees);
  const kept = given === undefined ? undefined : countMatches(draft, given, isKnown);
  if (kept !== undefined && kept.distinct > 0 && isSure(draft, "reference")) {
    sayReference(draft, kept, other);
    return true;
  }
  // Amounts are on both sides as well: there the amount of the row has to agree.
  const all = candidates.map((column) => countMatches(draft, column, isLikelyAmount(draft, column) ? agrees : isKnown));
  const isOfParty = ({ column }: Matches): boolean => column !== given && says(draft, column, "account of several");
  const preferred = [...(given === undefined ? [] : [given]), ...byHeading(draft, "reference", candidates)];
  const found =
    best(
      all.filter((each) => !isOfParty(each) && isProof(each, draft.body.length)),
      preferred,
    ) ?? best(all, preferred);
  const byLayout = own.length > 0 ? draft.body.filter((row) => isKnown(takeBy(own, cellOf(row, draft.columns.details)) ?? "", row)).length : 0;
  if (byLayout > 0 && byLayout >= (found?.rows ?? 0)) {
    if (!isSure(draft, "reference")) delete draft.columns.reference;
    sayNarrative(draft, byLayout, other);
    return true;
  }
  const isFound = found !== undefined && isProof(found, draft.body.length);
  const proof = draft.kind === "orders" && isFound ? undefined : proveNarrative(draft, other, agrees);
  if (isFound && (proof === undefined || (isBetter(found, proof) && !isOfParty(found)))) {
    take(draft, "reference", found.column, found.column === given ? (draft.sources.get("reference") ?? "heading") : "other side");
    sayReference(draft, found, other);
    return true;
  }
  if (proof === undefined) return false;
  delete draft.columns.reference;
  takeNarrative(draft, proof.column);
  draft.referenceIn = [...proof.patterns, ...draft.referenceIn];
  draft.nameIn = proof.nameIn;
  sayNarrative(draft, proof.found, other);
  return true;
};

/** What its heading called the narrative may still say what kind of row it is. */
const takeNarrative = (draft: Draft, column: number): void => {
  const { details, type } = draft.columns;
  if (details === column) return;
  if (type === column) delete draft.columns.type;
  take(draft, "details", column, "other side");
  const profile = profileOf(draft, details);
  if (details !== undefined && draft.columns.type === undefined && profile.distinct * 2 <= profile.filled) take(draft, "type", details, "form");
  else draft.besideDetails = details;
};

const sayNarrative = (draft: Draft, found: number, other: OtherSide): void => {
  draft.notes.push(`References: they stand in ${nameOf(draft, draft.columns.details ?? 0)}; ${found} of them are references of ${other.name}.`);
};

const sayReference = (draft: Draft, { column, rows }: Matches, other: OtherSide): void => {
  draft.notes.push(`References: they stand in "${nameOf(draft, column)}"; ${other.name} knows ${rows} of them.`);
};

/** One value all through a statement is the account that it is of. */
const isOwnAccount = (draft: Draft, column: number): boolean => {
  const { distinct, filled } = profileOf(draft, column);
  return draft.kind === "statement" && distinct === 1 && filled > 2;
};

/** One value for payments of different references is that of a batch, and no payment's own. */
const isOfSeveral = (draft: Draft, column: number): boolean => {
  const names = new Map<string, string>();
  return draft.body.some((row) => {
    const [receipt, reference] = [receiptKey(cellOf(row, column)), referenceOf(draft, row)];
    if (receipt === undefined || reference === undefined) return false;
    const first = names.get(receipt) ?? reference;
    names.set(receipt, first);
    return first !== reference;
  });
};

/** The last resort: headings, then the form of the cells. */
const takeByName = (draft: Draft): void => {
  const candidates = columnsToTry(draft, "reference").filter((column) => column !== draft.columns.receipt && !isLikelyAmount(draft, column));
  const named = byHeading(draft, "reference", candidates);
  const [column] = named.filter((each) => couldName(profileOf(draft, each)) && !isOwnAccount(draft, each));
  if (column !== undefined) {
    take(draft, "reference", column, "heading");
    return;
  }
  if (draft.kind === "orders") {
    // Beside receipts it only names the orders for people.
    const { receipt } = draft.columns;
    const isNumber = (each: number): boolean =>
      says(draft, each, "number") && isIdentifierColumn(profileOf(draft, each)) && !/^[01]$/.test(draft.body[0]?.cells[each] ?? "");
    const isOfAll =
      receipt !== undefined &&
      profileOf(draft, receipt).filled === draft.body.length &&
      rankOfHeading(headingOf(draft, receipt), "receipt", "orders") === undefined;
    const id = byHeading(draft, "id", candidates)[0] ?? (receipt === undefined ? undefined : (candidates.find(isNumber) ?? (isOfAll ? receipt : undefined)));
    if (id !== undefined) {
      take(draft, "reference", id, "heading");
      return;
    }
  }
  const forms = candidates.filter((each) => {
    const profile = profileOf(draft, each);
    return (
      isIdentifierColumn(profile) &&
      profile.distinct >= profile.filled * 0.8 &&
      profile.phrases * 2 < profile.filled &&
      profile.amounts < profile.filled &&
      !/\bbalance\b/i.test(headingOf(draft, each))
    );
  });
  if (draft.columns.receipt !== undefined || draft.receiptIn.length > 0) return;
  if (draft.kind === "statement" && narrativesOf(draft).filter((text) => takeBy(draft.referenceIn, text) !== undefined).length >= matchesMin) return;
  const [only] = forms;
  if (forms.length === 1 && only !== undefined) {
    take(draft, "reference", only, "form");
    draft.notes.push(`References: ${nameOf(draft, only)} is the only column that could hold them.`);
    return;
  }
  const isTold = (["amount", "paid-in", "withdrawn"] as const).some((field) => draft.sources.get(field) === "told");
  if (forms.length > 0 || !isTold) draft.open.push({ field: "reference", candidates: forms });
  else draft.notes.push("References: nothing in the file is known to be one, so no row pairs by itself; what has the same amount is shown together.");
};
