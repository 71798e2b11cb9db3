import type { SqlStyle } from "../approval-rows.ts";
import { changingColumns, tablesSql } from "../tables.ts";

export const sqlStyle: SqlStyle = {
  prefix: "payments.",
  now: "payments.clock()",
  nowValues: [],
  lastHttpStatus: "tries::jsonb -> -1 ->> 'httpStatus'",
  decided: "coalesce(json_agg(json_build_object('by', decided_by, 'at', decided_at, 'decision', decision, 'reason', reason) ORDER BY seq), '[]')::text",
  listed: "SELECT jsonb_array_elements_text(?::jsonb)",
};

const refuseRewriting = (later: string): string => `payments.refuse_rewriting('{${later}}')`;
const triggers = [
  ["keep_accepted", "UPDATE", "attempts", "payments.keep_accepted()"],
  ["no_rewriting", "UPDATE", "attempts", refuseRewriting([...changingColumns, "guard_slot"].join())],
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
 * `keys`: the login that was the first to use a salt. `guard_slot` makes the duplicate guard a constraint: whoever has looked at the same likes takes the same slot, and one of them gets it.
 */
export const schemaTables = `
CREATE TABLE IF NOT EXISTS payments.meta (one integer PRIMARY KEY CHECK (one = 1), version integer NOT NULL);
${tablesSql({
  prefix: "payments.",
  long: "bigint",
  numbers: "GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  end: "",
  checks: true,
  own: "guard_slot bigint NOT NULL,\n  made_by text NOT NULL",
})}
ALTER TABLE payments.attempts ADD COLUMN IF NOT EXISTS imported boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX IF NOT EXISTS attempts_guard ON payments.attempts (guard_key, base_url, guard_slot) WHERE state <> 'refused';
CREATE UNIQUE INDEX IF NOT EXISTS attempts_approved ON payments.attempts (approval_id, (coalesce(batch_row, 1))) WHERE approval_id IS NOT NULL AND state <> 'refused';
CREATE INDEX IF NOT EXISTS attempts_likes ON payments.attempts (guard_key);
CREATE INDEX IF NOT EXISTS attempts_open ON payments.attempts (state) WHERE state IN ('started', 'unknown');
CREATE INDEX IF NOT EXISTS attempts_closed ON payments.attempts (closed_at);
CREATE UNIQUE INDEX IF NOT EXISTS decisions_person ON payments.decisions (approval_id, decided_by);
CREATE TABLE IF NOT EXISTS payments.batches (batch_id text, base_url text, total numeric NOT NULL, PRIMARY KEY (batch_id, base_url));
CREATE TABLE IF NOT EXISTS payments.keys (salt text PRIMARY KEY, made_by text NOT NULL);
INSERT INTO payments.keys SELECT DISTINCT ON (key_salt) key_salt, made_by FROM payments.attempts ORDER BY key_salt, seq ON CONFLICT DO NOTHING;

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
