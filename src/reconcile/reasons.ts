import { groupedMinor } from "../money/grouped.ts";
import { amountOf, areOfOneCurrency, type Entry, isReversedEntry } from "./entries.ts";
import type { How, Pair, Tie } from "./pair.ts";

const byWhat = ({ ours, theirs, how }: Pair): string => {
  if (how === "receipt") return "same receipt";
  if (how === "reference") return "same reference";
  if (how === "loose") return `${theirs.reference ?? ""} is the same reference but for case, spaces and punctuation`;
  return `${shorter(ours, theirs)} is the first 12 characters of ${longer(ours, theirs)}`;
};
const shorter = (a: Entry, b: Entry): string => ((a.reference ?? "").length <= (b.reference ?? "").length ? a.reference : b.reference) ?? "";
const longer = (a: Entry, b: Entry): string => ((a.reference ?? "").length > (b.reference ?? "").length ? a.reference : b.reference) ?? "";

const words: Readonly<Record<Entry["state"], string>> = { paid: "paid", open: "open", unpaid: "ended unpaid" };
/** The word the side itself uses, else ours. */
const stateWords = (entry: Entry): string => (isReversedEntry(entry) ? "paid and reversed" : (entry.status ?? words[entry.state]));

const shownAmount = (entry: Entry): string => groupedMinor(amountOf(entry));

/** With the currency if the other amount is in another one. */
const withCode = (entry: Entry, other: Entry): string => `${areOfOneCurrency(entry, other) ? "" : `${entry.currency} `}${shownAmount(entry)}`;

/** Why a pair is what it is, for people. */
export const pairReason = (pair: Pair, category: string): string => {
  const { ours, theirs } = pair;
  const by = byWhat(pair);
  const both = `${stateWords(ours)} here, ${stateWords(theirs)} there`;
  switch (category) {
    case "matched":
      return ours.state === "unpaid" ? `${by}, ended unpaid on both sides` : `${by} and amount, paid on both sides`;
    case "missed_callback":
      return `${by}; ${both}: your system missed the callback`;
    case "amount_mismatch":
      return `${by}; ${withCode(ours, theirs)} here, ${withCode(theirs, ours)} there`;
    case "open_there":
      return `${by}; ${both}: not decided yet`;
    default:
      return `${by}; ${both}`;
  }
};

const tieCause: Readonly<Record<How, string>> = {
  receipt: "one receipt",
  reference: "one reference",
  loose: "their references are the same without case, spaces and punctuation",
  cut: "their references begin with the same 12 characters",
  blank: "the rows here have neither reference nor receipt, only the amount",
};
const counted = (entries: readonly Entry[], where: string): string => {
  const amounts = [...new Set(entries.map((entry) => shownAmount(entry)))].slice(0, 4).join(", ");
  return `${entries.length} of ${amounts} ${where}`;
};

export const tieReason = (tie: Tie): string => `${counted(tie.ours, "here")} and ${counted(tie.theirs, "there")}: ${tieCause[tie.how]}, so none is picked`;
