import type { Category } from "../../reconcile/judge.ts";

export type Titles = Readonly<Record<Category | "here" | "there", string>>;
/** What each category, and each side, is called for people; `isFile`: what is there is another file, and not the service. */
export const titlesOf = (isFile: boolean): Titles => ({
  here: "In your file",
  there: isFile ? "In the other file" : "At the service",
  matched: "Matched",
  missed_callback: "Missed callback",
  status_conflict: "Status conflict",
  amount_mismatch: "Amount differs",
  missing_there: isFile ? "Not in the other file" : "Not at the service",
  missing_here: "Not in your file",
  duplicate_here: "Twice in your file",
  duplicate_there: isFile ? "Twice in the other file" : "Twice at the service",
  ambiguous: "Several fit",
  open_there: isFile ? "Open in the other file" : "Open at the service",
  ignored: "Nothing to compare",
  other_period: "Other days",
  unreadable: "Unreadable",
});

/** Of what is missing here, the money out: no customer's payment. */
export const paidOut = { title: "Paid out, not in your file", next: "Find who asked for the payout." } as const;

/** What to do next about each. */
export const nextSteps: Readonly<Record<Category, string>> = {
  matched: "Nothing.",
  missed_callback: "Send the callbacks again: webhook replay.",
  status_conflict: "Check both: they contradict each other.",
  amount_mismatch: "See whether more is owed, or too much was paid.",
  missing_there: "Do not ship: no such payment is known there.",
  missing_here: "Find whose payment it is.",
  duplicate_here: "Remove the row that is there twice.",
  duplicate_there: "Check each: part of the order, or one payment too many.",
  ambiguous: "Decide by hand: several rows fit equally well.",
  open_there: "Wait, then run again.",
  ignored: "Nothing: not paid, charges, or your own transfers.",
  other_period: "Nothing: they belong to the files of other days.",
  unreadable: "Correct the row in the file.",
};
