import { enqueueCallbacks } from "./callbacks.ts";
import type { Flow, PromptAction, Transaction } from "./entities.ts";
import { count, placeHold, post, releaseHold } from "./ledger.ts";
import { type LifeCycle, lifeCycles } from "./life-cycles.ts";
import { notFound, Refusal } from "./refusal.ts";
import { type Ending, fitting } from "./scenarios.ts";
import { countOfId, isoOf, receiptOf, type Unit } from "./unit.ts";

/** Assumed: the carrier begins to process a payout after half a second, and payouts and withdrawals are paid after two. */
const processMs = 500;
const payMs = 2_000;
/** Assumed: a prompt nobody answers ends after two minutes, a checkout after an hour. */
const promptLifeMs = 120_000;
const checkoutLifeMs = 3_600_000;
const reversalMs = 3_000;
/** While somebody looks at the phone, a prompt that would approve itself is put off by so much at a time. */
const postponeMs = 1_000;

const lifeOf = (one: Transaction): LifeCycle => lifeCycles[one.flow];
/** How its scenario ends it, if not as paid. */
export const endOf = (one: Transaction): Ending | undefined => fitting(one.scenario, lifeOf(one).meets)?.ends;
const isRedirect = ({ metadata }: Transaction): boolean => metadata["flow"] === "REDIRECT";
const expiryMs = (one: Transaction): number => one.createdMs + (isRedirect(one) ? checkoutLifeMs : promptLifeMs);
/** A push, or a collection over a PUSH rail, that waits for its payer. */
export const rings = (one: Transaction): boolean => lifeOf(one).meets === "push" && !isRedirect(one) && one.status === lifeOf(one).opens;

/** What happens to a new payment by itself, and when. */
const firstDue = ({ core, nowMs }: Unit, one: Transaction): Pick<Transaction, "dueMs" | "next"> => {
  const isStuck = one.scenario === "stuck";
  if (one.flow === "b2c") return { dueMs: nowMs + processMs, next: "process" };
  if (isStuck) return {};
  if (lifeOf(one).meets === "payout") return { dueMs: nowMs + payMs, next: "resolve" };
  const { autoApproveAfterMs } = core.settings;
  const lifeMs = expiryMs(one) - nowMs;
  // A failure that was ordered comes about by itself, also where approval is by hand.
  if (endOf(one) !== undefined && !isRedirect(one)) return { dueMs: nowMs + Math.min(autoApproveAfterMs ?? 3_000, lifeMs - 1), next: "resolve" };
  if (isRedirect(one) || autoApproveAfterMs === null || autoApproveAfterMs >= lifeMs) return { dueMs: nowMs + lifeMs, next: "expire" };
  return { dueMs: nowMs + autoApproveAfterMs, next: "resolve" };
};

/** Takes up a new payment: its hold is placed. */
export const open = (unit: Unit, made: Omit<Transaction, "status" | "steps" | "createdMs" | "carrierFee"> & Partial<Transaction>): Transaction => {
  const life = lifeCycles[made.flow];
  const steps = [{ status: life.opens, at: isoOf(unit.nowMs) }];
  const one: Transaction = { status: life.opens, createdMs: unit.nowMs, carrierFee: 0, steps, ...made };
  const opened = { ...one, ...firstDue(unit, one) };
  unit.put("tx", opened);
  if (life.hold !== undefined) placeHold(unit, opened, life.hold(opened));
  count(unit, life.open?.(opened));
  return life.isLocal && one.scenario === "callback-early" ? resolve(unit, opened) : opened;
};

const isOpen = (one: Transaction): boolean => one.status === lifeOf(one).opens || one.status === "PROCESSING";
const assertOpen = (one: Transaction): void => {
  if (!isOpen(one)) throw new Refusal(409, "ALREADY_FINAL", `${lifeOf(one).isLocal ? "The transaction" : one.id} is ${one.status} already.`);
};

type Change = Pick<Transaction, "status"> & Partial<Transaction> & { readonly reason?: string };
/** Puts it into another status: nothing is due then, unless the change says so. */
const move = (unit: Unit, one: Transaction, { reason, ...change }: Change): Transaction => {
  const step = { status: change.status, at: isoOf(unit.nowMs), ...(reason === undefined ? {} : { reason }) };
  const next: Transaction = { ...one, dueMs: undefined, next: undefined, ...change, steps: [...one.steps, step] };
  unit.put("tx", next);
  return next;
};
/** Into a status that merchants are called back for. */
const end = (unit: Unit, one: Transaction, change: Change): Transaction => {
  const next = move(unit, one, change);
  enqueueCallbacks(unit, next);
  return next;
};
/** What it held and what it counted while it was open is over. */
const close = (unit: Unit, one: Transaction): void => {
  const life = lifeOf(one);
  if (life.hold !== undefined) releaseHold(unit, one);
  count(unit, life.open?.(one), -1);
};

/** 037: the carrier moves another amount than was asked for; never more than a payout's hold. */
const amountMoved = ({ scenario, amount, flow }: Transaction): number => {
  if (scenario !== "other-amount") return amount;
  if (amount > 100) return amount - 100;
  return flow === "b2c" ? amount : amount + 100;
};

/** How many of its next queries show another status than what happened (027, 028). */
const lagsFor = ({ scenario, shownLeft }: Transaction): number | undefined =>
  shownLeft ?? (scenario === "query-lags" || scenario === "query-contradicts" ? 3 : undefined);

