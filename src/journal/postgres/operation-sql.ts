/** The changes of a shared journal: each is a function of its schema. */
export const operationNames = [
  "open",
  "reopen",
  "tried",
  "close",
  "status",
  "seen",
  "prune",
  "propose",
  "decide",
  "cancel",
  "finish",
  "policy",
  "import",
  "check",
] as const;

/**
 * Where the function of an operation `op` begins: `holder` is the lock of the session that asks, `machine` its name. `roles`: who may ask;
 * absent where the function itself decides that.
 */
export const begin = (name: (typeof operationNames)[number], { roles, declare = "" }: { readonly roles?: string; readonly declare?: string } = {}): string =>
  `CREATE OR REPLACE FUNCTION payments.op_${name}(op jsonb, holder text, machine text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE ${declare}
BEGIN${roles === undefined ? "" : `\n  PERFORM need_role(${roles});`}`;
/** Where it ends; one that has returned nothing by then gives null. */
export const end = "  RETURN NULL;\nEND $$;";
