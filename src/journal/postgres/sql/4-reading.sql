-- What everybody with a role may ask. Who asks is the login (session_user), whatever role was taken on.
CREATE OR REPLACE FUNCTION payments.iso(at timestamptz) RETURNS text LANGUAGE sql STABLE STRICT AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

CREATE OR REPLACE FUNCTION payments.clock() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT payments.iso(clock_timestamp())
$$;

CREATE OR REPLACE FUNCTION payments.has_role(wanted text) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE mine AS (
    SELECT oid FROM pg_roles WHERE rolname = session_user
    UNION SELECT m.roleid FROM pg_auth_members m JOIN mine ON m.member = mine.oid
  ) SELECT EXISTS (SELECT 1 FROM mine JOIN pg_roles r ON r.oid = mine.oid WHERE r.rolname = 'payments_' || wanted)
$$;

CREATE OR REPLACE FUNCTION payments.own_role() RETURNS text LANGUAGE sql STABLE SET search_path = payments, pg_temp AS $$
  SELECT coalesce((SELECT r FROM unnest(ARRAY['owner', 'checker', 'maker']) WITH ORDINALITY AS u(r, n) WHERE has_role(r) ORDER BY n LIMIT 1), 'none')
$$;

CREATE OR REPLACE FUNCTION payments.holds(holder text) RETURNS boolean LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted AND objsubid = 1
    AND (classid::bigint << 32 | objid::bigint) = holder::bigint)
$$;

-- The state of a proposal follows the attempts: settling one of them settles the proposal. By item the newest attempt counts, unless an
-- older one may have moved money. unsent: no answer refused it and certainly nothing left, so it may be approved again. The journal in a
-- file has the same rule in approvals-file.ts.
CREATE OR REPLACE FUNCTION payments.approval_state(wanted text) RETURNS text LANGUAGE sql VOLATILE SET search_path = payments, pg_temp AS $$
  WITH item AS (
    SELECT CASE
      WHEN bool_or(state = 'accepted') THEN 'accepted'
      WHEN bool_or(state <> 'refused') THEN 'unknown'
      WHEN max(seq) FILTER (WHERE unanswered = 0 AND tries::jsonb -> -1 ->> 'httpStatus' IS NULL) = max(seq) THEN 'unsent'
      ELSE 'refused' END AS became
    FROM attempts WHERE approval_id = wanted GROUP BY coalesce(batch_row, 1)
  ), made AS (
    SELECT count(*) FILTER (WHERE became = 'unknown') AS unknown, count(*) FILTER (WHERE became = 'accepted') AS accepted,
      count(*) FILTER (WHERE became <> 'unsent') AS sent
    FROM item
  )
  SELECT CASE
    WHEN made.unknown > 0 THEN 'unknown'
    WHEN (p.file_id IS NULL AND made.sent > 0) OR p.finished_at IS NOT NULL THEN CASE WHEN made.accepted > 0 OR made.sent = 0 THEN 'sent' ELSE 'refused' END
    WHEN p.cancelled_at IS NOT NULL THEN 'cancelled'
    WHEN EXISTS (SELECT 1 FROM decisions WHERE approval_id = p.id AND decision = 'declined') THEN 'declined'
    WHEN p.expires_at <= clock() THEN 'expired'
    ELSE 'open' END
  FROM approvals p, made WHERE p.id = wanted
$$;
