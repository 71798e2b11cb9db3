import { fieldOf, isObject, type Json, textOf } from "../json/exact-json.ts";
import { isReceiptName } from "./receipt.ts";

/** Letters and digits alone, in lower case: what `tx find` compares by. */
export const normalised = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

const places = (transaction: Json): readonly Json[] => [transaction, fieldOf(transaction, "metadata") ?? null];

/** What a transaction can be found by: id, reference, provider reference and every receipt. */
export const tokensOf = (transaction: Json): readonly string[] => {
  const texts = [fieldOf(transaction, "id"), fieldOf(transaction, "reference"), fieldOf(transaction, "providerRef")];
  for (const place of places(transaction)) {
    if (!isObject(place)) continue;
    for (const [name, value] of Object.entries(place)) if (isReceiptName(name)) texts.push(value);
  }
  return [...new Set(texts.map((text) => normalised(textOf(text) ?? "")).filter((token) => token !== ""))];
};

/** The last digits of the phone, backwards, so that an ending is a beginning; undefined where no phone is told. A mask ends them. */
export const phoneBackwards = (transaction: Json): string | undefined => {
  for (const place of places(transaction)) {
    if (!isObject(place)) continue;
    for (const [name, value] of Object.entries(place)) {
      // Assumed: the document shows no phone field; whichever is named like one holds it.
      if (!/phone|msisdn/i.test(name)) continue;
      const digits = /(\d+)$/.exec((textOf(value) ?? "").replace(/[\s()+\-./]/g, ""))?.[1];
      if (digits !== undefined && digits.length >= 2) return backwards(digits);
    }
  }
  return undefined;
};
export const backwards = (digits: string): string => [...digits].reverse().join("");

/** A typed phone or its end, backwards; undefined where the text is none. `0712…` and `+254712…` mean one number. */
export const phoneQuery = (text: string): string | undefined => {
  const digits = normalised(text);
  if (!/^\d{3,15}$/.test(digits)) return undefined;
  return backwards(/^(?:0|254)(\d{9})$/.exec(digits)?.[1] ?? digits);
};
