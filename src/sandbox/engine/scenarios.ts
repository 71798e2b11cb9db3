/** All scenarios of sandbox.md, from which phones, the header and arming are read: one list. */
export type Scenario = {
  readonly name: string;
  readonly for: "push" | "payout" | "both";
  /** Last digits of a phone that it goes with. */
  readonly digits: string;
  /** What happens, in words. */
  readonly says: string;
  /** How the payment ends, where not COMPLETED. */
  readonly ends?: { readonly status: string; readonly reason: string; readonly code: number };
};
type Ends = NonNullable<Scenario["ends"]>;
const failed = (reason: string, code: number): Ends => ({ status: "FAILED", reason, code });

const byDigits: readonly Scenario[] = [
  { digits: "011", name: "no-funds", says: "The payer has no funds: failed", for: "both", ends: failed("The balance is insufficient for the transaction.", 1) },
  {
    digits: "012",
    name: "cancelled",
    says: "The customer cancels",
    for: "push",
    ends: { status: "CANCELLED", reason: "Request cancelled by user.", code: 1032 },
  },
  { digits: "013", name: "wrong-pin", says: "A wrong PIN: failed", for: "push", ends: failed("The initiator information is invalid: wrong PIN.", 2001) },
  { digits: "014", name: "unreachable", says: "The phone cannot be reached: failed", for: "push", ends: failed("The phone cannot be reached.", 1037) },
  {
    digits: "015",
    name: "expired",
    says: "Nobody answers: expired",
    for: "push",
    ends: { status: "EXPIRED", reason: "The prompt expired without an answer.", code: 1019 },
  },
  {
    digits: "016",
    name: "locked",
    says: "Another prompt is in progress: failed",
    for: "push",
    ends: failed("Another transaction is in progress for this subscriber.", 1001),
  },
  { digits: "017", name: "rule-limited", says: "Declined by a limit: failed", for: "both", ends: failed("Declined due to a limit rule.", 17) },
  { digits: "018", name: "system-error", says: "The provider fails: failed", for: "both", ends: failed("System internal error.", 26) },
  { digits: "021", name: "callback-lost", says: "Paid, the callback never comes", for: "both" },
  { digits: "022", name: "callback-twice", says: "Paid, the callback comes twice", for: "both" },
  { digits: "023", name: "callback-late", says: "Paid, the callback comes late", for: "both" },
  { digits: "024", name: "callback-early", says: "Paid, the callback comes before the answer", for: "both" },
  { digits: "025", name: "callback-out-of-order", says: "Paid, callbacks come out of order", for: "both" },
  { digits: "026", name: "callback-bad-signature", says: "Paid, the callback's signature is wrong", for: "both" },
  { digits: "027", name: "query-lags", says: "Paid, a query says open three times", for: "both" },
  { digits: "028", name: "query-contradicts", says: "Paid, a query says failed three times", for: "both" },
  { digits: "031", name: "drop-after-commit", says: "Done, the connection is cut before the answer", for: "both" },
  { digits: "032", name: "error-500-after-commit", says: "Done, the answer is a 500", for: "both" },
  { digits: "033", name: "slow", says: "The answer takes 45 seconds", for: "both" },
  { digits: "034", name: "rate-limited", says: "429 twice, then accepted", for: "both" },
  { digits: "035", name: "unavailable", says: "503, nothing done", for: "both" },
  { digits: "036", name: "stuck", says: "Open for ever", for: "both" },
  // Assumed: callbacks, queries, other amounts and reversals are of pushes and payouts; a collection or withdrawal is paid as it was asked for.
  { digits: "037", name: "other-amount", says: "Another amount is paid (pushes and payouts)", for: "both" },
  { digits: "038", name: "reversed", says: "Paid, reversed later (pushes and payouts)", for: "both" },
  {
    digits: "041",
    name: "payee-not-registered",
    says: "The payee is not registered: failed",
    for: "payout",
    ends: failed("The receiver is not a registered mobile-money user.", 2040),
  },
  {
    digits: "042",
    name: "float-short",
    says: "The carrier's float is short: failed",
    for: "payout",
    ends: failed("The float at the carrier is insufficient.", 1),
  },
];
const ok: Scenario = { digits: "000", name: "ok", says: "Paid", for: "both" };
export const scenarios: ReadonlyMap<string, Scenario> = new Map([ok, ...byDigits].map((scenario) => [scenario.name, scenario]));
const digits: ReadonlyMap<string, Scenario> = new Map(byDigits.map((scenario) => [scenario.digits, scenario]));

/** By the last three digits; 000 to 009 are `ok`, others none. */
export const scenarioOfPhone = (phone: string): Scenario | undefined => {
  const last = phone.slice(-3);
  return /^00\d$/.test(last) ? ok : digits.get(last);
};

/** The scenario where it is meant for such a payment. */
export const fitting = (name: string | undefined, kind: "push" | "payout"): Scenario | undefined => {
  const found = name === undefined ? undefined : scenarios.get(name);
  return found !== undefined && (found.for === "both" || found.for === kind) ? found : undefined;
};
