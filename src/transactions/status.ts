import type { Flow } from "../service/contract/limits.ts";

/** Money in: `stk`, `collect`, flow standard. Money out: `b2c`, `withdraw`, flow b2c. */
export type Direction = "in" | "out" | "unknown";
/** What a flow of the service says about the direction of money. */
export const directionOfFlow = { standard: "in", b2c: "out", all: "unknown" } as const satisfies Record<Flow, Direction>;
export type StatusClass = "open" | "paid" | "unpaid";

// rules.md, Living with what is not shown. Service 3 shows five values and no closed set.
const open: ReadonlySet<string> = new Set(["SENT", "QUEUED", "PENDING", "PROCESSING"]);
const paid: ReadonlySet<string> = new Set(["COMPLETED", "SUCCESS", "SUCCEEDED", "SUCCESSFUL", "PAID", "SETTLED"]);
const unpaid: ReadonlySet<string> = new Set(["FAILED", "CANCELLED", "CANCELED", "DECLINED", "REJECTED", "REVERSED", "UNSUCCESSFUL"]);
/** A payout that timed out may still arrive, so these end money in alone. */
const unpaidIn: ReadonlySet<string> = new Set(["EXPIRED", "TIMEOUT", "ABANDONED"]);

/** What a status says about the money: in any case of letters, and only the whole status. Anything else is open. */
export const classifyStatus = (status: string, direction: Direction): StatusClass => {
  const word = status.toUpperCase();
  if (paid.has(word)) return "paid";
  if (unpaid.has(word) || (direction === "in" && unpaidIn.has(word))) return "unpaid";
  return "open";
};

const known: ReadonlySet<string> = new Set([...open, ...paid, ...unpaid, ...unpaidIn]);
/** What to say of a status that is looked for and not known; undefined for one that is. The service may have it all the same. */
export const unknownStatusNote = (status: string | undefined): string | undefined => {
  const word = status?.trim().toUpperCase() ?? "";
  return word === "" || known.has(word) ? undefined : `This program does not know the status ${word}. It knows ${[...known].join(", ")}.`;
};

/** False for a status that counts as open only because its meaning is unknown: it is shown as unrecognised. */
export const isRecognisedStatus = (status: string, direction: Direction): boolean =>
  open.has(status.toUpperCase()) || classifyStatus(status, direction) !== "open";

export const isReversed = (status: string): boolean => status.toUpperCase() === "REVERSED";

/**
 * Whether a status contradicts one that was seen before: paid is not undone by a later failure, only REVERSED replaces it (rules.md,
 * Living with what is not shown). Then the earlier one stands.
 */
export const contradictsPaid = (before: string | undefined, after: string): boolean => isPaid(before) && !isPaid(after) && !isReversed(after);

export const hasEndedUnpaid = (status: string | undefined, direction: Direction): boolean =>
  status !== undefined && classifyStatus(status, direction) === "unpaid";
export const isPaid = (status: string | undefined): boolean => status !== undefined && classifyStatus(status, "unknown") === "paid";
