-- Nobody may write to a table: all changes go through payments.apply. These triggers refuse even to the tables' owner what would delete or
-- rewrite a record.
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

-- The columns named here may change once the row is there.
DO $$
DECLARE
  guarded record;
  event text;
BEGIN
  FOR guarded IN SELECT * FROM (VALUES
    ('attempts', '{body,payee,closed_at,state,transaction_id,status,tries,answer,unanswered,evidence,held_by,guard_slot}'),
    ('approvals', '{cancelled_at,finished_at}'),
    ('approval_items', '{}'),
    ('decisions', '{}')
  ) AS t (name, later) LOOP
    EXECUTE format('DROP TRIGGER IF EXISTS no_rewriting ON payments.%I', guarded.name);
    EXECUTE format('CREATE TRIGGER no_rewriting BEFORE UPDATE ON payments.%I FOR EACH ROW EXECUTE FUNCTION payments.refuse_rewriting(%L)',
      guarded.name, guarded.later);
    FOREACH event IN ARRAY ARRAY['delete', 'truncate'] LOOP
      EXECUTE format('DROP TRIGGER IF EXISTS no_%s ON payments.%I', event, guarded.name);
      EXECUTE format('CREATE TRIGGER no_%s BEFORE %s ON payments.%I FOR EACH STATEMENT EXECUTE FUNCTION payments.refuse_removal()',
        event, event, guarded.name);
    END LOOP;
  END LOOP;
END $$;
DROP TRIGGER IF EXISTS keep_accepted ON payments.attempts;
CREATE TRIGGER keep_accepted BEFORE UPDATE ON payments.attempts FOR EACH ROW EXECUTE FUNCTION payments.keep_accepted();
