import { fieldOf, type Json, parseExact, textOf } from "../json/exact-json.ts";

/** What a callback says, as far as it can be read. */
export type CallbackFacts = { readonly [Name in "type" | "id" | "transactionId" | "reference" | "status" | "amount"]?: string };

/**
 * The facts of a callback's body; none where it is no JSON. Assumed: the service shows no payload (service 6.4), so the
 * transaction is looked for under `data`, under `data.transaction`, under `transaction` and at the top.
 */
export const callbackFacts = (text: string): CallbackFacts => {
  const body = parsed(text);
  const data = fieldOf(body, "data");
  const places = [fieldOf(data, "transaction"), data, fieldOf(body, "transaction"), body];
  const first = (...names: readonly string[]): string | undefined =>
    places.flatMap((place) => names.map((name) => textOf(fieldOf(place, name)))).find((value) => value !== undefined);
  const facts: Record<keyof CallbackFacts, string | undefined> = {
    type: textOf(fieldOf(body, "type")) ?? textOf(fieldOf(body, "event")),
    id: textOf(fieldOf(body, "id")),
    // The top's own id is the event's wherever there is a transaction beside it: it is looked at last.
    transactionId: first("transactionId", "id"),
    reference: first("reference"),
    status: first("status"),
    amount: first("amount"),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
};

const parsed = (text: string): Json | undefined => {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
};
