import type { TableRow } from "../tables/cell.ts";
import type { Bills } from "./bills.ts";
import type { FieldName } from "./columns.ts";
import { isUnique, plainHeading } from "./columns.ts";
import { looksLikeDate } from "./dates.ts";
import {
  bodyOf,
  cellOf,
  createDraft,
  type Draft,
  freeColumns,
  headingOf,
  isTaken,
  type LayoutOptions,
  nameOf,
  profileOf,
  says,
  take,
  takeGiven,
  wordsIn,
} from "./draft.ts";
import { filledTexts } from "./header.ts";
import { currencyOfHeadings, rankOfHeading } from "./heading-words.ts";
import type { Layout, Refusal, Resolved } from "./layout.ts";
import type { OtherSide } from "./other-side.ts";
import { takePlainFields } from "./plain-fields.ts";
import { isAmountColumn, isDateColumn } from "./profile.ts";
import { checkAmounts, haveSameCells, proveAmount, proveByBalance, proveDecimal } from "./prove-amounts.ts";
import { proveDayOrder } from "./prove-days.ts";
import { hasParts, proveLines, proveRest } from "./prove-orders.ts";
import { proveReferences } from "./prove-references.ts";
import { isOutNegative, proveCurrencies, proveCurrencyColumn, proveOldestWay, proveOpposite, proveWays } from "./prove-ways.ts";
import { plainWord } from "./words.ts";
import { createJoiner, findWrapped } from "./wrapped.ts";

/**
 * Decides what each column means, from rows at the top of the file and from what the other side holds. What is proved goes before
 * what headings say. Gives a refusal, with the best proposal, if the reference or the amount stays open.
 */
export const resolveLayout = (rows: readonly TableRow[], options: LayoutOptions, other: OtherSide | undefined): Resolved | Refusal => {
  const draft = createDraft(rows, options, other);
  const { missing, twice } = takeGiven(draft, options);
  if (missing.length > 0) return missingColumns(draft, missing);
  if (draft.body.length === 0)
    return { ...refusal(draft, "The file has headings and no rows: there is nothing to compare.", "Was it exported empty, or cut off?"), proposal: [] };
  takePlainFields(draft);
  joinTexts(draft, rows, other);
  proveByBalance(draft);
  proveReferences(draft, other);
  proveDecimal(draft, other);
  proveAmount(draft, other);
  proveCurrencyColumn(draft);
  proveCurrencies(draft);
  proveOpposite(draft, other);
  proveRest(draft);
  proveLines(draft, other);
  proveWays(draft, other);
  proveOldestWay(draft, other);
  checkAmounts(draft, other);
  proveDayOrder(draft, other);
  takeId(draft);
  takeTexts(draft);
  const double = twice ?? twiceNamed(draft);
  if (double !== undefined) return twiceThere(draft, double);
  if (draft.open.length > 0) return lacking(draft);
  noteAssumptions(draft);
  draft.dayOnce = hasDayOnce(draft);
  draft.outNegative = isOutNegative(draft);
  draft.items ||= draft.data?.items === undefined && hasParts(draft);
  const { amount, "paid-in": paidIn, withdrawn } = draft.columns;
  draft.currency = currencyOfHeadings([amount, paidIn, withdrawn].map((column) => headingOf(draft, column))) ?? draft.currency;
  return draft;
};

/** From here on the rows looked at have their texts whole. */
const joinTexts = (draft: Draft, rows: readonly TableRow[], other: OtherSide | undefined): void => {
  draft.wrapped = findWrapped(draft, rows, other);
  if (draft.wrapped === undefined) return;
  const whole: TableRow[] = [];
  const joiner = createJoiner(draft.wrapped, draft.header, (row) => whole.push(row));
  rows.forEach(joiner.see);
  joiner.end();
  draft.body = bodyOf(whole, draft);
};

const takeId = (draft: Draft): void => {
  if (draft.kind !== "orders" || draft.columns.id !== undefined) return;
  const index = draft.header.findIndex((heading, column) => !isTaken(draft, column) && rankOfHeading(heading, "id", "orders") !== undefined);
  if (index >= 0) take(draft, "id", index, "heading");
};

