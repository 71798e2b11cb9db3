-- All may read, and run what is for all; what a person may change is decided inside payments.apply.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA payments FROM PUBLIC;
GRANT USAGE ON SCHEMA payments TO payments_maker, payments_checker, payments_owner;
GRANT SELECT ON ALL TABLES IN SCHEMA payments TO payments_maker, payments_checker, payments_owner;
GRANT EXECUTE ON FUNCTION payments.apply(jsonb, text, text, integer), payments.iso(timestamptz), payments.clock(), payments.has_role(text), payments.own_role(), payments.holds(text),
  payments.approval_state(text) TO payments_maker, payments_checker, payments_owner;
