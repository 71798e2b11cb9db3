-- The parts of the changes, which nobody may run alone: payments.apply runs with its owner's rights and a fixed search_path.
-- A refusal is an exception PJ000 whose message names it and whose detail is JSON; apply turns it into the result of its operation.
CREATE OR REPLACE FUNCTION payments.fail(what text, more jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', what USING ERRCODE = 'PJ000', DETAIL = more::text;
END $$;

CREATE OR REPLACE FUNCTION payments.need_role(VARIADIC wanted text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM unnest(wanted) r WHERE has_role(r)) THEN
    PERFORM fail('no-role', jsonb_build_object('needs', wanted[1], 'role', own_role(), 'name', session_user));
  END IF;
END $$;

CREATE OR REPLACE FUNCTION payments.named(a attempts) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('id', a.id, 'key', a.idempotency_key)
$$;

CREATE OR REPLACE FUNCTION payments.past(at text) RETURNS text LANGUAGE sql STRICT AS $$
  -- What is dated later than now would make all clocks look as if they had been set back.
  SELECT iso(greatest(least(at::timestamptz, clock()::timestamptz), 'epoch'))
$$;

CREATE OR REPLACE FUNCTION payments.is_held(a attempts, holder text) RETURNS boolean LANGUAGE sql AS $$
  -- A session that has ended holds its lock no longer.
  SELECT a.held_by IS NOT NULL AND a.held_by <> holder AND NOT pg_try_advisory_xact_lock_shared(a.held_by::bigint)
$$;

CREATE OR REPLACE FUNCTION payments.check_durable() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('synchronous_commit') = 'off' OR current_setting('fsync') = 'off' THEN
    PERFORM fail('not-durable', '{}');
  END IF;
END $$;

CREATE OR REPLACE FUNCTION payments.is_money_out(operation text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT operation IN ('b2c', 'withdraw') $$;

CREATE OR REPLACE FUNCTION payments.check_request(a attempts) RETURNS void LANGUAGE plpgsql AS $$
DECLARE body jsonb := a.body::jsonb;
BEGIN
  -- Whoever first used a salt made it up, and nobody else can make the fingerprint of that person's key with it.
  INSERT INTO keys VALUES (a.key_salt, a.made_by) ON CONFLICT DO NOTHING;
  IF (SELECT made_by FROM keys WHERE salt = a.key_salt) <> a.made_by THEN PERFORM fail('other-key', named(a)); END IF;
  -- An amount below zero would hide the other rows of a file from the policy, and a request of another amount than the recorded one itself.
  -- A pruned attempt has no request any more.
  IF a.amount !~ '^[0-9]+([.][0-9]+)?$' OR a.amount::numeric = 0 OR (is_money_out(a.operation) AND ((a.operation = 'b2c' AND a.currency <> 'KES')
      OR (body IS NOT NULL AND ((body ->> 'amount')::numeric IS DISTINCT FROM a.amount::numeric OR coalesce(body ->> 'currency', 'KES') <> a.currency)))) THEN
    PERFORM fail('other-request', named(a));
  END IF;
END $$;

CREATE OR REPLACE FUNCTION payments.check_approved(a attempts, total numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE policy policies; approval approvals; needed integer := 1; given integer;
BEGIN
  IF NOT is_money_out(a.operation) THEN RETURN; END IF;
  SELECT * INTO policy FROM policies WHERE currency = upper(a.currency);
  IF a.approval_id IS NULL THEN
    IF policy.currency IS NOT NULL AND total >= policy.from_amount::numeric THEN
      PERFORM fail('approval-required', jsonb_build_object('currency', policy.currency, 'from', policy.from_amount, 'approvers', policy.approvers, 'id', a.id));
    END IF;
    RETURN;
  END IF;
  SELECT * INTO approval FROM approvals WHERE id = a.approval_id FOR UPDATE;
  IF NOT FOUND THEN PERFORM fail('no-approval', jsonb_build_object('id', a.approval_id)); END IF;
  IF approval.cancelled_at IS NOT NULL OR approval.finished_at IS NOT NULL OR approval.expires_at <= clock()
      OR EXISTS (SELECT 1 FROM decisions WHERE approval_id = approval.id AND decision = 'declined')
      OR (approval.file_id IS NULL AND approval_state(approval.id) <> 'open') THEN
    PERFORM fail('closed', jsonb_build_object('id', approval.id));
  END IF;
  IF policy.currency IS NOT NULL AND approval.amount::numeric >= policy.from_amount::numeric THEN needed := policy.approvers; END IF;
  SELECT count(*) INTO given FROM decisions WHERE approval_id = approval.id AND decision = 'approved' AND decided_by <> approval.proposed_by;
  IF given < needed OR approval.currency <> a.currency OR approval.base_url <> a.base_url
      OR NOT EXISTS (SELECT 1 FROM decisions WHERE approval_id = approval.id AND decision = 'approved' AND decided_by = session_user)
      OR NOT EXISTS (SELECT 1 FROM approval_items i WHERE i.approval_id = approval.id AND i.item = coalesce(a.batch_row, 1) AND i.body = a.body) THEN
    PERFORM fail('approval-required', jsonb_build_object('currency', approval.currency, 'from', coalesce(policy.from_amount, approval.amount), 'approvers', needed, 'id', a.id));
  END IF;
END $$;

CREATE OR REPLACE FUNCTION payments.count_in(a attempts, is_new boolean) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE total numeric := a.amount::numeric;
BEGIN
  -- What the policy looks at: the amount, or the sum of the file's rows that are not refused.
  IF a.batch_id IS NULL OR a.approval_id IS NOT NULL THEN RETURN total; END IF;
  INSERT INTO batches AS b VALUES (a.batch_id, a.base_url, total)
    ON CONFLICT (batch_id, base_url) DO UPDATE SET total = b.total + CASE WHEN is_new THEN excluded.total ELSE 0 END RETURNING b.total INTO total;
  RETURN total;
END $$;

CREATE OR REPLACE FUNCTION payments.check_likes(a attempts, judged jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE found_like attempts;
BEGIN
  IF jsonb_typeof(judged) IS DISTINCT FROM 'array' THEN RETURN; END IF;
  SELECT * INTO found_like FROM attempts l
    WHERE l.guard_key = a.guard_key AND l.base_url = a.base_url AND l.state <> 'refused' AND NOT judged ? l.id ORDER BY seq DESC LIMIT 1;
  IF FOUND THEN PERFORM fail('like', named(found_like)); END IF;
END $$;

CREATE OR REPLACE FUNCTION payments.next_slot(a attempts) RETURNS bigint LANGUAGE sql AS $$
  SELECT coalesce(max(guard_slot), 0) + 1 FROM attempts l WHERE l.guard_key = a.guard_key AND l.base_url = a.base_url AND l.state <> 'refused'
$$;

CREATE OR REPLACE FUNCTION payments.refuse_taken(a attempts, broken text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE other attempts;
BEGIN
  -- A like was quicker: it is looked at now.
  IF broken = 'attempts_guard' THEN RETURN; END IF;
  IF broken = 'attempts_approved' THEN
    PERFORM fail('closed', jsonb_build_object('id', a.approval_id));
  END IF;
  SELECT * INTO other FROM attempts t WHERE t.idempotency_key = a.idempotency_key AND t.endpoint = a.endpoint AND t.base_url = a.base_url;
  PERFORM fail('taken', CASE WHEN FOUND THEN named(other) ELSE '{}' END);
END $$;
