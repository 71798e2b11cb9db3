-- Proposals, decisions and policies.
CREATE OR REPLACE FUNCTION payments.open_like(keys jsonb, url text) RETURNS text LANGUAGE sql AS $$
  SELECT p.id FROM approvals p WHERE p.base_url = url AND p.cancelled_at IS NULL AND p.finished_at IS NULL
    AND EXISTS (SELECT 1 FROM approval_items i WHERE i.approval_id = p.id AND i.guard_key IN (SELECT jsonb_array_elements_text(keys)))
    AND approval_state(p.id) IN ('open', CASE WHEN p.file_id IS NOT NULL THEN 'unknown' END) ORDER BY seq LIMIT 1
$$;

CREATE OR REPLACE FUNCTION payments.op_propose(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE p approvals; found_like text; url text := op -> 'approval' ->> 'base_url';
BEGIN
  PERFORM need_role('maker', 'checker');
  PERFORM check_durable();
  -- Of two that propose the same at one moment the second waits, and then sees the first.
  PERFORM pg_advisory_xact_lock(hashtextextended('payments proposals', 0));
  IF (op -> 'approval' ->> 'allow_duplicate')::integer = 0 THEN
    found_like := open_like((SELECT jsonb_agg(i ->> 'guard_key') FROM jsonb_array_elements(op -> 'items') i), url);
    IF found_like IS NOT NULL THEN PERFORM fail('proposed', jsonb_build_object('id', found_like)); END IF;
  END IF;
  p := jsonb_populate_record(NULL::approvals, op -> 'approval');
  IF p.operation <> 'batch' AND ((op #>> '{items,0,body}')::jsonb ->> 'amount')::numeric IS DISTINCT FROM p.amount::numeric THEN
    PERFORM fail('other-request', jsonb_build_object('id', p.id));
  END IF;
  -- A row below zero would hide a large one from the policy, which looks at the sum.
  IF p.operation = 'batch' AND (SELECT sum(amount) IS DISTINCT FROM p.amount::numeric OR NOT bool_and(coalesce(amount > 0, false))
    FROM (SELECT ((i ->> 'body')::jsonb ->> 'amount')::numeric AS amount FROM jsonb_array_elements(op -> 'items') i) AS rows) THEN
    PERFORM fail('other-request', jsonb_build_object('id', p.id));
  END IF;
  p.rows := jsonb_array_length(op -> 'items'); p.cancelled_at := NULL; p.finished_at := NULL;
  p.proposed_by := session_user; p.proposed_from := machine; p.proposed_at := clock();
  p.expires_at := iso(p.proposed_at::timestamptz + least((op ->> 'expiresMs')::numeric, 2592000000) * interval '1 millisecond');
  INSERT INTO approvals OVERRIDING USER VALUE SELECT p.*;
  INSERT INTO approval_items SELECT p.id, (i ->> 'row')::integer, i ->> 'guard_key', i ->> 'body' FROM jsonb_array_elements(op -> 'items') i;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION payments.lock_open(wanted text, continues boolean) RETURNS approvals LANGUAGE plpgsql AS $$
DECLARE p approvals; state text;
BEGIN
  SELECT * INTO p FROM approvals WHERE id = wanted FOR UPDATE;
  IF NOT FOUND THEN PERFORM fail('no-approval', jsonb_build_object('id', wanted)); END IF;
  state := approval_state(wanted);
  IF state <> 'open' AND NOT (continues AND state = 'unknown' AND p.file_id IS NOT NULL) THEN PERFORM fail('closed', jsonb_build_object('id', wanted)); END IF;
  RETURN p;
END $$;

CREATE OR REPLACE FUNCTION payments.op_decide(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE p approvals; is_approval boolean := op ->> 'reason' IS NULL; needed integer := 1; given integer;
BEGIN
  PERFORM check_durable();
  p := lock_open(op ->> 'id', is_approval);
  IF is_approval THEN
    PERFORM need_role('checker');
    IF p.proposed_by = session_user THEN PERFORM fail('own-proposal', jsonb_build_object('id', p.id)); END IF;
    SELECT coalesce((SELECT approvers FROM policies WHERE currency = upper(p.currency) AND p.amount::numeric >= from_amount::numeric), 1) INTO needed;
    SELECT count(*) INTO given FROM decisions WHERE approval_id = p.id AND decision = 'approved';
    IF EXISTS (SELECT 1 FROM decisions WHERE approval_id = p.id AND decided_by = session_user) THEN
      IF given < needed THEN PERFORM fail('others-needed', jsonb_build_object('id', p.id, 'needed', needed)); END IF;
      RETURN NULL;
    END IF;
    INSERT INTO decisions (approval_id, decided_by, decided_at, decision) VALUES (p.id, session_user, clock(), 'approved');
  ELSE
    PERFORM need_role('checker', 'owner');
    INSERT INTO decisions (approval_id, decided_by, decided_at, decision, reason) VALUES (p.id, session_user, clock(), 'declined', op ->> 'reason')
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN PERFORM fail('decided', jsonb_build_object('id', p.id)); END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION payments.op_cancel(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE p approvals;
BEGIN
  p := lock_open(op ->> 'id', false);
  IF p.proposed_by <> session_user THEN PERFORM fail('not-yours', jsonb_build_object('id', p.id, 'by', p.proposed_by)); END IF;
  UPDATE approvals SET cancelled_at = clock() WHERE id = p.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION payments.op_finish(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  PERFORM need_role('checker');
  UPDATE approvals p SET finished_at = clock() WHERE id = op ->> 'id' AND file_id IS NOT NULL AND finished_at IS NULL
    AND EXISTS (SELECT 1 FROM decisions d WHERE d.approval_id = p.id AND d.decision = 'approved' AND d.decided_by = session_user);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION payments.op_policy(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  PERFORM need_role('owner');
  PERFORM check_durable();
  DELETE FROM policies WHERE currency = op ->> 'currency';
  IF op ->> 'from' IS NOT NULL THEN
    INSERT INTO policies VALUES (op ->> 'currency', ((op ->> 'from')::numeric)::text, (op ->> 'approvers')::integer);
  END IF;
  RETURN NULL;
END $$;
