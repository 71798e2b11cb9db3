import { approvalStateSql } from "../approval-rows.ts";
import { begin, end } from "./operation-sql.ts";
import { sqlStyle } from "./schema-tables.ts";

/**
 * The functions through which alone a shared journal changes. payments.apply runs with its owner's rights and a fixed search_path; the
 * others are its parts, which nobody else may run. Who asks is the login (session_user), whatever role was taken on.
 *
 * A refusal is an exception PJ000 whose message names it and whose detail is JSON; apply turns it into the result of its operation.
 */
export const readingFunctions = `
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
CREATE OR REPLACE FUNCTION payments.approval_state(wanted text) RETURNS text LANGUAGE sql VOLATILE SET search_path = payments, pg_temp AS $$
  SELECT ${approvalStateSql(sqlStyle)} FROM approvals p WHERE p.id = wanted
$$;
`;

const parts = `
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
`;

const sending = `
${begin("open", { roles: "'maker', 'checker'", declare: "a attempts; judged jsonb := op -> 'judged'; broken text;" })}
  PERFORM check_durable();
  a := jsonb_populate_record(NULL::attempts, op -> 'attempt');
  a.state := 'started'; a.tries := '[]'; a.unanswered := 0; a.held_by := holder; a.started_at := clock(); a.closed_at := NULL;
  a.transaction_id := NULL; a.status := NULL; a.answer := NULL; a.made_by := session_user; a.imported := false;
  PERFORM check_request(a);
  PERFORM check_approved(a, count_in(a, true));
  LOOP
    -- The slot comes before the look: what is committed after it is either seen by the look, or has taken the slot.
    a.guard_slot := next_slot(a);
    PERFORM check_likes(a, judged);
    BEGIN
      INSERT INTO attempts OVERRIDING USER VALUE SELECT a.*;
      EXIT;
    EXCEPTION WHEN unique_violation THEN
      GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
      PERFORM refuse_taken(a, broken);
    END;
  END LOOP;
  RETURN to_jsonb(a);
${end}
${begin("reopen", { roles: "'maker', 'checker'", declare: "a attempts; judged jsonb := op -> 'judged'; broken text; slot bigint;" })}
  PERFORM check_durable();
  SELECT * INTO a FROM attempts WHERE id = op ->> 'id' FOR UPDATE;
  IF NOT FOUND THEN PERFORM fail('not-found', jsonb_build_object('id', op ->> 'id')); END IF;
  IF a.held_by = holder OR is_held(a, holder) THEN PERFORM fail('under-way', named(a)); END IF;
  IF a.state = 'accepted' THEN RETURN to_jsonb(a); END IF;
  -- Whoever imports an attempt can have written it by hand.
  IF a.imported AND a.made_by <> session_user THEN PERFORM fail('imported', named(a) || jsonb_build_object('by', a.made_by)); END IF;
  PERFORM check_request(a);
  IF a.approval_id IS NULL OR a.state = 'refused' THEN PERFORM check_approved(a, count_in(a, a.state = 'refused')); END IF;
  IF a.state <> 'refused' AND NOT (clock()::timestamptz >= a.started_at::timestamptz
      AND clock()::timestamptz - a.started_at::timestamptz < interval '24 hours' - interval '30 seconds') THEN
    PERFORM fail('too-old', named(a));
  END IF;
  LOOP
    slot := CASE WHEN a.state = 'refused' THEN next_slot(a) ELSE a.guard_slot END;
    PERFORM check_likes(a, judged);
    BEGIN
      UPDATE attempts SET state = 'started', closed_at = NULL, unanswered = CASE WHEN a.state = 'refused' THEN 0 ELSE 1 END, held_by = holder,
        guard_slot = slot WHERE id = a.id RETURNING * INTO a;
      EXIT;
    EXCEPTION WHEN unique_violation THEN
      GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
      PERFORM refuse_taken(a, broken);
    END;
  END LOOP;
  RETURN to_jsonb(a);
${end}
${begin("tried", { roles: "'maker', 'checker'", declare: "a attempts;" })}
  UPDATE attempts SET tries = (tries::jsonb || jsonb_build_array(op -> 'tried'))::text, unanswered = greatest(unanswered, (op ->> 'unanswered')::integer)
    WHERE id = op ->> 'id' AND held_by = holder;
  IF FOUND THEN RETURN NULL; END IF;
  SELECT * INTO a FROM attempts WHERE id = op ->> 'id';
  IF FOUND THEN PERFORM fail('under-way', named(a)); END IF;
${end}
${begin("close", { roles: "'maker', 'checker'", declare: "a attempts; by_hand boolean := coalesce((op ->> 'byHand')::boolean, false); ended text := op ->> 'state'; before text;" })}
  SELECT * INTO a FROM attempts WHERE id = op ->> 'id' FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF is_held(a, holder) THEN PERFORM fail('under-way', named(a)); END IF;
  IF ended NOT IN ('accepted', 'refused', 'unknown') THEN PERFORM fail('no-state', named(a)); END IF;
  before := a.state;
  IF op -> 'tried' IS NOT NULL THEN
    a.tries := (a.tries::jsonb || jsonb_build_array(op -> 'tried'))::text;
    a.unanswered := greatest(a.unanswered, (op ->> 'unanswered')::integer);
  END IF;
  IF a.state <> 'accepted' OR ended = 'accepted' THEN
    a.state := CASE WHEN ended = 'refused' AND a.unanswered = 1 AND NOT by_hand THEN 'unknown' ELSE ended END;
    -- Nobody knows whether a request of it arrived: a person says what became of it.
    IF by_hand THEN a.unanswered := 1; END IF;
    a.closed_at := CASE WHEN a.state = 'unknown' THEN NULL ELSE clock() END;
    a.held_by := NULL;
    a.transaction_id := coalesce(op ->> 'transactionId', a.transaction_id);
    a.status := coalesce(op ->> 'status', a.status);
    a.answer := coalesce(op ->> 'answer', a.answer);
    -- One that was refused and turns out accepted needs a place among its likes again.
    IF before = 'refused' THEN a.guard_slot := next_slot(a); END IF;
  END IF;
  UPDATE attempts SET tries = a.tries, unanswered = a.unanswered, state = a.state, closed_at = a.closed_at, held_by = a.held_by,
    transaction_id = a.transaction_id, status = a.status, answer = a.answer, guard_slot = a.guard_slot WHERE id = a.id;
  IF (a.state = 'refused') <> (before = 'refused') AND a.approval_id IS NULL THEN
    UPDATE batches SET total = total + CASE WHEN a.state = 'refused' THEN - a.amount::numeric ELSE a.amount::numeric END
      WHERE batch_id = a.batch_id AND base_url = a.base_url;
  END IF;
${end}
${begin("status", { roles: "'maker', 'checker'" })}
  -- Only what can be looked up: by its status a withdrawal counts as ended for the guard.
  UPDATE attempts SET status = op ->> 'status' WHERE id = op ->> 'id' AND operation IN ('stk', 'b2c');
${end}
${begin("seen", { roles: "'maker', 'checker'", declare: "older jsonb;" })}
  SELECT coalesce(jsonb_agg(s.transaction_id), '[]') INTO older FROM seen s JOIN attempts a ON a.id = op ->> 'id'
    WHERE s.base_url = op ->> 'baseUrl' AND op -> 'transactionIds' ? s.transaction_id AND s.after_seq < a.seq;
  INSERT INTO seen SELECT op ->> 'baseUrl', t, (SELECT coalesce(max(seq), 0) FROM attempts)
    FROM jsonb_array_elements_text(op -> 'transactionIds') t ON CONFLICT DO NOTHING;
  RETURN older;
${end}
${begin("prune", { roles: "'owner'", declare: "pruned integer;" })}
  UPDATE attempts SET body = NULL, answer = NULL, evidence = NULL, payee = CASE WHEN payee = '' THEN '' ELSE '…' || right(payee, 3) END
    WHERE state IN ('accepted', 'refused') AND body IS NOT NULL
      AND coalesce(closed_at, started_at)::timestamptz < clock()::timestamptz - (op ->> 'olderThanMs')::numeric * interval '1 millisecond';
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN to_jsonb(pruned);
${end}
`;

export const attemptFunctions = parts + sending;
