import { classifyStatus, contradictsPaid, type Direction, isReversed } from "../transactions/status.ts";

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
