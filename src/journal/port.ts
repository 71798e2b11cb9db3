import type { CliError } from "../errors.ts";
import type { Operation } from "../service/contract/routes.ts";
import type { Approval, ApprovalItem, NewApproval, Policy } from "./approval.ts";

/**
 * What one try says about the payment (rules.md, Money safety). `answered`: a success that could be read. `refused`: this try certainly
 * did nothing, as the service said no or no byte left this machine. `unanswered`: bytes left, and what came back decides nothing.
 */
export type TryOutcome = "answered" | "refused" | "unanswered";
export type Try = {
  readonly atMs: number;
  readonly httpStatus?: number;
  readonly error?: string;
  readonly outcome: TryOutcome;
};

export type AttemptState = "started" | "accepted" | "refused" | "unknown";
export type Attempt = {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly operation: Operation;
  readonly endpoint: string;
  /** Exact request bytes; null once pruned. */
  readonly body: string | null;
  readonly profile: string;
  readonly baseUrl: string;
  readonly reference: string;
  /** Digits of a phone, or rail/channel/account for withdrawals; empty for a redirect collection. */
  readonly payee: string;
  /** Decimal string as sent. */
  readonly amount: string;
  readonly currency: string;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly closedAt?: string;
  readonly state: AttemptState;
  readonly transactionId?: string;
  /** The payment's last seen status. */
  readonly status?: string;
  readonly tries: readonly { readonly at: string; readonly httpStatus?: number; readonly error?: string }[];
  /** The answer's text as it came, where one was readable. */
  readonly answer?: string;
  /** Salted fingerprint of the key that made it. */
  readonly keyFingerprint: string;
  readonly keySalt: string;
  readonly batchId?: string;
  readonly batchRow?: number;
  /** The proposal that it was sent for. */
  readonly approvalId?: string;
  /** True once a try of it went unanswered after bytes may have left, or it was begun again while its outcome was open. */
  readonly unanswered: boolean;
  /** Hash that the guard compares; survives pruning. */
  readonly guardKey: string;
  /** Wallet figures before sending, as JSON text, where they were read (collect, withdraw). */
  readonly evidence?: string;
  /** The process that alone may send it; it may have died since. Absent once the attempt is closed. */
  readonly heldBy?: string;
  /** The other login of a shared journal that recorded it. `imported`: that login alone may send it again. */
  readonly recordedBy?: { readonly login: string; readonly imported: boolean };
  /** What is stored is not what was written. The rest is what can still be read; nothing follows from it, so the state is `unknown`. */
  readonly damaged?: true;
};
type LaterKnown = "state" | "tries" | "answer" | "closedAt" | "transactionId" | "status" | "unanswered" | "heldBy" | "recordedBy" | "damaged";
export type NewAttempt = Omit<Attempt, LaterKnown>;

export type AttemptEnd = {
  readonly state: "accepted" | "refused" | "unknown";
  readonly transactionId?: string;
  readonly status?: string;
  readonly answer?: string;
  /** The last try, where it is not recorded yet: in the same commit. */
  readonly tried?: Try;
  /** A person says so. */
  readonly byHand?: true;
};

export type AttemptFilter = {
  readonly state?: AttemptState;
  readonly reference?: string;
  /** YYYY-MM-DD, UTC. */
  readonly day?: string;
  readonly operation?: Operation;
  readonly batchId?: string;
  /** First and last row of a batch, both counted in. */
  readonly batchRows?: readonly [first: number, last: number];
  readonly guardKey?: string;
  readonly idempotencyKey?: string;
  readonly baseUrl?: string;
  readonly transactionId?: string;
  /** As it is stored: of a pruned attempt only its end is. */
  readonly payee?: string;
  readonly limit?: number;
};

export const roles = ["maker", "checker", "owner"] as const;
export type Role = (typeof roles)[number];
/** Who uses this journal. On one machine anybody can be anybody: `roles` is there if the journal itself knows who it is. */
export type JournalUser = { readonly name: string; readonly machine: string; readonly roles?: readonly Role[] };

/** Where the journal is, and who uses it. In a file there are no roles. `open`: attempts that are not settled. */
export type JournalStatus = {
  readonly journal: "file" | "postgres";
  readonly where: string;
  readonly who: string;
  readonly role: Role | "none";
  readonly attempts: number;
  readonly open: number;
};

