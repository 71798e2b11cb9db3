import { knownRows } from "./amount-rows.ts";
import { type DayOrder, daysApart } from "./dates.ts";
import { cellOf, type Draft, freeColumns, isSure, nameOf, profileOf, take } from "./draft.ts";
import type { OtherSide } from "./other-side.ts";
import { isDateColumn } from "./profile.ts";

type Apart = Readonly<Record<DayOrder, number>>;
/** How many days the dates of a column are from those of the same payments there, read in either order. */
const distances = (draft: Draft, column: number, other: OtherSide): readonly Apart[] =>
  knownRows(draft, other).flatMap(({ row, known: { at } }) => {
    if (at === undefined) return [];
    const [first, second] = (["dmy", "mdy"] as const).map((order) => daysApart(cellOf(row, column), order, at));
    const [dmy, mdy] = [first ?? second, second ?? first];
    return dmy === undefined || mdy === undefined ? [] : [{ dmy, mdy }];
  });

/** Payments of the same reference are days apart, not months: whether the day or the month comes first, by the other side's dates. */
export const proveDayOrder = (draft: Draft, other: OtherSide | undefined): void => {
  const { date } = draft.columns;
  if (other === undefined || date === undefined) return;
  const nearer = { dmy: 0, mdy: 0 };
  const apart = distances(draft, date, other);
  for (const { dmy, mdy } of apart) if (dmy !== mdy) nearer[dmy < mdy ? "dmy" : "mdy"] += 1;
  const order: DayOrder = nearer.dmy > nearer.mdy ? "dmy" : "mdy";
  if (nearer[order] >= 2 && nearer.dmy * nearer.mdy === 0) {
    draft.dayOrder = order;
    draft.notes.push(`Dates: ${nearer[order]} days of ${other.name} prove that the ${order === "dmy" ? "day" : "month"} comes first.`);
  } else if (draft.kind === "orders" && !isSure(draft, "date") && areFar(apart)) takeNearDates(draft, date, other);
};

const farDays = 31;
const areFar = (apart: readonly Apart[]): boolean => apart.length > 1 && apart.filter(({ dmy, mdy }) => Math.min(dmy, mdy) > farDays).length * 2 > apart.length;

/** Dates of journeys or of what falls due are not the days of the file: what was paid on other days would count as another file's. */
const takeNearDates = (draft: Draft, far: number, other: OtherSide): void => {
  const near = freeColumns(draft).find((column) => {
    const apart = isDateColumn(profileOf(draft, column)) ? distances(draft, column, other) : [];
    return apart.length > 1 && !areFar(apart);
  });
  const name = (column: number): string => nameOf(draft, column);
  delete draft.columns.date;
  draft.sources.delete("date");
  if (near !== undefined) take(draft, "date", near, "other side");
  const taken = near === undefined ? "is not used" : `is not used, but ${name(near)}`;
  draft.notes.push(`Dates: most of ${name(far)} are more than ${farDays} days from those of the same payments in ${other.name}, so it ${taken}.`);
};
