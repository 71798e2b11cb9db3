import { fieldOf, isObject, type Json, textOf } from "../json/exact-json.ts";

export type Receipt = { readonly name: string; readonly text: string };

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
