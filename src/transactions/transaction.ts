import { fieldOf, type Json, textOf } from "../json/exact-json.ts";

/** A transaction as the service gave it (service 2.1): what this program decides by, read once, and `body`, all of it as it came. */
export type Transaction = {
  /** Undefined for a row without one: it can be shown, but not asked about. */
  readonly id: string | undefined;
  readonly reference: string | undefined;
  /** Major units, digit for digit as it came. */
  readonly amount: string | undefined;
  readonly status: string | undefined;
  readonly body: Json;
};

export const toTransaction = (body: Json): Transaction => ({
  id: textOf(fieldOf(body, "id")),
  reference: textOf(fieldOf(body, "reference")),
  amount: textOf(fieldOf(body, "amount")),
  status: textOf(fieldOf(body, "status")),
  body,
});
