/**
 * What the sandbox remembers. All amounts are whole minor units (cents) of the currency named beside them, else of KES.
 * Times are milliseconds since 1970 by the sandbox's own clock, which can be moved.
 */
export type WalletName = "balance" | "b2c" | "b2cHeld" | "global" | "globalHeld";
export type Flow = "standard" | "b2c" | "collection" | "disbursement";

/** The column that a field is kept in. What is `JSON TEXT` is written and read as JSON. */
type Column<Value> = { readonly sql: string; readonly type?: Value };
const column = <Value>(sql: string): Column<Value> => ({ sql });
const text = column<string>("TEXT NOT NULL");
const textOrNone = column<string | undefined>("TEXT");
const integer = column<number>("INTEGER NOT NULL");
const integerOrNone = column<number | undefined>("INTEGER");
const id = column<string>("TEXT NOT NULL UNIQUE");

export type Columns = Readonly<Record<string, Column<unknown>>>;
type ValueOf<Field> = Field extends Column<infer Value> ? Value : never;
type Optional<Fields> = { [Name in keyof Fields]: undefined extends ValueOf<Fields[Name]> ? Name : never }[keyof Fields];
type RecordOf<Fields> = Readonly<
  { [Name in Exclude<keyof Fields, Optional<Fields>>]: ValueOf<Fields[Name]> } & { [Name in Optional<Fields>]?: ValueOf<Fields[Name]> }
>;

export type Step = { readonly status: string; readonly at: string; readonly reason?: string };

const transaction = {
  id,
  /** Its flow. */
  group: column<Flow>("TEXT NOT NULL"),
  /** The merchant's; a collection and a withdrawal go by their id. */
  reference: text,
  /** In minor units of `currency`, whatever decimals it has: 100 to a unit. What was asked for; after completion what moved. */
  amount: integer,
  currency: text,
  status: text,
  /** A collection's and a withdrawal's is its rail. */
  provider: text,
  providerRef: text,
  metadata: column<Readonly<Record<string, string | number | undefined>>>("JSON TEXT NOT NULL"),
  /** Whom it is from or to: a phone, an email address or an account. Empty for crypto. */
  party: text,
  description: textOrNone,
  callbackUrl: textOrNone,
  createdMs: integer,
  /** Fee of the service itself, in `currency`. */
  fee: integer,
  /** Carrier cost of a payout. */
  carrierFee: integer,
  scenario: textOrNone,
  /** What happens at `dueMs`. */
  next: column<"process" | "resolve" | "expire" | "reverse" | undefined>("TEXT"),
  dueMs: integerOrNone,
  /** A query that shows another status for a while (027, 028). */
  shown: column<{ readonly status: string; readonly left: number } | undefined>("JSON TEXT"),
  steps: column<readonly Step[]>("JSON TEXT NOT NULL"),
};
/** A payment of any flow (service 2.1 and 2.5); a crypto payment is one of the flow `standard`. */
export type Transaction = RecordOf<typeof transaction>;

/** `amount` in `currency`; `settled` in the wallet's currency. */
export type Settlement = { readonly currency: string; readonly amount: number; readonly rate: number; readonly settled: number };
const entry = {
  id,
  /** Its wallet. */
  group: column<WalletName>("TEXT NOT NULL"),
  type: text,
  amount: integer,
  /** Chains it to the entry before, so that a balance is the sum of its ledger by construction. */
  balanceAfter: integer,
  status: text,
  reference: text,
  description: text,
  createdMs: integer,
  transactionId: textOrNone,
  /** Global postings: transaction currency and amount, and the provider's settlement record. */
  settlement: column<Settlement | undefined>("JSON TEXT"),
};
/** One posting. */
export type Entry = RecordOf<typeof entry>;

const hold = { id, group: column<"local" | "global">("TEXT NOT NULL"), amount: integer, reason: text, holdType: text, reference: text, createdMs: integer };
/** Money ring-fenced; `group` is local or global. */
export type Hold = RecordOf<typeof hold>;

export type DeliveryTry = { readonly at: string; readonly status?: number; readonly error?: string; readonly durationMs?: number };
const delivery = {
  id,
  type: text,
  eventId: text,
  transactionId: text,
  url: text,
  body: text,
  createdMs: integer,
  state: column<"due" | "delivered" | "failed" | "lost">("TEXT NOT NULL"),
  badSignature: column<true | undefined>("JSON TEXT"),
  dueMs: integerOrNone,
  tries: column<readonly DeliveryTry[]>("JSON TEXT NOT NULL"),
};
/** A callback: what is sent, where, and every try (service 6). */
export type Delivery = RecordOf<typeof delivery>;

/** An answer stored for its Idempotency-Key: until `readyMs` its first request is being worked on (409), after `dueMs` it may go. */
const storedAnswer = { id, bodyHash: text, status: integer, body: text, createdMs: integer, readyMs: integer, dueMs: column<number>("INTEGER") };
export type StoredAnswer = RecordOf<typeof storedAnswer>;

const request = {
  id,
  at: text,
  method: text,
  path: text,
  /** Absent where the connection was cut. */
  status: integerOrNone,
  durationMs: integer,
  scenario: textOrNone,
  fault: textOrNone,
  idempotencyKey: textOrNone,
  body: textOrNone,
  answer: textOrNone,
};
export type LoggedRequest = RecordOf<typeof request>;

/** What anyone sees who opens the file with `sqlite3`: the table of each kind, and the column of the field `group`, by which it is listed. */
export const kinds = {
  tx: { table: "transactions", group: "flow", columns: transaction },
  entry: { table: "ledger_entries", group: "wallet", columns: entry },
  hold: { table: "holds", group: "scope", columns: hold },
  delivery: { table: "deliveries", columns: delivery },
  storedAnswer: { table: "stored_answers", columns: storedAnswer },
  /** How often a scenario has refused one key. */
  scenarioUse: { table: "strikes", columns: { id, count: integer } },
  request: { table: "requests", columns: request },
} as const;
export type KindName = keyof typeof kinds;
export type Kinds = { readonly [Kind in KindName]: RecordOf<(typeof kinds)[Kind]["columns"]> & { readonly id: string } };
/** Kinds to which something happens at a moment. */
export type DueKind = "tx" | "delivery" | "storedAnswer";

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
