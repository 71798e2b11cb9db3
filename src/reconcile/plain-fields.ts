import type { FieldName } from "./columns.ts";
import { currencyOfWord, isWordToo } from "./currency-words.ts";
import { isZone } from "./dates.ts";
import { byHeading, type Draft, freeColumns, headingOf, isSure, nameOf, profileOf, says, stateIn, take, wordsIn } from "./draft.ts";
import { headingSays, isNever, rankOfHeading } from "./heading-words.ts";
import { isAmountColumn, isDateColumn, isPhoneColumn, isTimeColumn, type Profile } from "./profile.ts";
import { isRestHeading, wayOfWord } from "./words.ts";

/** The fields that headings name and the form of the cells confirms. */
export const takePlainFields = (draft: Draft): void => {
  takeDate(draft);
  const heading = (field: FieldName, fits: (profile: Profile) => boolean): void => {
    if (draft.columns[field] !== undefined) return;
    const [column] = byHeading(draft, field).filter((each) => fits(profileOf(draft, each)) && !isOfBatch(draft, each));
    if (column !== undefined) take(draft, field, column, "heading");
  };
  const isCoded = ({ words }: Profile): boolean => words.size > 0 && [...words.keys()].every((word) => /^\d{1,2}$/.test(word));
  heading(
    "status",
    (profile) => (!isAmountColumn(profile) && !isDateColumn(profile)) || isCoded(profile) || (draft.kind === "statement" && profile.words.has("0")),
  );
  takeResultCodes(draft);
  takeStatusByForm(draft);
  heading("currency", (profile) => !isAmountColumn(profile) && !isDateColumn(profile));
  takeCurrencyByForm(draft);
  heading("phone", (profile) => profile.phones > 0);
  const phone = freeColumns(draft).find((column) => isPhoneColumn(profileOf(draft, column)));
  if (draft.columns.phone === undefined && phone !== undefined) take(draft, "phone", phone, "form");
  if (draft.kind === "orders") return;
  heading("direction", (profile) => !isAmountColumn(profile));
  heading("type", (profile) => !isAmountColumn(profile));
  const texts = byHeading(draft, "details").filter((each) => !isAmountColumn(profileOf(draft, each)) && !isOfBatch(draft, each));
  // Notes are made of some rows.
  const [details] = fullest(draft, texts, 0.5);
  if (draft.columns.details === undefined && details !== undefined) take(draft, "details", details, "heading");
  heading("linked", () => true);
  takeDetailsByForm(draft);
};

/** What a description says in many words, the code beside it says in known ones. */
const takeResultCodes = (draft: Draft): void => {
  const { status } = draft.columns;
  const known = (column: number): readonly boolean[] => wordsIn(draft, column).map((word) => stateIn(draft, column, word).recognised);
  if (isSure(draft, "status") || (status !== undefined && known(status).includes(true))) return;
  const codes = byHeading(draft, "status").find((column) => says(draft, column, "result code") && known(column).length > 0 && !known(column).includes(false));
  if (codes !== undefined) take(draft, "status", codes, "heading");
};

/** `Settlement Status` beside `Transaction Date`: what became of the batch that a payment went into, and not of the payment. */
const isOfBatch = (draft: Draft, column: number): boolean =>
  says(draft, column, "batch status") &&
  draft.header.some(
    (heading) =>
      headingSays(heading, "of a payment") || (["balance", "paid-in"] as const).some((field) => rankOfHeading(heading, field, "statement") !== undefined),
  );

/** The only column of nothing but codes of currencies. */
const takeCurrencyByForm = (draft: Draft): void => {
  if (draft.columns.currency !== undefined) return;
  const [column, ...more] = freeColumns(draft).filter((each) => {
    const { filled, words } = profileOf(draft, each);
    return (
      filled === draft.body.length &&
      words.size > 0 &&
      [...words.keys()].every((word) => /^[A-Z]{3}\b/.test(word) && !isWordToo(word) && currencyOfWord(word) !== undefined)
    );
  });
  if (column !== undefined && more.length === 0) take(draft, "currency", column, "form");
};

