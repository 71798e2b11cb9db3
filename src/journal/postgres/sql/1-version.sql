-- One transaction makes the shared journal, or brings an older one up to date: these files one after the other, in the order of their names.
-- It can be run again. A program is refused by a journal of a higher version than its own (schemaVersion in schema-version.ts), as it would not
-- see what the newer program wrote.
SET LOCAL client_min_messages = warning;
DO $$
DECLARE
  this_version CONSTANT integer := 3;
  role text;
BEGIN
  CREATE SCHEMA IF NOT EXISTS payments;
  CREATE TABLE IF NOT EXISTS payments.meta (one integer PRIMARY KEY CHECK (one = 1), version integer NOT NULL);
  IF (SELECT version FROM payments.meta) > this_version THEN RAISE EXCEPTION 'a newer version of payments-cli made this journal'; END IF;
  INSERT INTO payments.meta VALUES (1, this_version) ON CONFLICT (one) DO UPDATE SET version = excluded.version;
  -- Roles belong to the whole server: another database may have them already.
  FOREACH role IN ARRAY ARRAY['payments_maker', 'payments_checker', 'payments_owner'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role) THEN EXECUTE format('CREATE ROLE %I NOLOGIN', role); END IF;
  END LOOP;
END $$;
SET LOCAL search_path = payments, pg_temp;
