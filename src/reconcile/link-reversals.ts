import type { FileRecord } from "./record.ts";

/**
 * Gives a reversal that names no receipt the receipt of the payment it takes back: the one of the same reference and the same
 * amount. A part that is paid back leaves the payment as it is.
 */
export const linkReversals = (records: readonly FileRecord[]): readonly FileRecord[] => {
  if (!records.some(({ kind, reverses, reference }) => kind === "reversal" && reverses === undefined && reference !== undefined)) return records;
  const payments = new Map<string, string[]>();
  for (const { kind, state, receipt, reference, amountMinor } of records) {
    if (kind !== "payment" || state !== "paid" || receipt === undefined || reference === undefined) continue;
    const key = `${amountMinor} ${reference}`;
    payments.set(key, [...(payments.get(key) ?? []), receipt]);
  }
  return records.map((record) => {
    if (record.kind !== "reversal" || record.reverses !== undefined || record.reference === undefined) return record;
    const reverses = payments.get(`${-record.amountMinor} ${record.reference}`)?.shift();
    return reverses === undefined ? record : { ...record, reverses };
  });
};