/** Without a narrative, the column of most different texts says what kind of row each is. */
const takeTexts = (draft: Draft): void => {
  const { details, reference } = draft.columns;
  const isWhole = details !== undefined && details !== reference && profileOf(draft, details).filled === draft.body.length;
  if (draft.kind !== "statement" || isWhole || draft.besideDetails !== undefined) return;
  const isText = (cell: string): boolean => /^\D*\p{L}{3}\D*$|\p{L}{2}\s.*\p{L}{2}|[^\p{L}\p{N}]\p{L}{4}/u.test(cell) && !looksLikeDate(cell);
  const hasText = (column: number): boolean => draft.body.filter((row) => isText(cellOf(row, column))).length * 2 > draft.body.length;
  [draft.besideDetails] = freeColumns(draft)
    .filter(hasText)
    .sort((a, b) => profileOf(draft, b).distinct - profileOf(draft, a).distinct);
};

/** A column that is used, by its heading and not by its number, and whose heading is there again. */
const twiceNamed = (draft: Draft): string | undefined => {
  const { header, sources, profiles } = draft;
  for (const [field, column] of Object.entries(draft.columns) as [FieldName, number][]) {
    const heading = plainHeading(headingOf(draft, column));
    if (heading === "" || sources.get(field) === "told" || sources.get(field) === "balance") continue;
    const again = header.flatMap((other, index) => (index !== column && plainHeading(other) === heading && profileOf(draft, index).filled > 0 ? [index] : []));
    // One word all through is the same in whichever of them.
    const words = new Set([column, ...again].flatMap((each) => [...(profiles[each]?.words.keys() ?? ["", " "])]));
    if (again.length > 0 && !(field === "currency" && words.size === 1) && !haveSameCells(draft, [column, ...again])) return headingOf(draft, column).trim();
  }
  return undefined;
};

/** Yes in some rows and no in others. */
const isAnswers = (draft: Draft, column: number): boolean => {
  const words = wordsIn(draft, column).map(plainWord);
  return words.length > 1 && words.every((word) => /^(?:yes|no|y|n|true|false|ndiyo|hapana|oui|non)$/.test(word));
};

const noteBills = (draft: Draft, { column, words, kept, amounts, rows }: Bills): void => {
  const left = [...words].map((word) => `"${word}"`).join(" and ");
  draft.notes.push(
    `Amounts: ${amounts} of ${rows} payments have the amount of a bill in this list, so it has the same money twice: ${nameOf(draft, column)} says "${kept}" of the rows that are read, and ${left} of those that are left out.`,
  );
};

const noteOtherDates = (draft: Draft): void => {
  const { columns, notes } = draft;
  const others = freeColumns(draft).filter((column) => isDateColumn(profileOf(draft, column)) && !isAmountColumn(profileOf(draft, column)));
  if (others.length === 0) return;
  const names = others.slice(0, 5).map((column) => nameOf(draft, column));
  notes.push(`Dates: those of ${names.join(", ")} are not read${columns.date === undefined ? "" : `, but those of ${nameOf(draft, columns.date)}`}.`);
};

const noteAssumptions = (draft: Draft): void => {
  if (draft.columns.status === undefined && draft.balanceOrder === undefined) draft.notes.push("There is no status column, so every row counts as paid.");
  const answered = draft.columns.status !== undefined ? undefined : freeColumns(draft).find((column) => isAnswers(draft, column));
  if (answered !== undefined) draft.notes.push(`Status: ${nameOf(draft, answered)} says yes or no, and nothing says that it is about payment: it is not read.`);
  if (draft.bills !== undefined) noteBills(draft, draft.bills);
  noteOtherDates(draft);
  const seen = new Map<string, number>();
  for (const heading of draft.header) {
    const plain = plainHeading(heading);
    if (plain !== "") seen.set(plain, (seen.get(plain) ?? 0) + 1);
  }
  for (const column of freeColumns(draft)) {
    const said = draft.body.filter((row) => !/^(?:[-0.,\s]*|no|n|false|none|null|n\/?a)$/i.test(cellOf(row, column))).length;
    if (said > 0 && says(draft, column, "paid back"))
      draft.notes.push(`${nameOf(draft, column)} is filled in ${said} of the first ${draft.body.length} rows, and is not read: they may have been paid back.`);
  }
  const { amount = -2 } = draft.columns;
  if (says(draft, amount + 1, "cents")) {
    draft.cents = amount + 1;
    draft.notes.push(`Amounts: ${nameOf(draft, amount + 1)} has their cents.`);
  }
  const twice = draft.header.find((heading) => (seen.get(plainHeading(heading)) ?? 0) > 1);
  if (twice !== undefined) draft.notes.push(`The heading ${twice.trim()} is there twice.`);
};

