/** All scenarios of sandbox.md, from which phones, the header and arming are read: one list. */
export type Scenario = {
  readonly name: string;
  readonly for: "push" | "payout" | "both";
  /** Last digits of a phone that it goes with. */
  readonly digits: string;
  /** What happens, in words. */
  readonly says: string;
  /** How the payment ends, if not COMPLETED. */
  readonly ends?: Ending;
};
export type Ending = { readonly status: string; readonly reason: string; readonly code: number };
export const ended = (status: string, reason: string, code = 0): Ending => ({ status, reason, code });
const failed = (reason: string, code: number): Ending => ended("FAILED", reason, code);
/** Ends that the payer brings about on the phone, or by not looking at it. */
export const payerEndings = {
  cancelled: ended("CANCELLED", "Request cancelled by user.", 1032),
  wrongPin: failed("The initiator information is invalid: wrong PIN.", 2001),
  expired: ended("EXPIRED", "The prompt expired without an answer.", 1019),
};
type Row = readonly [digits: string, name: string, meantFor: Scenario["for"], says: string, ends?: Ending];

const rows = [
  ["011", "no-funds", "both", "The payer has no funds: failed", failed("The balance is insufficient for the transaction.", 1)],
  ["012", "cancelled", "push", "The customer cancels", payerEndings.cancelled],
  ["013", "wrong-pin", "push", "A wrong PIN: failed", payerEndings.wrongPin],
  ["014", "unreachable", "push", "The phone cannot be reached: failed", failed("The phone cannot be reached.", 1037)],
  ["015", "expired", "push", "Nobody answers: expired", payerEndings.expired],
  ["016", "locked", "push", "Another prompt is in progress: failed", failed("Another transaction is in progress for this subscriber.", 1001)],
  ["017", "rule-limited", "both", "Declined by a limit: failed", failed("Declined due to a limit rule.", 17)],
  ["018", "system-error", "both", "The provider fails: failed", failed("System internal error.", 26)],
  ["021", "callback-lost", "both", "Paid, the callback never comes"],
  ["022", "callback-twice", "both", "Paid, the callback comes twice"],
  ["023", "callback-late", "both", "Paid, the callback comes late"],
  ["024", "callback-early", "both", "Paid, the callback comes before the answer"],
  ["025", "callback-out-of-order", "both", "Paid, callbacks come out of order"],
  ["026", "callback-bad-signature", "both", "Paid, the callback's signature is wrong"],
  ["027", "query-lags", "both", "Paid, a query says open three times"],
  ["028", "query-contradicts", "both", "Paid, a query says failed three times"],
  ["031", "drop-after-commit", "both", "Done, the connection is cut before the answer"],
  ["032", "error-500-after-commit", "both", "Done, the answer is a 500"],
  ["033", "slow", "both", "The answer takes 45 seconds"],
  ["034", "rate-limited", "both", "429 twice, then accepted"],
  ["035", "unavailable", "both", "503, nothing done"],
  ["036", "stuck", "both", "Stays open for ever"],
  // Assumed: callbacks, queries, other amounts and reversals are of pushes and payouts; a collection or withdrawal is paid as it was asked for.
  ["037", "other-amount", "both", "Another amount is paid (pushes and payouts)"],
  ["038", "reversed", "both", "Paid, reversed later (pushes and payouts)"],
  ["041", "payee-not-registered", "payout", "The payee is not registered: failed", failed("The receiver is not a registered mobile-money user.", 2040)],
  ["042", "float-short", "payout", "The carrier's float is short: failed", failed("The float at the carrier is insufficient.", 1)],
] as const satisfies readonly Row[];
/** Every scenario by its name. */
export type ScenarioName = "ok" | (typeof rows)[number][1];
const byDigits = rows.map(
  ([digits, name, meantFor, says, ends]: Row): Scenario => ({ digits, name, says, for: meantFor, ...(ends === undefined ? {} : { ends }) }),
);
const ok: Scenario = { digits: "000", name: "ok", says: "Paid", for: "both" };
export const scenarios: ReadonlyMap<string, Scenario> = new Map([ok, ...byDigits].map((scenario) => [scenario.name, scenario]));
const digits: ReadonlyMap<string, Scenario> = new Map(byDigits.map((scenario) => [scenario.digits, scenario]));

/** By the last three digits; 000 to 009 are `ok`, others none. */
export const scenarioOfPhone = (phone: string): Scenario | undefined => {
  const last = phone.slice(-3);
  return /^00\d$/.test(last) ? ok : digits.get(last);
};

type Met = "push" | "payout";
/** The scenario, if it is meant for such a payment. */
export const fitting = (name: string | undefined, met: Met): Scenario | undefined => {
  const found = name === undefined ? undefined : scenarios.get(name);
  return found !== undefined && (found.for === "both" || found.for === met) ? found : undefined;
};
/** The scenario of a new payment: the one that was named if it is meant for it, else that of the phone. */
export const scenarioOf = (named: string | undefined, phone: string | undefined, met: Met): string | undefined =>
  (fitting(named, met) ?? fitting(scenarioOfPhone(phone ?? "")?.name, met))?.name;
