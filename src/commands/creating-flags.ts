import type { Flag } from "../command.ts";

/** Flags of every creating command (rules.md, Commands). */
export const creatingFlags = {
  "idempotency-key": { type: "string", summary: "Your own key of this payment: the same key and body never pay twice", placeholder: "KEY" },
  "dry-run": { type: "boolean", summary: "Check everything and print the request, without creating anything" },
  "allow-duplicate": { type: "boolean", summary: "Send even if a like payment was made or may have been" },
} as const satisfies Record<string, Flag>;

/** Of the creations whose end can be read again (rules.md, Commands). */
export const waitFlag = {
  wait: { type: "optional-string", summary: "Wait until the payment is final, at most so many seconds (120)", placeholder: "SECONDS" },
} as const satisfies Record<string, Flag>;

/** Exit codes that any creation can end with, beyond 0, 1 and 2. */
export const creatingCodes: readonly number[] = [3, 5, 6, 9, 10, 11, 130];
