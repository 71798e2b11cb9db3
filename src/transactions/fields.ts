import { fieldOf, isObject, type Json, textOf } from "../json/exact-json.ts";

/** The fields of a transaction with their names, and behind them those of its `metadata`. */
export const fieldsOf = (transaction: Json | undefined): readonly (readonly [name: string, value: Json])[] =>
  [transaction, fieldOf(transaction, "metadata")].flatMap((place) => (isObject(place) ? Object.entries(place) : []));

type Receipt = { readonly name: string; readonly text: string };

/** Whether a field of `metadata` holds a receipt: its name says so (rules.md, Living with what is not shown). */
export const isReceiptName = (name: string): boolean => /receipt/i.test(name);

/** The first receipt in a transaction's `metadata` that is not blank. */
export const findReceipt = (transaction: Json): Receipt | undefined => {
  const metadata = fieldOf(transaction, "metadata");
  if (!isObject(metadata)) return undefined;
  for (const [name, value] of Object.entries(metadata)) {
    const text = textOf(value)?.trim() ?? "";
    if (isReceiptName(name) && text !== "") return { name, text };
  }
  return undefined;
};

/**
 * Why a payment ended unpaid, in the service's words; undefined where it does not say. Assumed: the reason is in a field of the
 * transaction or its metadata that is named so; the service document shows none.
 */
export const failureReasonOf = (transaction: Json | undefined): string | undefined => {
  for (const place of [transaction, fieldOf(transaction, "metadata")]) {
    if (!isObject(place)) continue;
    for (const named of [/reason/i, /resultdesc/i, /^message$/i]) {
      const text = Object.entries(place).find(([name, value]) => named.test(name) && typeof value === "string" && value.trim() !== "")?.[1];
      if (typeof text === "string") return text.trim();
    }
  }
  return undefined;
};
