import type { Flags } from "../command.ts";
import { usageError } from "../errors.ts";
import { secondsAsMs, wholeNumber } from "../flag-values.ts";
import { isIdempotencyKey } from "../service/contract/limits.ts";

/** The person's own key. An empty one is a key gone wrong: a new one made in its place would pay again. */
const parseKey = (text: string): string => {
  const key = text.trim();
  if (!isIdempotencyKey(key)) throw usageError("--idempotency-key takes 1 to 255 letters, digits and signs (ASCII), without spaces.");
  return key;
};

const yearSeconds = 31_536_000;

/** Flags of every creating command (rules.md, Commands). */
export const creatingFlags = {
  "idempotency-key": {
    type: "string",
    summary: "Your own key for this payment: the same key with the same details never pays twice",
    placeholder: "KEY",
    parse: parseKey,
    refusesEmpty: true,
  },
  "dry-run": { type: "boolean", summary: "Check everything and print the request, but send nothing" },
  "allow-duplicate": { type: "boolean", summary: "Send even if a similar payment was already made" },
} as const satisfies Flags;

/** Of the creations whose end can be read again (rules.md, Commands). */
export const waitFlag = {
  wait: {
    type: "optional-string",
    summary: "Wait until the payment is final, up to SECONDS seconds (default 120)",
    placeholder: "SECONDS",
    parse: secondsAsMs(0, yearSeconds),
    bare: 120_000,
  },
} as const satisfies Flags;

const parseNote = (text: string): string => {
  // An empty note must not send what was to be proposed.
  if (text.trim() === "") throw usageError("--propose has an empty note.", "Leave the note out, or write one.");
  return text.trim();
};

/** Of what may be proposed (rules.md, Together). */
export const proposeFlags = {
  propose: {
    type: "optional-string",
    summary: "Store it for another person's approval, with a note, and send nothing",
    placeholder: "NOTE",
    parse: parseNote,
    bare: "",
    refusesEmpty: true,
  },
  expires: { type: "string", summary: "With --propose: for how many hours it can be approved (168)", placeholder: "HOURS", parse: wholeNumber(1, 720) },
} as const satisfies Flags;

/** Exit codes that any creation can end with, beyond 0, 1 and 2. */
export const creatingCodes: readonly number[] = [3, 5, 6, 9, 10, 11, 130];
/** Of those that pay money out. */
export const payingCodes: readonly number[] = [...creatingCodes, 14];
