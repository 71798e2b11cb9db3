import { groupedCount, groupedMinor } from "../money/grouped.ts";
import { phoneEnding } from "../transactions/mirror-tokens.ts";
import { amountOf, areOfOneCurrency } from "./entries.ts";
import { groupBy } from "./group-by.ts";
import type { Result, Suggestion } from "./judge.ts";
import type { FileRecord } from "./record.ts";

const suggestedMax = 5;
/** Candidates looked at for one row: thousands may have the same amount. */
const searchedMax = 200;
const hourMs = 3_600_000;
/** What a gateway keeps of a settlement at most, in hundredths of the sum. */
const feeMax = 10n;
const settledRowsMax = 1000;

/** Adds suggestions to the results that found nothing on the other side. `later`: rows there of the days after, which may settle those here. */
export const addSuggestions = (results: readonly Result[], later: readonly FileRecord[]): readonly Result[] => {
  const missingThere = results.filter(({ category }) => category === "missing_there");
  const missingHere = results.flatMap(({ category, theirs }) => (category === "missing_here" ? theirs.slice(0, 1) : []));
  if (missingThere.length === 0 || missingHere.length + later.length === 0) return results;
  const byAmount = groupBy(missingHere, amountName);
  const settlements = missingThere.length > settledRowsMax ? [] : [...missingHere, ...later].flatMap((theirs) => settlementBy(theirs, missingThere) ?? []);
  const suggestionsFor = ({ category, ours, theirs }: Result): readonly Suggestion[] => {
    const [here] = ours;
    const [there] = theirs;
    if (category === "missing_there" && here !== undefined)
      return [
        ...similarTo(here, byAmount),
        ...settlements.flatMap(({ because, rows, theirs: one }) => (rows.includes(here) ? [{ because, records: [one] }] : [])),
      ].slice(0, suggestedMax);
    return category === "missing_here" ? settlements.flatMap(({ because, rows, theirs: one }) => (one === there ? [{ because, records: rows }] : [])) : [];
  };
  return results.map((result) => {
    const suggestions = suggestionsFor(result);
    return suggestions.length === 0 ? result : { ...result, suggestions };
  });
};

const amountName = (record: FileRecord): string => `${record.direction} ${amountOf(record)}`;

const similarTo = (ours: FileRecord, byAmount: ReadonlyMap<string, readonly FileRecord[]>): readonly Suggestion[] => {
  const found: Suggestion[] = [];
  for (const theirs of byAmount.get(amountName(ours))?.slice(0, searchedMax) ?? []) {
    const because = likeness(ours, theirs);
    if (because !== undefined) found.push({ because: `same amount and ${because}`, records: [theirs] });
    if (found.length === suggestedMax) break;
  }
  return found;
};

const likeness = (ours: FileRecord, theirs: FileRecord): string | undefined => {
  if (!areOfOneCurrency(ours, theirs)) return undefined;
  if (isSamePhone(ours.phone, theirs.phone)) return "phone";
  const { at: here } = ours;
  const { at: there } = theirs;
  if (here === undefined || there === undefined) return undefined;
  // A date alone is all that many orders have.
  if (here.length === 10 || there.length === 10) return here.slice(0, 10) === there.slice(0, 10) ? "day" : undefined;
  return Math.abs(Date.parse(here) - Date.parse(there)) <= hourMs ? "hour" : undefined;
};

/** As far as a mask lets both be seen; at least three digits. */
const isSamePhone = (ours: string | undefined, theirs: string | undefined): boolean => {
  if (ours === undefined || theirs === undefined) return false;
  const here = phoneEnding(ours) ?? "";
  const there = phoneEnding(theirs) ?? "";
  const seen = Math.min(here.length, there.length, 9);
  return seen >= 3 && here.slice(-seen) === there.slice(-seen);
};

type Settlement = { readonly theirs: FileRecord; readonly rows: readonly FileRecord[]; readonly because: string };
/** One payment of all that was left open here on its day, less fees: a gateway's or a bank's settlement. */
const settlementBy = (theirs: FileRecord, missingThere: readonly Result[]): Settlement | undefined => {
  const rows = missingThere.flatMap(({ ours }) =>
    ours.filter((row) => row.direction === theirs.direction && row.state === "paid" && areOfOneCurrency(row, theirs) && isOfDay(row.at, theirs.at)),
  );
  const sum = rows.reduce((total, row) => total + amountOf(row), 0n);
  const amount = amountOf(theirs);
  const fee = sum - amount;
  if (rows.length < 2 || fee < 0n || fee * 100n > sum * feeMax) return undefined;
  return {
    theirs,
    rows,
    because: `${groupedCount(rows.length)} rows here make ${groupedMinor(sum)}: one payment of ${groupedMinor(amount)}, and ${groupedMinor(fee)} of fees`,
  };
};

/** The settlement comes on the day of the payments or up to three days later. */
const isOfDay = (ours: string | undefined, theirs: string | undefined): boolean => {
  if (ours === undefined || theirs === undefined) return true;
  const days = (Date.parse(theirs.slice(0, 10)) - Date.parse(ours.slice(0, 10))) / (24 * hourMs);
  return days >= 0 && days <= 3;
};
