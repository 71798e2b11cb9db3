-- Each change of an attempt is a function payments.op_NAME(op, holder, machine): op is what the program asks for, holder the lock of the
-- session that asks, machine the name of its computer.
CREATE OR REPLACE FUNCTION payments.op_open(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE a attempts; judged jsonb := op -> 'judged'; broken text;
BEGIN
  PERFORM need_role('maker', 'checker');
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
END $$;

CREATE OR REPLACE FUNCTION payments.op_reopen(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE a attempts; judged jsonb := op -> 'judged'; broken text; slot bigint;
BEGIN
  PERFORM need_role('maker', 'checker');
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
END $$;

CREATE OR REPLACE FUNCTION payments.op_tried(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE a attempts;
BEGIN
  PERFORM need_role('maker', 'checker');
  UPDATE attempts SET tries = (tries::jsonb || jsonb_build_array(op -> 'tried'))::text, unanswered = greatest(unanswered, (op ->> 'unanswered')::integer)
    WHERE id = op ->> 'id' AND held_by = holder;
  IF FOUND THEN RETURN NULL; END IF;
  SELECT * INTO a FROM attempts WHERE id = op ->> 'id';
  IF FOUND THEN PERFORM fail('under-way', named(a)); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION payments.op_close(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE a attempts; by_hand boolean := coalesce((op ->> 'byHand')::boolean, false); ended text := op ->> 'state'; before text;
BEGIN
  PERFORM need_role('maker', 'checker');
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
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION payments.op_status(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  PERFORM need_role('maker', 'checker');
  -- Only what can be looked up: by its status a withdrawal counts as ended for the guard.
  UPDATE attempts SET status = op ->> 'status' WHERE id = op ->> 'id' AND operation IN ('stk', 'b2c');
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION payments.op_seen(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE older jsonb;
BEGIN
  PERFORM need_role('maker', 'checker');
  SELECT coalesce(jsonb_agg(s.transaction_id), '[]') INTO older FROM seen s JOIN attempts a ON a.id = op ->> 'id'
    WHERE s.base_url = op ->> 'baseUrl' AND op -> 'transactionIds' ? s.transaction_id AND s.after_seq < a.seq;
  INSERT INTO seen SELECT op ->> 'baseUrl', t, (SELECT coalesce(max(seq), 0) FROM attempts)
    FROM jsonb_array_elements_text(op -> 'transactionIds') t ON CONFLICT DO NOTHING;
  RETURN older;
END $$;

CREATE OR REPLACE FUNCTION payments.op_prune(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE pruned integer;
BEGIN
  PERFORM need_role('owner');
  UPDATE attempts SET body = NULL, answer = NULL, evidence = NULL, payee = CASE WHEN payee = '' THEN '' ELSE '…' || right(payee, 3) END
    WHERE state IN ('accepted', 'refused') AND body IS NOT NULL
      AND coalesce(closed_at, started_at)::timestamptz < clock()::timestamptz - (op ->> 'olderThanMs')::numeric * interval '1 millisecond';
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN to_jsonb(pruned);
END $$;

CREATE OR REPLACE FUNCTION payments.op_import(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE a attempts;
BEGIN
  PERFORM need_role('maker', 'checker');
  a := jsonb_populate_record(NULL::attempts, op -> 'attempt');
  -- Of two imports of the same file the second waits, and then sees what the first has taken over.
  PERFORM pg_advisory_xact_lock(hashtextextended('payments import', 0));
  IF EXISTS (SELECT 1 FROM attempts t WHERE t.id = a.id OR (t.idempotency_key = a.idempotency_key AND t.endpoint = a.endpoint AND t.base_url = a.base_url)) THEN
    RETURN 'false';
  END IF;
  IF a.state = 'started' THEN a.state := 'unknown'; a.unanswered := 1; END IF;
  a.held_by := NULL; a.approval_id := NULL; a.made_by := session_user; a.imported := true; a.guard_slot := next_slot(a);
  a.started_at := past(a.started_at); a.closed_at := past(a.closed_at);
  PERFORM check_request(a), a.tries::jsonb;
  IF a.state <> 'refused' AND a.batch_id IS NOT NULL THEN PERFORM count_in(a, true); END IF;
  INSERT INTO attempts OVERRIDING USER VALUE SELECT a.*;
  RETURN 'true';
END $$;

CREATE OR REPLACE FUNCTION payments.op_check(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  PERFORM need_role('maker', 'checker', 'owner');
  PERFORM check_durable();
  RETURN NULL;
END $$;
