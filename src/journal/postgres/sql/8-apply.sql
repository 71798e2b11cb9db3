-- The one way in: several changes in one transaction. One that is refused changes nothing and stops none of the others.
CREATE OR REPLACE FUNCTION payments.apply_one(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE op ->> 'op'
    WHEN 'open' THEN op_open(op, holder, machine)
    WHEN 'reopen' THEN op_reopen(op, holder, machine)
    WHEN 'tried' THEN op_tried(op, holder, machine)
    WHEN 'close' THEN op_close(op, holder, machine)
    WHEN 'status' THEN op_status(op, holder, machine)
    WHEN 'seen' THEN op_seen(op, holder, machine)
    WHEN 'prune' THEN op_prune(op, holder, machine)
    WHEN 'propose' THEN op_propose(op, holder, machine)
    WHEN 'decide' THEN op_decide(op, holder, machine)
    WHEN 'cancel' THEN op_cancel(op, holder, machine)
    WHEN 'finish' THEN op_finish(op, holder, machine)
    WHEN 'policy' THEN op_policy(op, holder, machine)
    WHEN 'import' THEN op_import(op, holder, machine)
    WHEN 'check' THEN op_check(op, holder, machine)
  END;
END $$;

CREATE OR REPLACE FUNCTION payments.apply(ops jsonb, holder text, machine text, version integer) RETURNS jsonb
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = payments, pg_temp AS $$
DECLARE op jsonb; results jsonb := '[]'; what text; more text;
BEGIN
  IF version < (SELECT m.version FROM meta m) THEN
    RAISE EXCEPTION 'newer' USING ERRCODE = 'PJ001';
  END IF;
  -- Whoever names another session's lock could change what that one is sending.
  IF NOT holds(holder) THEN
    RAISE EXCEPTION 'this session does not hold the lock %', holder USING ERRCODE = 'PJ002';
  END IF;
  FOR op IN SELECT * FROM jsonb_array_elements(ops) LOOP
    BEGIN
      results := results || jsonb_build_array(jsonb_build_object('done', apply_one(op, holder, machine)));
    EXCEPTION WHEN SQLSTATE 'PJ000' THEN
      GET STACKED DIAGNOSTICS what = MESSAGE_TEXT, more = PG_EXCEPTION_DETAIL;
      results := results || jsonb_build_array(jsonb_build_object('refused', what, 'more', more::jsonb));
    END;
  END LOOP;
  RETURN results;
END $$;