/** Each day stands at the first of its rows alone: nowhere does one follow itself. */
const hasDayOnce = ({ kind, columns: { date }, body, notes }: Draft): boolean => {
  const cells = body.map((row) => cellOf(row, date));
  const isOnce =
    kind === "statement" &&
    date !== undefined &&
    cells.includes("") &&
    cells.every((cell, index) => cell === "" || (cell !== cells[index - 1] && !cell.includes(":")));
  if (isOnce) notes.push("Dates: none follows itself, so a row without one is of the day above it.");
  return isOnce;
};

const headingsOf = ({ header }: Draft): string => {
  const filled = filledTexts(header);
  const shown = filled.slice(0, 30).join(", ");
  return filled.length > 30 ? `${shown} and ${filled.length - 30} more` : shown;
};

/** A heading as `--columns` takes it, or the column's number if the heading would be read otherwise. */
export const columnWord = (headings: readonly string[], column: number): string => {
  const heading = (headings[column] ?? "").trim();
  return !isUnique(headings, column) || /[,=\n\r"]/.test(heading) || /^#?\d+$/.test(heading) || heading.length > 60 ? String(column + 1) : heading;
};

/** All that `--columns` would have to say, the open fields by their likeliest column. Empty if one has none that a file cannot do without. */
const proposalOf = (draft: Draft): readonly string[] => {
  const fields = new Map<FieldName, number>(Object.entries(draft.columns) as [FieldName, number][]);
  for (const { field, candidates } of draft.open) {
    const column = candidates.find((each) => ![...fields.values()].includes(each)) ?? candidates[0];
    if (column === undefined && field !== "reference") return [];
    if (column !== undefined) fields.set(field, column);
  }
  return [...fields].map(([field, column]) => `${field}=${columnWord(draft.header, column)}`);
};

const refusal = (draft: Draft, problem: string, hint: string): Refusal => ({
  problem,
  hint,
  kind: draft.kind,
  proposal: proposalOf(draft),
  open: draft.open,
  headings: draft.header,
});

const missingColumns = (draft: Draft, missing: readonly string[]): Refusal => {
  const names = missing.join(", ");
  // PowerShell makes spaces of the commas of a list without quotes.
  const commas = missing.some((each) => /=.*\s\S+=/.test(each)) ? " Several columns are given with commas between them, the whole in quotes." : "";
  return { ...refusal(draft, `The file has no such column: ${names}.${commas}`, `its columns are: ${headingsOf(draft)}`), proposal: [] };
};

const twiceThere = (draft: Draft, heading: string): Refusal => {
  const found = draft.header.flatMap((each, column) => (plainHeading(each) === plainHeading(heading) ? [column + 1] : []));
  return refusal(
    draft,
    `The heading ${heading} is there twice, as columns ${found.join(" and ")}, and nothing says which one is meant.`,
    "name it by its number",
  );
};

const needs: Readonly<Record<Layout["kind"], string>> = {
  orders: "orders need a reference and an amount (status and date are used if they are there)",
  statement: "a statement needs a receipt or reference, and the amount, or money in and money out",
};

const lacking = (draft: Draft): Refusal => {
  const fields = draft.open.map(({ field }) => field);
  const none = draft.open.filter(({ candidates }) => candidates.length === 0).map(({ field }) => field);
  const what = fields.length === 1 ? "column" : "columns";
  const several = draft.open.map(
    ({ field, candidates }) =>
      `${field}: ${candidates
        .slice(0, 5)
        .map((column) => nameOf(draft, column))
        .join(" or ")}`,
  );
  const problem =
    none.length > 0
      ? `Read as ${draft.kind}, the file lacks a column for ${none.join(" and ")}; ${needs[draft.kind]}.`
      : `Read as ${draft.kind}, the ${what} for ${fields.join(" and ")} cannot be proved (${several.join("; ")}).`;
  const columns = headingsOf(draft);
  return refusal(draft, problem, columns === "" ? "it has no headings: name columns by number" : `its columns are: ${columns}`);
};
