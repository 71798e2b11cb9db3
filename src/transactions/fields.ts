import { fieldOf, isObject, type Json } from "../json/exact-json.ts";

/** The fields of a transaction with their names, and behind them those of its `metadata`. */
export const fieldsOf = (transaction: Json | undefined): readonly (readonly [name: string, value: Json])[] =>
  [transaction, fieldOf(transaction, "metadata")].flatMap((place) => (isObject(place) ? Object.entries(place) : []));
