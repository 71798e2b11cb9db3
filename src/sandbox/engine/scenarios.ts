/** All scenarios of sandbox.md, from which phones, the header and arming are read: one list. */
export type Scenario = {
  readonly name: string;
  readonly for: "push" | "payout" | "both";
  /** How the payment ends, where not COMPLETED. */
  readonly ends?: { readonly status: string; readonly reason: string; readonly code: number };
};
type Ends = NonNullable<Scenario["ends"]>;
const failed = (reason: string, code: number): Ends => ({ status: "FAILED", reason, code });

const byDigits: readonly (readonly [string, Scenario])[] = [
  ["011", { name: "no-funds", for: "both", ends: failed("The balance is insufficient for the transaction.", 1) }],
  ["012", { name: "cancelled", for: "push", ends: { status: "CANCELLED", reason: "Request cancelled by user.", code: 1032 } }],
  ["013", { name: "wrong-pin", for: "push", ends: failed("The initiator information is invalid: wrong PIN.", 2001) }],
  ["014", { name: "unreachable", for: "push", ends: failed("The phone cannot be reached.", 1037) }],
  ["015", { name: "expired", for: "push", ends: { status: "EXPIRED", reason: "The prompt expired without an answer.", code: 1019 } }],
  ["016", { name: "locked", for: "push", ends: failed("Another transaction is in progress for this subscriber.", 1001) }],
  ["017", { name: "rule-limited", for: "both", ends: failed("Declined due to a limit rule.", 17) }],
  ["018", { name: "system-error", for: "both", ends: failed("System internal error.", 26) }],
  ["021", { name: "callback-lost", for: "both" }],
  ["022", { name: "callback-twice", for: "both" }],
  ["023", { name: "callback-late", for: "both" }],
  ["024", { name: "callback-early", for: "both" }],
  ["025", { name: "callback-out-of-order", for: "both" }],
  ["026", { name: "callback-bad-signature", for: "both" }],
  ["027", { name: "query-lags", for: "both" }],
  ["028", { name: "query-contradicts", for: "both" }],
  ["031", { name: "drop-after-commit", for: "both" }],
  ["032", { name: "error-500-after-commit", for: "both" }],
  ["033", { name: "slow", for: "both" }],
  ["034", { name: "rate-limited", for: "both" }],
  ["035", { name: "unavailable", for: "both" }],
  ["036", { name: "stuck", for: "both" }],
  ["037", { name: "other-amount", for: "both" }],
  ["038", { name: "reversed", for: "both" }],
  ["041", { name: "payee-not-registered", for: "payout", ends: failed("The receiver is not a registered mobile-money user.", 2040) }],
  ["042", { name: "float-short", for: "payout", ends: failed("The float at the carrier is insufficient.", 1) }],
];
const ok: Scenario = { name: "ok", for: "both" };
export const scenarios: ReadonlyMap<string, Scenario> = new Map([["ok", ok], ...byDigits.map(([, scenario]) => [scenario.name, scenario] as const)]);
const digits: ReadonlyMap<string, Scenario> = new Map(byDigits);

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
