import { classifyStatus, type Direction, isReversed } from "../transactions/status.ts";

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

/** The last word heard about each transaction, to tell when a later one contradicts it. */
export type Heard = { readonly status: string; readonly paid: boolean };

/**
 * What a status says beside the one heard before: `paid is not undone by a later FAILED` (rules.md, Living with what is
 * not shown). Undefined where it fits; the state kept is the one that stands.
 */
export const contradiction = (before: Heard | undefined, status: string): { readonly stands: Heard; readonly conflict?: string } => {
  const now: Heard = { status, paid: classifyStatus(status, "unknown") === "paid" };
  if (before === undefined || !before.paid || now.paid || isReversed(status)) return { stands: now };
  if (isReversed(before.status)) return { stands: before };
  const late = classifyStatus(status, "in") === "open";
  const conflict = late
    ? `${status} arrived after ${before.status}: out of order, ${before.status} stands`
    : `conflict: ${status} contradicts ${before.status}, which came before and stands until the service says otherwise`;
  return { stands: before, conflict };
};
