import { knownOf } from "./amount-rows.ts";
import { type DayOrder, looseDistance } from "./dates.ts";
import { cellOf, type Draft } from "./draft.ts";
import type { OtherSide } from "./other-side.ts";

/** Payments of the same reference are days apart, not months: whether the day or the month comes first, by the other side's dates. */
export const proveDayOrder = (draft: Draft, other: OtherSide | undefined): void => {
  const { date } = draft.columns;
  if (other === undefined || date === undefined) return;
  const nearer = { dmy: 0, mdy: 0 };
  for (const row of draft.body) {
    const at = knownOf(draft, row, other)?.at;
    if (at === undefined) continue;
    const [dmy, mdy] = [looseDistance(cellOf(row, date), "dmy", at), looseDistance(cellOf(row, date), "mdy", at)];
    if (dmy === undefined || mdy === undefined || dmy === mdy) continue;
    nearer[dmy < mdy ? "dmy" : "mdy"] += 1;
  }
  const order: DayOrder = nearer.dmy > nearer.mdy ? "dmy" : "mdy";
  if (nearer[order] < 2 || nearer.dmy * nearer.mdy > 0) return;
  draft.dayOrder = order;
  draft.notes.push(`Dates: ${nearer[order]} days of ${other.name} prove that the ${order === "dmy" ? "day" : "month"} comes first.`);
};
