-- The tables of the journal in a file. Times are texts in ISO 8601 UTC. `seq` gives the order of opening, also where the clock was moved.
CREATE TABLE IF NOT EXISTS attempts (
  seq integer PRIMARY KEY,
  id text NOT NULL,
  idempotency_key text NOT NULL,
  operation text NOT NULL,
  endpoint text NOT NULL,
  body text,
  profile text NOT NULL,
  base_url text NOT NULL,
  reference text NOT NULL,
  payee text NOT NULL,
  amount text NOT NULL,
  currency text NOT NULL,
  started_at text NOT NULL,
  closed_at text,
  state text NOT NULL,
  transaction_id text,
  status text,
  tries text NOT NULL,
  answer text,
  key_fingerprint text NOT NULL,
  key_salt text NOT NULL,
  batch_id text,
  batch_row integer,
  unanswered integer NOT NULL,
  guard_key text NOT NULL,
  evidence text,
  held_by text,
  approval_id text,
  -- Over all columns but seq.
  checksum text NOT NULL,
  UNIQUE (id)
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS attempts_key ON attempts (idempotency_key, endpoint, base_url);
-- The guard's key has two indexes: a damaged one would hide a payment, and it would be made again.
CREATE INDEX IF NOT EXISTS attempts_guard ON attempts (guard_key);
CREATE INDEX IF NOT EXISTS attempts_guard_tail ON attempts (substr(guard_key, 33));
CREATE INDEX IF NOT EXISTS attempts_state ON attempts (state);
CREATE INDEX IF NOT EXISTS attempts_reference ON attempts (reference);
CREATE INDEX IF NOT EXISTS attempts_payee ON attempts (payee);
CREATE INDEX IF NOT EXISTS attempts_started ON attempts (started_at);
CREATE INDEX IF NOT EXISTS attempts_transaction ON attempts (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_batch ON attempts (batch_id, batch_row) WHERE batch_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_approval ON attempts (approval_id) WHERE approval_id IS NOT NULL;

-- The transactions that look-ups saw, and the newest attempt at that time.
CREATE TABLE IF NOT EXISTS seen (base_url text NOT NULL, transaction_id text NOT NULL, after_seq integer NOT NULL, PRIMARY KEY (base_url, transaction_id)) STRICT;

CREATE TABLE IF NOT EXISTS approvals (
  seq integer PRIMARY KEY,
  id text NOT NULL,
  operation text NOT NULL,
  base_url text NOT NULL,
  profile text NOT NULL,
  reference text NOT NULL,
  payee text NOT NULL,
  amount text NOT NULL,
  currency text NOT NULL,
  rows integer NOT NULL,
  file_id text,
  choice text,
  allow_duplicate integer NOT NULL,
  idempotency_key text,
  note text,
  proposed_by text NOT NULL,
  proposed_from text NOT NULL,
  proposed_at text NOT NULL,
  expires_at text NOT NULL,
  cancelled_at text,
  finished_at text,
  UNIQUE (id)
) STRICT;

-- The requests of a proposal: the only one, or the rows of a batch.
CREATE TABLE IF NOT EXISTS approval_items (
  approval_id text NOT NULL REFERENCES approvals (id),
  item integer NOT NULL,
  guard_key text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (approval_id, item)
) STRICT;
CREATE INDEX IF NOT EXISTS approval_items_guard ON approval_items (guard_key);

CREATE TABLE IF NOT EXISTS decisions (
  seq integer PRIMARY KEY,
  approval_id text NOT NULL REFERENCES approvals (id),
  decided_by text NOT NULL,
  decided_at text NOT NULL,
  decision text NOT NULL CHECK (decision IN ('approved', 'declined')),
  reason text
) STRICT;
CREATE INDEX IF NOT EXISTS decisions_approval ON decisions (approval_id);

CREATE TABLE IF NOT EXISTS policies (currency text PRIMARY KEY, from_amount text NOT NULL, approvers integer NOT NULL CHECK (approvers >= 1)) STRICT;

-- The highest time ever written.
CREATE TABLE IF NOT EXISTS newest (one integer PRIMARY KEY CHECK (one = 1), at text NOT NULL) STRICT;
