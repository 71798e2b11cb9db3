const refuseRewriting = (later: string): string => `payments.refuse_rewriting('{${later}}')`;
const triggers = [
  ["keep_accepted", "UPDATE", "attempts", "payments.keep_accepted()"],
  [
    "no_rewriting",
    "UPDATE",
    "attempts",
    refuseRewriting("body,payee,closed_at,state,transaction_id,status,tries,answer,unanswered,evidence,held_by,guard_slot"),
  ],
  ["no_rewriting", "UPDATE", "approvals", refuseRewriting("cancelled_at,finished_at")],
  ["no_rewriting", "UPDATE", "approval_items", refuseRewriting("")],
  ["no_rewriting", "UPDATE", "decisions", refuseRewriting("")],
  ...["attempts", "approvals", "approval_items", "decisions"].flatMap((table) => [
    ["no_delete", "DELETE", table, "payments.refuse_removal()"],
    ["no_truncate", "TRUNCATE", table, "payments.refuse_removal()"],
  ]),
]
  .map(
    ([name, event, table, action]) =>
      `DROP TRIGGER IF EXISTS ${name} ON payments.${table};
CREATE TRIGGER ${name} BEFORE ${event} ON payments.${table} FOR EACH ${event === "UPDATE" ? "ROW" : "STATEMENT"} EXECUTE FUNCTION ${action};`,
  )
  .join("\n");

/**
 * The tables of a shared journal. Times are texts in ISO 8601 UTC by the database's clock. Nobody may write to a table: all changes go
 * through payments.apply, and the triggers refuse what would delete or rewrite a record even from the tables' owner.
 *
 * `guard_slot` makes the duplicate guard a constraint: whoever has looked at the same likes takes the same slot, and one of them gets it.
 */
export const schemaTables = `
CREATE TABLE IF NOT EXISTS payments.meta (one integer PRIMARY KEY CHECK (one = 1), version integer NOT NULL);
CREATE TABLE IF NOT EXISTS payments.attempts (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  idempotency_key text NOT NULL,
  operation text NOT NULL CHECK (operation IN ('stk', 'b2c', 'collect', 'withdraw')),
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
  guard_slot bigint NOT NULL,
  evidence text,
  held_by text,
  approval_id text,
  made_by text NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS attempts_key ON payments.attempts (idempotency_key, endpoint, base_url);
CREATE UNIQUE INDEX IF NOT EXISTS attempts_guard ON payments.attempts (guard_key, base_url, guard_slot) WHERE state <> 'refused';
CREATE UNIQUE INDEX IF NOT EXISTS attempts_approved ON payments.attempts (approval_id, (coalesce(batch_row, 1))) WHERE approval_id IS NOT NULL AND state <> 'refused';
CREATE INDEX IF NOT EXISTS attempts_likes ON payments.attempts (guard_key);
CREATE INDEX IF NOT EXISTS attempts_approval ON payments.attempts (approval_id) WHERE approval_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_reference ON payments.attempts (reference);
CREATE INDEX IF NOT EXISTS attempts_payee ON payments.attempts (payee);
CREATE INDEX IF NOT EXISTS attempts_open ON payments.attempts (state) WHERE state IN ('started', 'unknown');
CREATE INDEX IF NOT EXISTS attempts_started ON payments.attempts (started_at);
CREATE INDEX IF NOT EXISTS attempts_closed ON payments.attempts (closed_at);
CREATE INDEX IF NOT EXISTS attempts_transaction ON payments.attempts (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_batch ON payments.attempts (batch_id, batch_row) WHERE batch_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS payments.seen (base_url text NOT NULL, transaction_id text NOT NULL, after_seq bigint NOT NULL, PRIMARY KEY (base_url, transaction_id));
CREATE TABLE IF NOT EXISTS payments.batches (batch_id text, base_url text, total numeric NOT NULL, PRIMARY KEY (batch_id, base_url));
CREATE TABLE IF NOT EXISTS payments.approvals (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
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
  finished_at text
);
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
  reason text,
  UNIQUE (approval_id, decided_by)
);
CREATE TABLE IF NOT EXISTS payments.policies (currency text PRIMARY KEY, from_amount text NOT NULL, approvers integer NOT NULL CHECK (approvers >= 1));

CREATE OR REPLACE FUNCTION payments.refuse_removal() RETURNS trigger LANGUAGE plpgsql SET search_path = payments, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'nothing is deleted from the journal' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE OR REPLACE FUNCTION payments.refuse_rewriting() RETURNS trigger LANGUAGE plpgsql SET search_path = payments, pg_temp AS $$
DECLARE later text[] := TG_ARGV[0]::text[];
BEGIN
  IF (to_jsonb(OLD) - later) <> (to_jsonb(NEW) - later) THEN
    RAISE EXCEPTION 'what the journal has recorded is not rewritten' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION payments.keep_accepted() RETURNS trigger LANGUAGE plpgsql SET search_path = payments, pg_temp AS $$
BEGIN
  IF OLD.state = 'accepted' AND NEW.state <> 'accepted' THEN
    RAISE EXCEPTION 'an accepted payment stays accepted' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
${triggers}
`;
