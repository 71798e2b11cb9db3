-- Times are texts in ISO 8601 UTC by the database's clock. `seq` gives the order of opening, also where the clock was moved.
CREATE TABLE IF NOT EXISTS payments.attempts (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL,
  idempotency_key text NOT NULL,
  operation text NOT NULL CHECK (operation IN ('stk', 'collect', 'withdraw', 'b2c')),
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
  state text NOT NULL CHECK (state IN ('started', 'accepted', 'refused', 'unknown')),
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
  guard_slot bigint NOT NULL,
  made_by text NOT NULL,
  UNIQUE (id)
);
ALTER TABLE payments.attempts ADD COLUMN IF NOT EXISTS imported boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX IF NOT EXISTS attempts_key ON payments.attempts (idempotency_key, endpoint, base_url);
-- The duplicate guard as a constraint: whoever has looked at the same likes takes the same guard_slot, and one of them gets it.
CREATE UNIQUE INDEX IF NOT EXISTS attempts_guard ON payments.attempts (guard_key, base_url, guard_slot) WHERE state <> 'refused';
-- A proposal pays once, and so does each row of one.
CREATE UNIQUE INDEX IF NOT EXISTS attempts_approved ON payments.attempts (approval_id, (coalesce(batch_row, 1))) WHERE approval_id IS NOT NULL AND state <> 'refused';
CREATE INDEX IF NOT EXISTS attempts_reference ON payments.attempts (reference);
CREATE INDEX IF NOT EXISTS attempts_payee ON payments.attempts (payee);
CREATE INDEX IF NOT EXISTS attempts_started ON payments.attempts (started_at);
CREATE INDEX IF NOT EXISTS attempts_transaction ON payments.attempts (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_batch ON payments.attempts (batch_id, batch_row) WHERE batch_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_approval ON payments.attempts (approval_id) WHERE approval_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_likes ON payments.attempts (guard_key);
CREATE INDEX IF NOT EXISTS attempts_open ON payments.attempts (state) WHERE state IN ('started', 'unknown');
CREATE INDEX IF NOT EXISTS attempts_closed ON payments.attempts (closed_at);

-- The transactions that look-ups saw, and the newest attempt at that time.
CREATE TABLE IF NOT EXISTS payments.seen (base_url text NOT NULL, transaction_id text NOT NULL, after_seq bigint NOT NULL, PRIMARY KEY (base_url, transaction_id));

CREATE TABLE IF NOT EXISTS payments.approvals (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL,
  operation text NOT NULL CHECK (operation IN ('b2c', 'withdraw', 'batch')),
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
);

-- The requests of a proposal: the only one, or the rows of a batch.
CREATE TABLE IF NOT EXISTS payments.approval_items (
  approval_id text NOT NULL REFERENCES payments.approvals (id),
  item integer NOT NULL,
  guard_key text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (approval_id, item)
);
CREATE INDEX IF NOT EXISTS approval_items_guard ON payments.approval_items (guard_key);

CREATE TABLE IF NOT EXISTS payments.decisions (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  approval_id text NOT NULL REFERENCES payments.approvals (id),
  decided_by text NOT NULL,
  decided_at text NOT NULL,
  decision text NOT NULL CHECK (decision IN ('approved', 'declined')),
  reason text
);
-- A person decides once.
CREATE UNIQUE INDEX IF NOT EXISTS decisions_person ON payments.decisions (approval_id, decided_by);
CREATE INDEX IF NOT EXISTS decisions_approval ON payments.decisions (approval_id);

CREATE TABLE IF NOT EXISTS payments.policies (currency text PRIMARY KEY, from_amount text NOT NULL, approvers integer NOT NULL CHECK (approvers >= 1));

-- The sum of a file's rows that are not refused, which a policy looks at.
CREATE TABLE IF NOT EXISTS payments.batches (batch_id text, base_url text, total numeric NOT NULL, PRIMARY KEY (batch_id, base_url));

-- The login that was the first to use a salt.
CREATE TABLE IF NOT EXISTS payments.keys (salt text PRIMARY KEY, made_by text NOT NULL);
INSERT INTO payments.keys SELECT DISTINCT ON (key_salt) key_salt, made_by FROM payments.attempts ORDER BY key_salt, seq ON CONFLICT DO NOTHING;