/** Proposals, what was decided about them, and the policies (rules.md, Together). Times and the end of a proposal are by the journal's clock. */
export type Approvals = {
  user(): Promise<JournalUser>;
  propose(proposal: NewApproval): Promise<Approval>;
  find(id: string): Promise<Approval | undefined>;
  items(id: string): Promise<readonly ApprovalItem[]>;
  /** Newest first. `guardKeys`: only open ones of this base URL that hold one of these keys. */
  list(filter?: { readonly guardKeys: readonly string[]; readonly baseUrl: string }): Promise<readonly Approval[]>;
  /**
   * Records a decision. An approval that is not needed any more is not recorded. Throws CliError not-found, or what `closedApproval`
   * says of one that is not open; in a shared journal approval-required for whoever may not decide.
   */
  decide(id: string, decision: "approved" | { readonly declined: string }): Promise<Approval>;
  /** Throws CliError usage for anybody but the proposer, and as `decide` does. */
  cancel(id: string): Promise<Approval>;
  /** Nothing of a batch is left to send. */
  finish(id: string): Promise<void>;
  /** By currency. */
  policies(): Promise<readonly Policy[]>;
  /** Undefined: no policy for the currency any more. */
  setPolicy(currency: string, policy: Omit<Policy, "currency"> | undefined): Promise<void>;
};

/**
 * The durable record of payment attempts. What opens an attempt is synced to disk when it resolves. What comes after survives the
 * death of this process, and reaches the disk with the next synced write: lost with the machine's power, the attempt is open again.
 * Every implementation passes test/journal/conformance.ts.
 *
 * All that writes throws CliError usage (2) where it cannot be recorded; for `open` and `reopen`: then nothing may be sent.
 */
export type Journal = {
  /**
   * Records an attempt that is about to be sent, and that no other process may send until it is closed or this one has ended.
   * Throws CliError duplicate where its key is taken, or, with `judged` (ids of the attempts of the same guard key that the
   * duplicate guard has looked at), where another one, not refused, is there by now. Throws CliError approval-required where a
   * policy asks for approvals that it does not have, and duplicate where its proposal was sent already.
   */
  open(attempt: NewAttempt, judged?: readonly string[]): Promise<Attempt>;
  /**
   * Back to `started` before the same key and bytes are sent again; `judged` as for `open`. Throws CliError duplicate, `sent`
   * unknown, where somebody is sending it: another process that has not ended, or this one. Resolves with the attempt as it is
   * now: one that was accepted meanwhile stays so, and must not be sent.
   */
  reopen(id: string, judged?: readonly string[]): Promise<Attempt>;
  addTry(id: string, tried: Try): Promise<void>;
  /**
   * An accepted attempt stays accepted, and a damaged one is closed by a person alone. `refused` becomes `unknown` where the attempt is `unanswered`, unless a person says so.
   * Throws CliError duplicate, `sent` unknown, where another process that has not ended is sending it.
   */
  close(id: string, end: AttemptEnd): Promise<void>;
  setStatus(id: string, status: string): Promise<void>;
  find(idOrKey: string): Promise<Attempt | undefined>;
  /** Newest first, in the order of opening. One that is damaged is listed too, where it is found by what is asked for first. */
  list(filter: AttemptFilter): Promise<readonly Attempt[]>;
  /**
   * Remembers that a look-up sees these transactions. Resolves with those that one had seen before the attempt was opened: by the
   * order in which that was written, whatever the clocks showed.
   */
  seeTransactions(attempt: Pick<Attempt, "id" | "baseUrl">, transactionIds: readonly string[]): Promise<readonly string[]>;
  /** The newest time this journal has written, ISO 8601: a clock behind it has gone backwards. */
  newestTime(): Promise<string | undefined>;
  /** Runs `work` while no other process holds the same name; undefined when somebody does. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T | undefined>;
  /** Blanks requests, answers and payees of attempts that were closed longer ago than that. Returns how many. */
  prune(olderThanMs: number): Promise<number>;
  /** Takes over an attempt of another journal, once; true if it was not known. Only a shared journal does. */
  importAttempt?(attempt: Attempt): Promise<boolean>;
  /** The last look before the first byte: throws CliError usage if somebody else may be sending the attempt by now. */
  confirm(id: string): Promise<void>;
  /** The clock that decides how old an attempt is, ms since 1970: this machine's, or the database's. */
  nowMs(): Promise<number>;
  status(): Promise<JournalStatus>;
  readonly approvals: Approvals;
  /**
   * Goes an attempt's way to the disk without an attempt. Throws CliError usage where an attempt could not be recorded. Resolves
   * with the ids of those that are damaged, among the newest 100,000.
   */
  check(): Promise<readonly string[]>;
  /** Why nothing may be sent any more, though it was recorded: the record is not where the next process will look. */
  lost(): CliError | undefined;
  /** May be called again. What is held is let go, as if this process had ended. */
  dispose(): void;
};
