import { describeColumns } from "../../storage/columns.ts";

/**
 * What the sandbox remembers, as anyone sees it who opens the file with `sqlite3`. All amounts are whole minor units (cents) of the
 * currency named beside them, else of KES. Times are milliseconds since 1970 by the sandbox's own clock, which can be moved.
 */
const flows = ["standard", "b2c", "collection", "disbursement"] as const;
export type Flow = (typeof flows)[number];
export const walletNames = ["balance", "b2c", "b2cHeld", "global", "globalHeld"] as const;
export type WalletName = (typeof walletNames)[number];

export type Step = { readonly status: string; readonly at: string; readonly reason?: string };
export type DeliveryTry = { readonly at: string; readonly status?: number; readonly error?: string; readonly durationMs?: number };
type Metadata = Readonly<Record<string, string | number | undefined>>;

const transaction = describeColumns({
  id: "text",
  flow: flows,
  /** The merchant's; a collection and a withdrawal go by their id. */
  reference: "text",
  /** In minor units of `currency`, whatever decimals it has: 100 to a unit. What was asked for; after completion what moved. */
  amount: "integer",
  currency: "text",
  status: "text",
  /** A collection's and a withdrawal's is its rail. */
  provider: "text",
  providerRef: "text",
  metadata: (json): Metadata => JSON.parse(json),
  /** Whom it is from or to: a phone, an email address or an account. Empty for crypto. */
  party: "text",
  description: "text?",
  callbackUrl: "text?",
  createdMs: "integer",
  /** Fee of the service itself, in `currency`. */
  fee: "integer",
  /** Carrier cost of a payout. */
  carrierFee: "integer",
  scenario: "text?",
  /** What happens at `dueMs`: it is processed, resolved, expired or reversed. */
  next: "text?",
  dueMs: "integer?",
  /** How many more queries show another status (027, 028). */
  shownLeft: "integer?",
  steps: (json): readonly Step[] => JSON.parse(json),
});

const entry = describeColumns({
  id: "text",
  wallet: walletNames,
  type: "text",
  amount: "integer",
  /** Chains it to the entry before, so that a balance is the sum of its ledger by construction. */
  balanceAfter: "integer",
  status: "text",
  reference: "text",
  description: "text",
  createdMs: "integer",
  transactionId: "text?",
  /** Global postings: transaction currency and amount, and the provider's settlement record, as JSON. */
  settlement: "text?",
});

/** Money ring-fenced. */
const hold = describeColumns({
  id: "text",
  scope: ["local", "global"],
  amount: "integer",
  reason: "text",
  holdType: "text",
  reference: "text",
  createdMs: "integer",
});

const delivery = describeColumns({
  id: "text",
  type: "text",
  eventId: "text",
  transactionId: "text",
  url: "text",
  body: "text",
  createdMs: "integer",
  state: ["due", "delivered", "failed", "lost"],
  badSignature: "flag",
  dueMs: "integer?",
  tries: (json): readonly DeliveryTry[] => JSON.parse(json),
});

/** An answer stored for its Idempotency-Key: until `readyMs` its first request is being worked on (409), after `dueMs` it may go. */
const storedAnswer = describeColumns({
  id: "text",
  bodyHash: "text",
  status: "integer",
  body: "text",
  createdMs: "integer",
  readyMs: "integer",
  dueMs: "integer",
});

const request = describeColumns({
  id: "text",
  at: "text",
  method: "text",
  path: "text",
  /** Absent where the connection was cut. */
  status: "integer?",
  durationMs: "integer",
  scenario: "text?",
  fault: "text?",
  idempotencyKey: "text?",
  body: "text?",
  answer: "text?",
});

/** The table of each kind, and the column by which it is listed. */
export const kinds = {
  tx: { table: "transactions", listedBy: "flow", columns: transaction },
  entry: { table: "ledger_entries", listedBy: "wallet", columns: entry },
  hold: { table: "holds", listedBy: "scope", columns: hold },
  delivery: { table: "deliveries", listedBy: undefined, columns: delivery },
  storedAnswer: { table: "stored_answers", listedBy: undefined, columns: storedAnswer },
  /** How often a scenario has refused one key. */
  scenarioUse: { table: "strikes", listedBy: undefined, columns: describeColumns({ id: "text", count: "integer" }) },
  request: { table: "requests", listedBy: undefined, columns: request },
} as const;
export type KindName = keyof typeof kinds;
/** A member that may be absent may also be undefined. */
type RecordOf<T> = { readonly [Member in keyof T]: undefined extends T[Member] ? T[Member] | undefined : T[Member] };
export type Kinds = { readonly [Kind in KindName]: RecordOf<ReturnType<(typeof kinds)[Kind]["columns"]["fromRow"]>> };
/** A payment of any flow (service 2.1 and 2.5); a crypto payment is one of the flow `standard`. */
export type Transaction = Kinds["tx"];
export type Entry = Kinds["entry"];
export type Hold = Kinds["hold"];
/** A callback: what is sent, where, and every try (service 6). */
export type Delivery = Kinds["delivery"];
export type StoredAnswer = Kinds["storedAnswer"];
export type LoggedRequest = Kinds["request"];
/** Kinds to which something happens at a moment. */
export type DueKind = "tx" | "delivery";

export const faultKinds = ["reset-before", "reset-after", "500-after", "503", "429", "truncate", "html-502", "hang", "slow", "insert-between-pages"] as const;
export type FaultKind = (typeof faultKinds)[number];
/** What goes wrong with matching requests; without `times` it stands until it is replaced. */
export type Fault = { readonly method?: string; readonly path?: string; readonly kind: FaultKind; readonly times?: number };

export const promptActions = ["approve", "decline", "wrong-pin", "ignore"] as const;
export type PromptAction = (typeof promptActions)[number];

/** The small part of the state that nearly every step needs: the merchant's one row. */
export type Core = {
  readonly seed: number;
  /** Counts what calls made: payments and keys. */
  readonly sequence: number;
  /** Counts what followed: ledger entries and deliveries. */
  readonly postings: number;
  readonly clockOffsetMs: number;
  readonly webhookSecret: string;
  /** Empty until the merchant is seeded. */
  readonly keys: readonly { readonly apiKey: string; readonly scopes: readonly string[] }[];
  readonly settings: { readonly autoApproveAfterMs: number | null };
  readonly faults: readonly Fault[];
  readonly armed: readonly string[];
  readonly wallets: Readonly<Record<WalletName, number>>;
  /** Outstanding: amounts of payouts under way, without carrier cost. */
  readonly totals: Readonly<Record<Total, number>>;
};
export const totalNames = ["b2cOutstanding", "b2cVolume", "b2cCount", "globalPending", "globalCollected", "globalDisbursed"] as const;
export type Total = (typeof totalNames)[number];

export const emptyCore: Core = {
  seed: 0,
  sequence: 0,
  postings: 0,
  clockOffsetMs: 0,
  webhookSecret: "",
  keys: [],
  settings: { autoApproveAfterMs: 3_000 },
  faults: [],
  armed: [],
  wallets: { balance: 0, b2c: 0, b2cHeld: 0, global: 0, globalHeld: 0 },
  totals: { b2cOutstanding: 0, b2cVolume: 0, b2cCount: 0, globalPending: 0, globalCollected: 0, globalDisbursed: 0 },
};
