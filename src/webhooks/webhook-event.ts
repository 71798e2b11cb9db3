import { fieldOf, type Json, parseExact, textOf } from "../json/exact-json.ts";
import { classifyStatus, contradictsPaid, type Direction, isReversed } from "../transactions/status.ts";

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

/**
 * What kind of change a status is, as the type of our own envelope says it.
 * Assumed: the service shows no payload (service 6.4); the names are those the sandbox uses, an endpoint has to know one set.
 */
export const eventType = (status: string, direction: Direction): string => {
  if (isReversed(status)) return "payment.reversed";
  const kind = classifyStatus(status, direction);
  if (kind === "paid") return "payment.completed";
  const word = status.toLowerCase();
  // Where the direction is not known the word itself is passed on; a payout that timed out may still arrive.
  if (direction !== "out" && (word === "expired" || word === "timeout" || word === "abandoned")) return "payment.expired";
  if (kind === "open") return word === "processing" ? "payment.processing" : "payment.updated";
  return word === "cancelled" || word === "canceled" ? "payment.cancelled" : "payment.failed";
};

/**
 * What a status says beside the one heard before (rules.md, Living with what is not shown): the status that stands, and the sentence about
 * the conflict if there is one.
 */
export const contradiction = (before: string | undefined, status: string): { readonly stands: string; readonly conflict?: string } => {
  if (before === undefined || !contradictsPaid(before, status)) return { stands: status };
  const isLate = classifyStatus(status, "in") === "open";
  const conflict = isLate
    ? `${status} arrived after ${before}: out of order, ${before} stands`
    : `conflict: ${status} contradicts ${before}, which came before and stands until the service says otherwise`;
  return { stands: before, conflict };
};
