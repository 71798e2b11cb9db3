import { fieldOf, isObject, type Json } from "../json/exact-json.ts";

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
