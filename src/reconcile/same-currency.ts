import type { FileRecord, Side } from "./record.ts";

const currenciesOf = ({ kind, records }: Side): ReadonlySet<string> => {
  // The local service is in KES (service 2.1).
  if (kind === "service") return new Set(["KES"]);
  const found = new Set<string>();
  for (const { currency, unreadable } of records) if (currency !== undefined && unreadable === undefined) found.add(currency);
  return found;
};

/** The currencies of two sides. Assumed: rows that name none are in shillings. */
export const currenciesIn = (...sides: readonly Side[]): readonly string[] => {
  const found = new Set(sides.flatMap((side) => [...currenciesOf(side)]));
  return found.size === 0 ? ["KES"] : [...found].sort();
};

/** Only amounts of one currency are compared: a row in a currency that the other side has none of is unreadable. Rows without a currency stay as they are. */
export const onlySameCurrency = (side: Side, other: Side): Side => {
  const there = currenciesOf(other);
  const here = currenciesOf(side);
  if (there.size === 0 || side.kind === "service" || [...here].every((currency) => there.has(currency))) return side;
  const others = [...there].join(", ");
  const checked = (record: FileRecord): FileRecord =>
    record.currency === undefined || there.has(record.currency) || record.unreadable !== undefined
      ? record
      : { ...record, unreadable: `the amount is in ${record.currency}, the other side's are in ${others}, on line ${record.line ?? 0}` };
  return { kind: side.kind, records: side.records.map(checked) };
};
