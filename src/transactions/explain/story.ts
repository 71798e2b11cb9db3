import type { Attempt } from "../../journal/port.ts";
import type { Json } from "../../json/exact-json.ts";
import type { LoggedCallback } from "../../webhooks/callback-log.ts";
import type { Direction } from "../status.ts";
import type { Transaction } from "../transaction.ts";

export type Source = "journal" | "service" | "ledger" | "callback" | "mirror";
/** One line of the timeline; `at` is ISO 8601 UTC. */
export type StoryEvent = { readonly at: string; readonly source: Source; readonly event: string };
/** A source that could not be read, and why: what it would have said is missing from the verdict. */
export type UnreadSource = { readonly source: Source; readonly reason: string };

/** All that this machine and the service know of one payment. */
export type Story = {
  readonly direction: Direction;
  /** Attempts in the journal, oldest first: those of this payment and of its reference. */
  readonly attempts: readonly Attempt[];
  /** The one that made this payment, or was the last to try; undefined if this journal has none. */
  readonly own: Attempt | undefined;
  /** Those that may have made it: the one that was asked for, or else all. */
  readonly tried: readonly Attempt[];
  /** The transaction as the service gives it now, or else as the mirror has it. */
  readonly transaction: Transaction | undefined;
  /** The service answered just now; false: `transaction` is what the mirror remembers. */
  readonly isLive: boolean;
  /** The status that the mirror or the service's list saw before and that the service contradicts now: paid before, something else now. */
  readonly contradicted: string | undefined;
  /** When `tx sync` first saw the transaction. */
  readonly firstSeenAt: string | undefined;
  /** Other transactions with the same reference, among the newest 100 and in the mirror. */
  readonly others: readonly Transaction[];
  /** Entries of the local ledger (the service gives the newest 20) that name this payment. */
  readonly ledger: readonly Json[];
  /** Since when the ledger that was read shows every entry, ms since 1970: -Infinity if it shows all, Infinity if it was not read. */
  readonly ledgerSinceMs: number;
  /** Holds of the payout wallet that name this payment. */
  readonly holds: readonly Json[];
  /** The Global Wallet before the attempt and now, in words, for a collection or withdrawal abroad. */
  readonly evidence: string | undefined;
  readonly callbacks: readonly LoggedCallback[];
  readonly unread: readonly UnreadSource[];
  /** When the service was read, ISO 8601 UTC. */
  readonly readAt: string;
};