/** The only column of phrases. */
const takeDetailsByForm = (draft: Draft): void => {
  if (draft.columns.details !== undefined) return;
  const [column, ...more] = freeColumns(draft).filter((each) => {
    const { filled, phrases } = profileOf(draft, each);
    return phrases >= filled * 0.5 && filled >= draft.body.length * 0.6;
  });
  if (column !== undefined && more.length === 0) take(draft, "details", column, "form");
};
const failure = /\b(?:fail(?:ed|ure)?|cancell?ed|declined|rejected|expired|timed out|unsuccessful|insufficient)\b/i;

/** A column of a few words, of which half are known statuses, or one says that a payment failed: then it is no payment. */
const takeStatusByForm = (draft: Draft): void => {
  if (draft.columns.status !== undefined) return;
  const column = freeColumns(draft).find((each) => {
    const profile = profileOf(draft, each);
    const words = [...profile.words.keys()];
    const [heading, known] = [headingOf(draft, each), words.filter((word) => stateIn(draft, each, word).recognised).length];
    const fails = words.length > 1 && words.some((word) => failure.test(word)) && !words.every((word) => failure.test(word));
    // "Received" and "sent" may be directions.
    if (words.length === 0 || words.every((word) => wayOfWord(word) !== undefined) || isRestHeading(heading)) return false;
    if (profile.filled < draft.body.length * 0.8 || isOfBatch(draft, each) || isNever(heading, "status")) return false;
    // Texts that differ from row to row are narratives, though one of them speaks of a failure.
    return known === words.length || (words.length * 2 <= profile.filled && (known * 2 >= words.length || fails));
  });
  if (column === undefined) return;
  take(draft, "status", column, "form");
  draft.notes.push(`Status: the words of ${nameOf(draft, column)} are statuses.`);
};

/** Those that have a cell in as many rows as the fullest of them, or in that share. */
const fullest = (draft: Draft, columns: readonly number[], share: number): readonly number[] => {
  const most = Math.max(...columns.map((column) => profileOf(draft, column).filled));
  return columns.filter((column) => profileOf(draft, column).filled >= most * share);
};

const takeDate = (draft: Draft): void => {
  if (draft.columns.date === undefined) {
    const isOther = (column: number): boolean => says(draft, column, "other date");
    const named = byHeading(draft, "date");
    const own = named.filter((each) => !isOther(each));
    // Long numbers of orders look like seconds since 1970.
    const isNumber = ({ epochs, dates }: Profile): boolean => draft.kind === "orders" && epochs === dates;
    const dated = [...new Set([...named, ...freeColumns(draft)])].filter((each) => isDateColumn(profileOf(draft, each)));
    const byForm = dated.filter((each) => !isAmountColumn(profileOf(draft, each)) && !isNumber(profileOf(draft, each)));
    // An order that is not paid yet has no date of its payment.
    const [fullestNamed] = fullest(
      draft,
      own.filter((each) => dated.includes(each)),
      0.9,
    );
    const column = fullestNamed ?? own.find((each) => !isTimeColumn(profileOf(draft, each))) ?? byForm.find((each) => !isOther(each)) ?? byForm[0];
    if (column !== undefined) take(draft, "date", column, named.includes(column) ? "heading" : "form");
    if (column !== undefined && isOther(column))
      draft.notes.push(`Dates: no other column than ${nameOf(draft, column)} holds dates, so they count as those of the payments.`);
  }
  const time = byHeading(draft, "time").find((column) => isTimeColumn(profileOf(draft, column)));
  if (time !== undefined && draft.columns.time === undefined) take(draft, "time", time, "heading");
  const zone = byHeading(draft, "zone").find((column) => wordsIn(draft, column).length > 0 && wordsIn(draft, column).every(isZone));
  if (zone !== undefined && draft.columns.zone === undefined) take(draft, "zone", zone, "heading");
};
