/**
 * What the sandbox remembers. All amounts are whole minor units (cents) of the currency named beside them, KES where none is.
 * Times are milliseconds since 1970 by the sandbox's own clock, which can be moved.
 */
export type WalletName = "balance" | "b2c" | "b2cHeld" | "global" | "globalHeld";
export type Flow = "standard" | "b2c";

/** A record, and perhaps the moment at which something happens to it. */
type Filed = { readonly id: string };
type Due = Filed & { readonly dueMs?: number | undefined };

export type Step = { readonly status: string; readonly at: string; readonly reason?: string };

/** A push, a payout or a crypto payment (service 2.1). `group` is its flow. */
export type Transaction = Due & {
  readonly group: Flow;
  readonly reference: string;
  /** What was asked for; after completion what moved. */
  readonly amount: number;
  readonly status: string;
  readonly provider: string;
  readonly providerRef: string;
  readonly metadata: Readonly<Record<string, string | number>>;
  readonly phone: string;
  readonly description?: string | undefined;
  readonly callbackUrl?: string | undefined;
  readonly createdMs: number;
  /** Fee of the service itself, taken from `balance` on completion. */
  readonly platformFee: number;
  /** Carrier cost of a payout. */
  readonly carrierFee: number;
  readonly scenario?: string | undefined;
  /** What happens at `dueMs`. */
  readonly next?: "resolve" | "expire" | "reverse" | undefined;
  /** A query that shows another status for a while (027, 028). */
  readonly shown?: { readonly status: string; readonly left: number } | undefined;
  readonly steps: readonly Step[];
};

/** One posting. `balanceAfter` chains it to the one before, so that a balance is the sum of its ledger by construction. */
export type Entry = Filed & {
  readonly group: WalletName;
  readonly type: string;
  readonly amount: number;
  readonly balanceAfter: number;
  readonly status: string;
  readonly reference: string;
  readonly description: string;
  readonly createdMs: number;
  readonly transactionId?: string | undefined;
  /** Global postings: transaction currency and amount, and the provider's settlement record. */
  readonly settlement?: Settlement | undefined;
};
/** `amount` in `currency`; `settled` in the wallet's currency. */
export type Settlement = { readonly currency: string; readonly amount: number; readonly rate: number; readonly settled: number };

/** Money ring-fenced; `group` is local or global. */
export type Hold = Filed & {
  readonly group: "local" | "global";
  readonly amount: number;
  readonly reason: string;
  readonly holdType: string;
  readonly reference: string;
  readonly createdMs: number;
};

export type GlobalRecord = Due & {
  readonly status: string;
  readonly rail: string;
  readonly currency: string;
  /** In minor units of `currency`, whatever decimals it has: 100 to a unit. */
  readonly amount: number;
  readonly fee: number;
  readonly settledAmount: number;
  readonly settledFee: number;
  readonly createdMs: number;
  readonly scenario?: string | undefined;
  readonly steps: readonly Step[];
  readonly failureReason?: string | undefined;
  /** Whom it is from or to: msisdn, email or account. */
  readonly party: string;
};
export type Collection = GlobalRecord & {
  readonly flow: "PUSH" | "REDIRECT";
  readonly description?: string | undefined;
  readonly callbackReturnUrl?: string | undefined;
};
export type Disbursement = GlobalRecord & { readonly channel: string; readonly operator?: string | undefined; readonly bankCode?: string | undefined };

export type DeliveryTry = { readonly at: string; readonly status?: number; readonly error?: string; readonly durationMs?: number };
/** A callback: what is sent, where, and every try (service 6). */
export type Delivery = Due & {
  readonly type: string;
  readonly eventId: string;
  readonly transactionId: string;
  readonly url: string;
  readonly body: string;
  readonly createdMs: number;
  readonly tries: readonly DeliveryTry[];
  readonly state: "due" | "delivered" | "failed" | "lost";
  readonly badSignature?: true | undefined;
};

/** An answer stored for its Idempotency-Key. */
export type StoredAnswer = Filed & {
  readonly bodyHash: string;
  readonly status: number;
  readonly body: string;
  readonly createdMs: number;
  /** Until then its first request is still being worked on (409). */
  readonly readyMs: number;
  /** When it may go. */
  readonly dueMs: number;
};
/** How often a scenario has refused one key. */
export type ScenarioUse = Filed & { readonly count: number };

export type LoggedRequest = Filed & {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Absent where the connection was cut. */
  readonly status?: number | undefined;
  readonly durationMs: number;
  readonly scenario?: string | undefined;
  readonly fault?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly body?: string | undefined;
  readonly answer?: string | undefined;
};

export const faultKinds = ["reset-before", "reset-after", "500-after", "503", "429", "truncate", "html-502", "hang", "slow", "insert-between-pages"] as const;
export type FaultKind = (typeof faultKinds)[number];
/** What goes wrong with matching requests; without `times` it stands until it is replaced. */
export type Fault = { readonly method?: string; readonly path?: string; readonly kind: FaultKind; readonly times?: number };

export const promptActions = ["approve", "decline", "wrong-pin", "ignore"] as const;
export type PromptAction = (typeof promptActions)[number];

/** The small part of the state that nearly every step needs. Changed only by way of a draft, one for each step. */
export type Core = {
  readonly seed: number;
  /** Counts what calls made: payments and keys. */
  readonly sequence: number;
  /** Counts what followed: ledger entries and deliveries. */
  readonly postings: number;
  readonly clockOffsetMs: number;
  readonly webhookSecret: string;
  readonly keys: readonly { readonly apiKey: string; readonly scopes: readonly string[] }[];
  readonly settings: { readonly autoApproveAfterMs: number | null };
  readonly faults: readonly Fault[];
  readonly armed: readonly string[];
  readonly wallets: Readonly<Record<WalletName, number>>;
  /** Amounts of payouts under way, without carrier cost. */
  readonly b2cOutstanding: number;
  readonly b2cVolume: number;
  readonly b2cCount: number;
  readonly globalPending: number;
  readonly globalCollected: number;
  readonly globalDisbursed: number;
};

export type CoreDraft = { -readonly [Part in keyof Omit<Core, "wallets">]: Core[Part] } & { wallets: Record<WalletName, number> };

export type Kinds = {
  tx: Transaction;
  entry: Entry;
  hold: Hold;
  collection: Collection;
  disbursement: Disbursement;
  delivery: Delivery;
  storedAnswer: StoredAnswer;
  scenarioUse: ScenarioUse;
  request: LoggedRequest;
};
export type KindName = keyof Kinds;
/** Kinds that are listed by a group. */
export type GroupedKind = "tx" | "entry" | "hold";
/** Kinds to which something happens at a moment. */
export type DueKind = "tx" | "collection" | "disbursement" | "delivery" | "storedAnswer";
