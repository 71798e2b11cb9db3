import { type Category, isDifference } from "../../reconcile/judge.ts";
import { type Compared, differenceOf, payoutsNotAskedFor, type Total } from "../../reconcile/reconcile.ts";
import { nextSteps, paidOut, type Titles } from "./reconcile-words.ts";

/** A line of the figures. `amountMinor`: of our rows, else of theirs. `differenceMinor`: paid here less paid there, over what differs. */
export type Figure = {
  readonly category: Category;
  readonly title: string;
  /** What to do about it. */
  readonly next: string;
  readonly count: number;
  readonly amountMinor: bigint;
  readonly differenceMinor: bigint;
  readonly ours: Pick<Total, "rows" | "amountMinor">;
  readonly theirs: Pick<Total, "rows" | "amountMinor">;
};

/** One line for each category; money out there that no row here asks for stands apart from missing payments. */
export const figuresOf = (compared: Compared, titles: Titles): readonly Figure[] => {
  const payouts = payoutsNotAskedFor(compared);
  return [...compared.summary].flatMap(([category, { count, amountMinor, ours, theirs }]): Figure[] => {
    const differenceMinor = isDifference(category) ? differenceOf({ ours, theirs }) : 0n;
    const all = { category, title: titles[category], next: nextSteps[category], count, amountMinor, differenceMinor, ours, theirs };
    return category !== "missing_here" || payouts.rows === 0 ? [all] : apart(all, payouts);
  });
};

const apart = (all: Figure, payouts: Total): Figure[] => {
  const { rows: count, amountMinor } = payouts;
  const out = { ...all, ...paidOut, count, amountMinor, differenceMinor: -payouts.paidMinor, theirs: payouts };
  const rest = {
    ...all,
    count: all.count - count,
    amountMinor: all.amountMinor - amountMinor,
    differenceMinor: all.differenceMinor - out.differenceMinor,
    theirs: { rows: all.theirs.rows - count, amountMinor: all.theirs.amountMinor - amountMinor },
  };
  return rest.count === 0 ? [out] : [rest, out];
};
