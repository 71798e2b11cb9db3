import type {
  Collection,
  Delivery,
  Disbursement,
  Entry,
  Hold,
  KindName,
  Kinds,
  LoggedRequest,
  ScenarioUse,
  StoredAnswer,
  Transaction,
} from "../engine/entities.ts";

/** The column of each field, as `CREATE TABLE` has it. What is `JSON TEXT` is written and read as JSON. No field may be forgotten. */
export type Columns<Fields> = { readonly [Field in keyof Required<Fields>]: string };
/** `seq`, which each table has beside these, is the order of arrival. */
export type Table<Fields> = { readonly name: string; readonly columns: Columns<Fields> };

const transaction: Columns<Transaction> = {
  id: "id TEXT NOT NULL UNIQUE",
  group: "flow TEXT NOT NULL",
  reference: "reference TEXT NOT NULL",
  amount: "amount INTEGER NOT NULL",
  status: "status TEXT NOT NULL",
  provider: "provider TEXT NOT NULL",
  providerRef: "provider_ref TEXT NOT NULL",
  metadata: "metadata JSON TEXT NOT NULL",
  phone: "phone TEXT NOT NULL",
  description: "description TEXT",
  callbackUrl: "callback_url TEXT",
  createdMs: "created_ms INTEGER NOT NULL",
  platformFee: "platform_fee INTEGER NOT NULL",
  carrierFee: "carrier_fee INTEGER NOT NULL",
  scenario: "scenario TEXT",
  next: "next TEXT",
  dueMs: "due_ms INTEGER",
  shown: "shown JSON TEXT",
  steps: "steps JSON TEXT NOT NULL",
};

const entry: Columns<Entry> = {
  id: "id TEXT NOT NULL UNIQUE",
  group: "wallet TEXT NOT NULL",
  type: "type TEXT NOT NULL",
  amount: "amount INTEGER NOT NULL",
  balanceAfter: "balance_after INTEGER NOT NULL",
  status: "status TEXT NOT NULL",
  reference: "reference TEXT NOT NULL",
  description: "description TEXT NOT NULL",
  createdMs: "created_ms INTEGER NOT NULL",
  transactionId: "transaction_id TEXT",
  settlement: "settlement JSON TEXT",
};

const hold: Columns<Hold> = {
  id: "id TEXT NOT NULL UNIQUE",
  group: "scope TEXT NOT NULL",
  amount: "amount INTEGER NOT NULL",
  reason: "reason TEXT NOT NULL",
  holdType: "hold_type TEXT NOT NULL",
  reference: "reference TEXT NOT NULL",
  createdMs: "created_ms INTEGER NOT NULL",
};

const globalColumns = {
  id: "id TEXT NOT NULL UNIQUE",
  status: "status TEXT NOT NULL",
  rail: "rail TEXT NOT NULL",
  currency: "currency TEXT NOT NULL",
  amount: "amount INTEGER NOT NULL",
  fee: "fee INTEGER NOT NULL",
  settledAmount: "settled_amount INTEGER NOT NULL",
  settledFee: "settled_fee INTEGER NOT NULL",
  party: "party TEXT NOT NULL",
  createdMs: "created_ms INTEGER NOT NULL",
  scenario: "scenario TEXT",
  failureReason: "failure_reason TEXT",
  dueMs: "due_ms INTEGER",
  steps: "steps JSON TEXT NOT NULL",
};
const collection: Columns<Collection> = {
  ...globalColumns,
  flow: "flow TEXT NOT NULL",
  description: "description TEXT",
  callbackReturnUrl: "callback_return_url TEXT",
};
const disbursement: Columns<Disbursement> = {
  ...globalColumns,
  channel: "channel TEXT NOT NULL",
  operator: "operator TEXT",
  bankCode: "bank_code TEXT",
};

const delivery: Columns<Delivery> = {
  id: "id TEXT NOT NULL UNIQUE",
  type: "type TEXT NOT NULL",
  eventId: "event_id TEXT NOT NULL",
  transactionId: "transaction_id TEXT NOT NULL",
  url: "url TEXT NOT NULL",
  body: "body TEXT NOT NULL",
  createdMs: "created_ms INTEGER NOT NULL",
  state: "state TEXT NOT NULL",
  badSignature: "bad_signature JSON TEXT",
  dueMs: "due_ms INTEGER",
  tries: "tries JSON TEXT NOT NULL",
};

const storedAnswer: Columns<StoredAnswer> = {
  id: "id TEXT NOT NULL UNIQUE",
  bodyHash: "body_hash TEXT NOT NULL",
  status: "status INTEGER NOT NULL",
  body: "body TEXT NOT NULL",
  createdMs: "created_ms INTEGER NOT NULL",
  readyMs: "ready_ms INTEGER NOT NULL",
  dueMs: "due_ms INTEGER",
};

const scenarioUse: Columns<ScenarioUse> = { id: "id TEXT NOT NULL UNIQUE", count: "count INTEGER NOT NULL" };

const request: Columns<LoggedRequest> = {
  id: "id TEXT NOT NULL UNIQUE",
  at: "at TEXT NOT NULL",
  method: "method TEXT NOT NULL",
  path: "path TEXT NOT NULL",
  status: "status INTEGER",
  durationMs: "duration_ms INTEGER NOT NULL",
  scenario: "scenario TEXT",
  fault: "fault TEXT",
  idempotencyKey: "idempotency_key TEXT",
  body: "body TEXT",
  answer: "answer TEXT",
};

/** What anyone sees who opens the file with `sqlite3`. Amounts are in cents, times in milliseconds since 1970 by the sandbox's clock. */
export const tablesByKind: { readonly [Kind in KindName]: Table<Kinds[Kind]> } = {
  tx: { name: "transactions", columns: transaction },
  entry: { name: "ledger_entries", columns: entry },
  hold: { name: "holds", columns: hold },
  collection: { name: "collections", columns: collection },
  disbursement: { name: "disbursements", columns: disbursement },
  delivery: { name: "deliveries", columns: delivery },
  storedAnswer: { name: "stored_answers", columns: storedAnswer },
  scenarioUse: { name: "strikes", columns: scenarioUse },
  request: { name: "requests", columns: request },
};

export const columnOf = (definition: string): string => definition.slice(0, definition.indexOf(" "));

const tableSql = (name: string, columns: Readonly<Record<string, string>>): string => {
  const { group, dueMs } = columns;
  return `CREATE TABLE ${name} (seq INTEGER PRIMARY KEY, ${Object.values(columns).join(", ")});
    ${group === undefined ? "" : `CREATE INDEX ${name}_by_${columnOf(group)} ON ${name} (${columnOf(group)});`}
    ${dueMs === undefined ? "" : `CREATE INDEX ${name}_due ON ${name} (due_ms) WHERE due_ms IS NOT NULL;`}`;
};

/** `merchant` has one row: balances, settings and counters, as JSON. */
export const schema = `CREATE TABLE merchant (id INTEGER PRIMARY KEY CHECK (id = 1), state JSON TEXT NOT NULL);
  ${Object.values(tablesByKind)
    .map(({ name, columns }) => tableSql(name, columns))
    .join("\n")}`;
