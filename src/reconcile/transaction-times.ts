import { fieldOf, isObject, type Json, textOf } from "../json/exact-json.ts";
import { createDateReader } from "./dates.ts";

/** When the money moved says more than when it was asked for, and that more than when the record was last touched. */
const kindsOfTime: readonly RegExp[] = [
  /complet|paid|settle|confirm|finali[sz]/i,
  /trans/i,
  /creat|initiat|request|start|made/i,
  /^(?:time|timestamp|date|datetime|date_time|at|on)$/i,
];
const lastKind = kindsOfTime.length + 1;
const isUpdate = /updat|modif|chang/i;
/** Times that say nothing of the day of the payment. */
const isAhead = /expir|due|valid|until|next|retry|deadline|schedul/i;
const isNamedTime = /time|date/i;
const isMoment = /[a-z](?:At|On)$|(?:^|[_-])(?:at|on)$/;

/** The smaller, the better the field says when the money moved; undefined for a field that is no time. */
const rankOf = (name: string): number | undefined => {
  if (!(isNamedTime.test(name) || isMoment.test(name)) || isAhead.test(name)) return undefined;
  if (isUpdate.test(name)) return lastKind;
  const kind = kindsOfTime.findIndex((pattern) => pattern.test(name));
  return kind < 0 ? lastKind - 1 : kind;
};

/** Seconds or milliseconds since 1970, from the year 2001 on. */
const epoch = /^1\d{9}(?:\d{3})?$/;

/**
 * Reads when a transaction happened from any field of it, or of its `metadata`, that is named like a time. Assumed: service 2.1
 * shows no such field, so whichever is there counts. A time without a zone is wall clock of `zone`, an IANA name.
 */
export const createTransactionTimes = (zone: string) => {
  const dates = createDateReader(zone);
  // The names of a million transactions are few.
  const ranks = new Map<string, number | undefined>();
  const rankOnce = (name: string): number | undefined => {
    if (ranks.has(name)) return ranks.get(name);
    const rank = rankOf(name);
    if (ranks.size < 1000) ranks.set(name, rank);
    return rank;
  };
  const read = (value: Json | undefined): string | undefined => {
    const text = textOf(value)?.trim() ?? "";
    if (epoch.test(text)) return `${new Date(Number(text.padEnd(13, "0"))).toISOString().slice(0, 19)}Z`;
    // A plain number is no date of a calendar, except as the provider writes it: 20260301091200.
    return /^\d{1,13}(?:\.\d+)?$/.test(text) ? undefined : dates.read(text, "dmy");
  };
  /** UTC to the second, or a date alone; undefined where no field tells. */
  return (transaction: Json): string | undefined => {
    let best: { readonly rank: number; readonly at: string } | undefined;
    for (const place of [transaction, fieldOf(transaction, "metadata")]) {
      if (!isObject(place)) continue;
      for (const name of Object.keys(place)) {
        const rank = rankOnce(name);
        if (rank === undefined || (best !== undefined && best.rank <= rank)) continue;
        const at = read(place[name]);
        if (at !== undefined) best = { rank, at };
      }
    }
    return best?.at;
  };
};
export type TransactionTimes = ReturnType<typeof createTransactionTimes>;
