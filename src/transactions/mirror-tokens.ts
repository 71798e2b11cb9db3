import { fieldOf, type Json, textOf } from "../json/exact-json.ts";
import { fieldsOf, isReceiptName } from "./fields.ts";

/** Letters and digits alone, in lower case: what `tx find` compares by. */
export const normalised = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

/** What a transaction can be found by: id, reference, provider reference and every receipt. */
export const tokensOf = (transaction: Json): readonly string[] => {
  const texts = [fieldOf(transaction, "id"), fieldOf(transaction, "reference"), fieldOf(transaction, "providerRef")];
  for (const [name, value] of fieldsOf(transaction)) if (isReceiptName(name)) texts.push(value);
  return [...new Set(texts.map((text) => normalised(textOf(text) ?? "")).filter((token) => token !== ""))];
};

/** The last digits of a phone as a row writes it; a mask ends them. Undefined below two digits. */
export const phoneEnding = (phone: string): string | undefined => {
  const digits = /(\d+)$/.exec(phone.replace(/[\s()+\-./]/g, ""))?.[1];
  return digits === undefined || digits.length < 2 ? undefined : digits;
};

/** The phone of a transaction as it writes it, masked or whole; undefined if it names no phone. */
export const phoneIn = (transaction: Json): string | undefined => {
  for (const [name, value] of fieldsOf(transaction)) {
    // Assumed: the document shows no phone field; whichever is named like one holds it.
    const text = /phone|msisdn/i.test(name) ? textOf(value) : undefined;
    if (text !== undefined && phoneEnding(text) !== undefined) return text;
  }
  return undefined;
};

/** The last digits of the phone, backwards, so that an ending is a beginning. */
export const phoneBackwards = (transaction: Json): string | undefined => {
  const ending = phoneEnding(phoneIn(transaction) ?? "");
  return ending === undefined ? undefined : backwards(ending);
};
export const backwards = (digits: string): string => [...digits].reverse().join("");

/** A typed phone or its end, backwards; undefined if the text is not a phone. `0712…` and `+254712…` mean one number. */
export const phoneQuery = (text: string): string | undefined => {
  const digits = normalised(text);
  if (!/^\d{3,15}$/.test(digits)) return undefined;
  return backwards(/^(?:0|254)(\d{9})$/.exec(digits)?.[1] ?? digits);
};