/** The payment completes: money moves, fees are charged whatever the balance is (service 1.8), a local one gets a receipt. */
export const complete = (unit: Unit, one: Transaction): Transaction => {
  assertOpen(one);
  close(unit, one);
  const life = lifeOf(one);
  const moved = life.isLocal ? { ...one, amount: amountMoved(one), shownLeft: lagsFor(one) } : one;
  const { postings, totals } = life.completed(moved);
  for (const posting of postings) post(unit, posting, one);
  count(unit, totals);
  if (!life.isLocal) return end(unit, moved, { status: "COMPLETED" });
  const mobileMoneyReceipt = receiptOf(unit.core.seed, countOfId(one.id), unit.nowMs);
  const metadata = { ...one.metadata, mobileMoneyReceipt, completedAt: isoOf(unit.nowMs) };
  const reversal = one.scenario === "reversed" ? ({ dueMs: unit.nowMs + reversalMs, next: "reverse" } as const) : {};
  return end(unit, moved, { status: "COMPLETED", metadata, ...reversal });
};

/** It ends unpaid: a hold comes back, nothing is charged (service 1.7). */
const fail = (unit: Unit, one: Transaction, { status, reason, code }: Ending): Transaction => {
  assertOpen(one);
  close(unit, one);
  if (lifeOf(one).isLocal) return end(unit, one, { status, reason, metadata: { ...one.metadata, resultCode: code, failureReason: reason } });
  return end(unit, one, { status: status === "EXPIRED" ? status : "FAILED", reason });
};

/** It ends as its scenario says. */
const resolve = (unit: Unit, one: Transaction): Transaction => {
  const ends = endOf(one);
  return ends === undefined ? complete(unit, one) : fail(unit, one, ends);
};

/** A reversal alone takes a completed payment back. */
const reverse = (unit: Unit, one: Transaction): Transaction => {
  const { postings = [], totals } = lifeOf(one).reversed?.(one) ?? {};
  for (const posting of postings) post(unit, posting, one);
  count(unit, totals);
  return end(unit, one, { status: "REVERSED", reason: "Reversed by the provider." });
};

/** What is due on one payment. What happens late has happened by its due time: whoever looks first dates it so. */
const advanceOne = (unit: Unit, one: Transaction): void => {
  const then = { ...unit, nowMs: one.dueMs ?? unit.nowMs };
  const expiresMs = expiryMs(one);
  if (one.next === "process") move(then, one, { status: "PROCESSING", ...(one.scenario === "stuck" ? {} : { dueMs: one.createdMs + payMs, next: "resolve" }) });
  else if (one.next === "reverse") reverse(then, one);
  else if (one.next === "expire" || then.nowMs >= expiresMs) fail(then, one, lifeOf(one).expired);
  else if (!unit.phoneIsWatched || !rings(one) || endOf(one) !== undefined) resolve(then, one);
  // While somebody looks at the phone it waits for the phone, up to its end.
  else if (unit.nowMs >= expiresMs) fail({ ...unit, nowMs: expiresMs }, one, lifeOf(one).expired);
  else unit.put("tx", { ...one, dueMs: Math.min(unit.nowMs + postponeMs, expiresMs) });
};

/** Everything that is due by now, in the order of its due times, so that a ledger's times run one way. */
export const advance = (unit: Unit): void => {
  unit.removeStoredAnswers(unit.nowMs);
  for (let [one] = unit.due("tx", unit.nowMs, 1); one !== undefined; [one] = unit.due("tx", unit.nowMs, 1)) advanceOne(unit, one);
};

/** The payment of one of these flows. Throws Refusal 404, with `what` in its words. */
export const find = (unit: Unit, id: string, what: string, ...flows: readonly Flow[]): Transaction => {
  const found = unit.get("tx", id);
  if (found === undefined || !flows.includes(found.flow)) throw notFound(what);
  return found;
};

/** The phone simulator's answer to a prompt, of a push or of a collection over a PUSH rail. */
export const answerPrompt = (unit: Unit, id: string, action: PromptAction): Transaction => {
  const one = find(unit, id, "The prompt", "standard", "collection");
  if (isRedirect(one)) throw notFound("The prompt");
  assertOpen(one);
  if (action === "approve") return resolve(unit, one);
  if (action !== "ignore") return fail(unit, one, action === "decline" ? lifeOf(one).cancelled : lifeOf(one).wrongPin);
  const ignored: Transaction = { ...one, dueMs: expiryMs(one), next: "expire" };
  unit.put("tx", ignored);
  return ignored;
};

/** The provider's decision about a collection or a withdrawal. */
export const decide = (unit: Unit, one: Transaction, isPaid: boolean): Transaction => (isPaid ? complete(unit, one) : fail(unit, one, lifeOf(one).refused));

/** Counts a query of a payment that first shows another status (027, 028), and gives the payment as this query shows it. */
export const countQuery = (unit: Unit, one: Transaction): Transaction => {
  const shownLeft = lagsFor(one);
  if (shownLeft === undefined) return one;
  if (shownLeft === 0) return isOpen(one) ? complete(unit, { ...one, shownLeft }) : one;
  unit.put("tx", { ...one, shownLeft: shownLeft - 1 });
  return { ...one, shownLeft };
};
