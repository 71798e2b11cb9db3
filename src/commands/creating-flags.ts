import type { Flags } from "../command.ts";
import { optionalText, secondsAsMs, text, toggle, wholeNumber } from "../command-spec.ts";
import { usageError } from "../errors.ts";
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
  "idempotency-key": text("Your own key for this payment: the same key with the same details never pays twice", "KEY", { parse: parseKey, refusesEmpty: true }),
  "dry-run": toggle("Check everything and print the request, but send nothing"),
  "allow-duplicate": toggle("Send even if a similar payment was already made"),
} as const satisfies Flags;

/** Of the creations whose end can be read again (rules.md, Commands). */
export const waitFlag = {
  wait: optionalText("Wait until the payment is final, up to SECONDS seconds (default 120)", "SECONDS", { parse: secondsAsMs(0, yearSeconds), bare: 120_000 }),
} as const satisfies Flags;

const parseNote = (text: string): string => {
  // An empty note must not send what was to be proposed.
  if (text.trim() === "") throw usageError("--propose has an empty note.", "Leave the note out, or write one.");
  return text.trim();
};

/** Of what may be proposed (rules.md, Together). */
export const proposeFlags = {
  propose: optionalText("Store it for another person's approval, with a note, and send nothing", "NOTE", { parse: parseNote, bare: "", refusesEmpty: true }),
  expires: text("With --propose: for how many hours it can be approved (default 168)", "HOURS", { parse: wholeNumber(1, 720), usual: 168 }),
} as const satisfies Flags;

/** Exit codes that any creation can end with, beyond 0, 1 and 2. */
export const creatingCodes: readonly number[] = [3, 4, 5, 6, 9, 10, 11, 130];
/** Of those that pay money out. */
export const payingCodes: readonly number[] = [...creatingCodes, 14];
