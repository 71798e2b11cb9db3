import { type Database, inTransaction } from "../storage/sqlite.ts";

/** A program that knows a lower version must not touch the file, as it would not see what the higher one wrote. */
export const schemaVersion = 2;

/**
 * `seen`: the transactions that look-ups saw, and the newest attempt at that time.
 * `seq` gives the order of opening, also where the clock was moved. `newest` is the highest time ever written. `checksum` is over
 * all other columns but `seq`. The guard's key has two indexes: a damaged one would hide a payment, and it would be made again.
 */
const version1 = `
CREATE TABLE IF NOT EXISTS attempts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  idempotency_key TEXT NOT NULL,
  operation TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  body TEXT,
  profile TEXT NOT NULL,
  base_url TEXT NOT NULL,
  reference TEXT NOT NULL,
  payee TEXT NOT NULL,
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  started_at TEXT NOT NULL,
  closed_at TEXT,
  state TEXT NOT NULL,
  transaction_id TEXT,
  status TEXT,
  tries TEXT NOT NULL,
  answer TEXT,
  key_fingerprint TEXT NOT NULL,
  key_salt TEXT NOT NULL,
  batch_id TEXT,
  batch_row INTEGER,
  unanswered INTEGER NOT NULL,
  guard_key TEXT NOT NULL,
  evidence TEXT,
  held_by TEXT,
  checksum TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS attempts_key ON attempts (idempotency_key, endpoint, base_url);
CREATE INDEX IF NOT EXISTS attempts_guard ON attempts (guard_key);
CREATE INDEX IF NOT EXISTS attempts_guard_tail ON attempts (substr(guard_key, 33));
CREATE INDEX IF NOT EXISTS attempts_reference ON attempts (reference);
CREATE INDEX IF NOT EXISTS attempts_state ON attempts (state);
CREATE INDEX IF NOT EXISTS attempts_started ON attempts (started_at);
CREATE INDEX IF NOT EXISTS attempts_transaction ON attempts (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_batch ON attempts (batch_id, batch_row) WHERE batch_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS seen (base_url TEXT NOT NULL, transaction_id TEXT NOT NULL, after_seq INTEGER NOT NULL, PRIMARY KEY (base_url, transaction_id)) STRICT;
CREATE TABLE IF NOT EXISTS newest (one INTEGER PRIMARY KEY CHECK (one = 1), at TEXT NOT NULL) STRICT;
`;

/** Approvals. An item is one request: the only one, or a row of a batch. `finished_at`: nothing of a batch is left to send. */
const version2 = `
ALTER TABLE attempts ADD COLUMN approval_id TEXT;
CREATE INDEX attempts_approval ON attempts (approval_id) WHERE approval_id IS NOT NULL;
CREATE INDEX attempts_payee ON attempts (payee);
CREATE TABLE approvals (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  operation TEXT NOT NULL,
  base_url TEXT NOT NULL,
  profile TEXT NOT NULL,
  reference TEXT NOT NULL,
  payee TEXT NOT NULL,
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  rows INTEGER NOT NULL,
  file_id TEXT,
  choice TEXT,
  allow_duplicate INTEGER NOT NULL,
  idempotency_key TEXT,
  note TEXT,
  proposed_by TEXT NOT NULL,
  proposed_from TEXT NOT NULL,
  proposed_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  cancelled_at TEXT,
  finished_at TEXT
) STRICT;
CREATE TABLE approval_items (
  approval_id TEXT NOT NULL,
  item INTEGER NOT NULL,
  guard_key TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (approval_id, item)
) STRICT;
CREATE INDEX approval_items_guard ON approval_items (guard_key);
CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY,
  approval_id TEXT NOT NULL,
  decided_by TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  decision TEXT NOT NULL,
  reason TEXT
) STRICT;
CREATE INDEX decisions_approval ON decisions (approval_id);
CREATE TABLE policies (currency TEXT PRIMARY KEY, from_amount TEXT NOT NULL, approvers INTEGER NOT NULL) STRICT;
`;

/** What each version adds to the one before. */
const upgrades: readonly string[] = [version1, version2];

const versionOf = (database: Database): number => {
  const row = database.prepare("PRAGMA user_version").get();
  return typeof row === "object" && row !== null && "user_version" in row ? Number(row.user_version) : 0;
};

/**
 * Makes the tables in an empty database, in one transaction with `more`. Nothing is prepared: a statement could hold the file open
 * after it is closed, and on Windows it could not be removed then.
 */
export const createSchema = (database: Database, more = ""): void =>
  database.exec(`BEGIN; ${upgrades.join("")} ${more} PRAGMA user_version = ${schemaVersion}; COMMIT`);

/** Brings a journal up to this program's version, in one transaction. */
export const upgradeSchema = (database: Database): void => {
  if (versionOf(database) >= schemaVersion) return;
  inTransaction(database, () => {
    // Another process may have been quicker.
    const missing = upgrades.slice(versionOf(database));
    database.exec(`${missing.join("")} PRAGMA user_version = ${schemaVersion}`);
  });
};
