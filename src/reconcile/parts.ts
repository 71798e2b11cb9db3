import { groupedMinor } from "../money/grouped.ts";
import { amountOf, areOfOneCurrency, type Entry } from "./entries.ts";
import type { Pair, Pairing } from "./pair.ts";
import { receiptKey } from "./receipts.ts";

/** Rows there that are parts of one order, with what is said of each. */
export type Parts = ReadonlyMap<Entry, string>;
export const noParts: Parts = new Map();

/** Beyond so many further payments of one order, only all of them together are tried. */
const searchedMax = 12;

/**
 * Several payments that together make one order's amount: a limit forces customers to pay in parts. The order's pair has the
 * first of them; the others were left over under the same reference, or the order names their receipts.
 */
export const findParts = ({ pairs, theirsLeft }: Pairing): Parts => {
  if (theirsLeft.length === 0) return noParts;
  const short = pairs.filter((pair) => pair.theirs.state === "paid" && areOfOneCurrency(pair.ours, pair.theirs) && missingOf(pair) > 0n);
  const wanted = new Map(short.flatMap((pair) => [...receiptsOf(pair), nameOf(pair.theirs)].map((name): [string, Entry[]] => [name, []])));
  for (const entry of theirsLeft)
    if (entry.state === "paid") for (const name of [nameOf(entry), `receipt ${receiptKey(entry.receipt) ?? ""}`]) wanted.get(name)?.push(entry);
  const parts = new Map<Entry, string>();
  for (const pair of short) {
    const missing = missingOf(pair);
    const named = receiptsOf(pair).flatMap((receipt) => wanted.get(receipt) ?? []);
    const sum = chooseSum(named, missing) ?? (pair.theirs.reference === undefined ? undefined : chooseSum(wanted.get(nameOf(pair.theirs)) ?? [], missing));
    const rest = sum ?? named;
    if (rest.length === 0) continue;
    const all = [pair.theirs, ...rest];
    const whole = groupedMinor(amountOf(pair.ours));
    const total = sum === undefined ? `${groupedMinor(sumOf(all))}, and not the order's ${whole}` : `the order's ${whole}`;
    for (const part of all) if (!parts.has(part)) parts.set(part, `${all.length} payments of ${listed(all)} together make ${total}`);
  }
  return parts;
};

const receiptsOf = ({ ours: { moreReceipts = [] } }: Pair): readonly string[] => moreReceipts.map((receipt) => `receipt ${receiptKey(receipt) ?? receipt}`);
const sumOf = (entries: readonly Entry[]): bigint => entries.reduce((total, entry) => total + amountOf(entry), 0n);
const missingOf = ({ ours, theirs }: Pair): bigint => amountOf(ours) - amountOf(theirs);
const nameOf = ({ direction, reference }: Entry): string => `${direction === "out" ? "-" : "+"}${reference ?? ""}`;
const listed = (entries: readonly Entry[]): string => {
  const amounts = entries.slice(0, 5).map((entry) => groupedMinor(amountOf(entry)));
  return `${amounts.join(" + ")}${entries.length > amounts.length ? " + …" : ""}`;
};

/** Entries whose amounts add up to `sum`, all of them if possible; undefined if none do. */
const chooseSum = (entries: readonly Entry[], sum: bigint): readonly Entry[] | undefined => {
  if (entries.length === 0) return undefined;
  if (sumOf(entries) === sum) return entries;
  return entries.length > searchedMax ? undefined : chooseFrom(entries, 0, sum);
};
const chooseFrom = (entries: readonly Entry[], at: number, sum: bigint): readonly Entry[] | undefined => {
  const entry = entries[at];
  if (entry === undefined || sum <= 0n) return undefined;
  const left = sum - amountOf(entry);
  if (left === 0n) return [entry];
  const others = chooseFrom(entries, at + 1, left);
  return others === undefined ? chooseFrom(entries, at + 1, sum) : [entry, ...others];
};
