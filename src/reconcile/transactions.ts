import { classifyStatus } from "../transactions/status.ts";
import { minorOfJsonNumber } from "./amounts.ts";
import { emptyRecord, type FileRecord } from "./record.ts";

/** What a transaction of the service says, as text: the flow is known only by listing each flow. */
export type TransactionFacts = {
  readonly id: string;
  readonly reference: string | undefined;
  /** Digits as they came. */
  readonly amount: string | undefined;
  readonly status: string;
  readonly direction: "in" | "out" | "unknown";
  readonly receipt: string | undefined;
  /** ISO 8601, where the service says it. */
  readonly at: string | undefined;
};

export const recordOfTransaction = (facts: TransactionFacts): FileRecord => {
  const amountMinor = facts.amount === undefined ? undefined : minorOfJsonNumber(facts.amount);
  if (amountMinor === undefined)
    return { ...emptyRecord, id: facts.id, direction: facts.direction, unreadable: `the amount ${facts.amount ?? ""} is no sum of whole cents` };
  const reference = facts.reference?.trim();
  return {
    line: undefined,
    id: facts.id,
    receipt: facts.receipt,
    reference: reference === "" ? undefined : reference,
    amountMinor,
    state: classifyStatus(facts.status, facts.direction),
    status: facts.status,
    direction: facts.direction,
    at: facts.at,
    kind: undefined,
    reverses: undefined,
    unreadable: undefined,
    whole: undefined,
    joined: undefined,
  };
};
