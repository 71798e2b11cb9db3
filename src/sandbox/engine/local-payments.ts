import { payoutBounds } from "../../service/contract/limits.ts";
import type { Bodies } from "../../service/contract/types.ts";
import { stepsUntil } from "./as-of.ts";
import { enqueueCallbacks } from "./callbacks.ts";
import type { PromptAction, Transaction } from "./entities.ts";
import { placeHold, post, releaseHold } from "./ledger.ts";
import { amountUnitsMax, cryptoRates, fitsDecimals, payoutCarrierFee, payoutPlatformFee, pushFee, toMinor, toUnits } from "./money.ts";
import { promptLifeMs, promptWait } from "./prompt-wait.ts";
import { invalid, notFound, paymentRequired, Refusal } from "./refusal.ts";
import { fitting, scenarioOfPhone } from "./scenarios.ts";
import { type At, countOfId, lettersOf, nextId, receiptOf, type Unit } from "./unit.ts";

/** Assumed: the carrier has paid a payout after two seconds. */
const payoutResolveMs = 2_000;
const reversalMs = 3_000;
/** Assumed: bounds of a push, which the document does not show (service 8.2). */
const pushUnits = { min: 1, max: 250_000 } as const;

/** What a push and a payout are created from. */
type LocalBody = Pick<Bodies["stkPush"], "phone" | "amount" | "reference" | "description" | "callbackUrl">;

const checkPhone = (phone: string): void => {
  // Service 4: digits with country-code prefix. Assumed: a Kenyan mobile number (service 1.1).
  if (!/^254(7|1)\d{8}$/.test(phone)) throw invalid("phone", "phone must be a Kenyan mobile number as digits with country code, like 254712345678.");
};
const checkAmount = (amount: number, bounds: { readonly min: number; readonly max: number }, decimals: number): void => {
  if (!(amount >= bounds.min && amount <= bounds.max)) throw invalid("amount", `amount must be from ${bounds.min} to ${bounds.max} KES.`);
  if (!fitsDecimals(amount, decimals)) throw invalid("amount", decimals === 0 ? "amount must be whole shillings." : "amount has too many decimals.");
};
const checkReference = (reference: string): void => {
  if (reference.trim() === "" || reference.length > 255) throw invalid("reference", "reference must have 1 to 255 characters.");
};

/** Service 4, POST stk-push. Nothing is held; 402 when `balance` is below the fee for that amount. */
export const createPush = (unit: Unit, at: At, body: LocalBody, named: string | undefined): Transaction => {
  checkPhone(body.phone);
  checkAmount(body.amount, pushUnits, 0);
  checkReference(body.reference);
  const amount = toMinor(body.amount);
  const platformFee = pushFee(amount);
  if (unit.core().wallets.balance < platformFee) {
    throw paymentRequired(`The service-credit balance is below the fee of KES ${toUnits(platformFee)} for this amount. Add credits.`);
  }
  const scenario = fitting(named, "push") ?? fitting(scenarioOfPhone(body.phone)?.name, "push");
  const id = nextId(unit, "TX");
  const due = firstDue(unit, at, scenario);
  const transaction: Transaction = {
    id,
    group: "standard",
    reference: body.reference,
    amount,
    status: "SENT",
    provider: "MPESA",
    providerRef: `ws_CO_${lettersOf(unit.core().seed, unit.core().sequence, 16)}`,
    metadata: { phone: body.phone },
    phone: body.phone,
    description: body.description,
    callbackUrl: body.callbackUrl,
    createdMs: at.nowMs,
    platformFee,
    carrierFee: 0,
    scenario: scenario?.name,
    dueMs: due.dueMs,
    next: due.next,
    shown: undefined,
    steps: [{ status: "SENT", at: unit.iso(at.nowMs) }],
  };
  unit.tables.put("tx", transaction);
  if (scenario?.name === "callback-early") return resolve(unit, at, transaction);
  return transaction;
};

const firstDue = (unit: Unit, at: At, scenario: { readonly name: string; readonly ends?: unknown } | undefined): Pick<Transaction, "dueMs" | "next"> => {
  if (scenario?.name === "stuck") return {};
  const { waitMs, expires } = promptWait(unit, scenario);
  return { dueMs: at.nowMs + waitMs, next: expires ? "expire" : "resolve" };
};

/** That it is taken up on the way needs no step of its own (`stepsUntil`). */
const payoutDue = (createdMs: number, scenario: string | undefined): Pick<Transaction, "dueMs" | "next"> =>
  scenario === "stuck" ? { dueMs: undefined, next: undefined } : { dueMs: createdMs + payoutResolveMs, next: "resolve" };

/** Service 4, POST b2c; needs both balances (service 1.7). */
export const createPayout = (unit: Unit, at: At, body: LocalBody, named: string | undefined): Transaction => {
  checkPhone(body.phone);
  checkAmount(body.amount, payoutBounds, 2);
  checkReference(body.reference);
  const amount = toMinor(body.amount);
  const carrierFee = payoutCarrierFee(amount);
  const platformFee = payoutPlatformFee(amount);
  const { wallets } = unit.core();
  if (wallets.balance < platformFee) throw paymentRequired(`The service-credit balance is below the platform fee of KES ${toUnits(platformFee)}. Add credits.`);
  if (wallets.b2c + wallets.b2cHeld < amount + carrierFee) {
    throw paymentRequired(
      `The payout float has KES ${toUnits(wallets.b2c + wallets.b2cHeld)} available; this payout needs KES ${toUnits(amount + carrierFee)}.`,
    );
  }
  const scenario = fitting(named, "payout") ?? fitting(scenarioOfPhone(body.phone)?.name, "payout");
  const id = nextId(unit, "TX");
  const conversation = lettersOf(unit.core().seed, unit.core().sequence, 16);
  const transaction: Transaction = {
    id,
    group: "b2c",
    reference: body.reference,
    amount,
    status: "QUEUED",
    provider: "MPESA_B2C",
    providerRef: `AG_${conversation}`,
    metadata: { phone: body.phone, originatorConversationId: `OC-${conversation}`, conversationId: `AG_${conversation}` },
    phone: body.phone,
    description: body.description,
    callbackUrl: body.callbackUrl,
    createdMs: at.nowMs,
    platformFee,
    carrierFee,
    scenario: scenario?.name,
    ...payoutDue(at.nowMs, scenario?.name),
    shown: undefined,
    steps: [{ status: "QUEUED", at: unit.iso(at.nowMs) }],
  };
  unit.tables.put("tx", transaction);
  placeHold(unit, at, {
    scope: "local",
    transactionId: transaction.id,
    amount: amount + carrierFee,
    reason: `Payout to ${body.phone}`,
    reference: body.reference,
  });
  unit.draft().b2cOutstanding += amount;
  if (scenario?.name === "callback-early") return resolve(unit, at, transaction);
  return transaction;
};

const isOpen = (status: string): boolean => status === "SENT" || status === "QUEUED" || status === "PROCESSING";

type End = { readonly status: string; readonly reason?: string | undefined; readonly metadata: Transaction["metadata"] };
/** It comes to an end, for good unless it is reversed `reversedMs` later. */
const ended = (unit: Unit, at: At, transaction: Transaction, end: End, reversedMs?: number): Transaction => {
  const { status, reason, metadata } = end;
  const step = reason === undefined ? { status, at: unit.iso(at.nowMs) } : { status, at: unit.iso(at.nowMs), reason };
  const next: Transaction = {
    ...transaction,
    status,
    metadata,
    dueMs: reversedMs === undefined ? undefined : at.nowMs + reversedMs,
    next: reversedMs === undefined ? undefined : "reverse",
    steps: [...stepsUntil(transaction, at.nowMs), step],
  };
  unit.tables.put("tx", next);
  enqueueCallbacks(unit, at, next);
  return next;
};

const settlePayout = (unit: Unit, at: At, transaction: Transaction, paid: number | undefined): void => {
  const { id, reference, carrierFee, platformFee } = transaction;
  releaseHold(unit, at, "local", id);
  const core = unit.draft();
  core.b2cOutstanding -= transaction.amount;
  if (paid === undefined) return;
  const description = `Payout to ${transaction.phone}`;
  post(unit, at, { wallet: "b2c", type: "B2C_PAYOUT", amount: -paid, reference, description, transactionId: id });
  post(unit, at, { wallet: "b2c", type: "B2C_FEE", amount: -carrierFee, reference, description: "Carrier cost", transactionId: id });
  post(unit, at, { wallet: "balance", type: "FEE", amount: -platformFee, reference, description: "Payout fee", transactionId: id });
  core.b2cVolume += paid;
  core.b2cCount += 1;
};

/** The payment completes: money moves, fees are charged whatever the balance is (service 1.8), a receipt is given. */
export const complete = (unit: Unit, at: At, transaction: Transaction): Transaction => {
  if (!isOpen(transaction.status)) throw new Refusal(409, "ALREADY_FINAL", `The transaction is ${transaction.status} already.`);
  const { scenario } = transaction;
  // 037: the carrier moved another amount than was asked for; never more than a payout's hold.
  const amount =
    scenario !== "other-amount"
      ? transaction.amount
      : transaction.amount > 100
        ? transaction.amount - 100
        : transaction.amount + (transaction.group === "b2c" ? 0 : 100);
  if (transaction.group === "b2c") settlePayout(unit, at, transaction, amount);
  else
    post(unit, at, {
      wallet: "balance",
      type: "FEE",
      amount: -transaction.platformFee,
      reference: transaction.reference,
      description: "Payment fee",
      transactionId: transaction.id,
    });
  const mobileMoneyReceipt = receiptOf(unit.core().seed, countOfId(transaction.id), at.nowMs);
  const shown =
    transaction.shown ??
    (scenario === "query-lags"
      ? { status: transaction.steps[0]?.status ?? transaction.status, left: 3 }
      : scenario === "query-contradicts"
        ? { status: "FAILED", left: 3 }
        : undefined);
  const moved: Transaction = { ...transaction, amount, shown };
  const metadata = { ...transaction.metadata, mobileMoneyReceipt, completedAt: unit.iso(at.nowMs) };
  return ended(unit, at, moved, { status: "COMPLETED", metadata }, scenario === "reversed" ? reversalMs : undefined);
};

/** It ends unpaid: a hold comes back, nothing is charged (service 1.7). */
export const fail = (
  unit: Unit,
  at: At,
  transaction: Transaction,
  end: { readonly status: string; readonly reason: string; readonly code: number },
): Transaction => {
  if (!isOpen(transaction.status)) throw new Refusal(409, "ALREADY_FINAL", `The transaction is ${transaction.status} already.`);
  if (transaction.group === "b2c") settlePayout(unit, at, transaction, undefined);
  const { status, reason, code } = end;
  return ended(unit, at, transaction, { status, reason, metadata: { ...transaction.metadata, resultCode: code, failureReason: reason } });
};

const resolve = (unit: Unit, at: At, transaction: Transaction): Transaction => {
  const ends = fitting(transaction.scenario, transaction.group === "b2c" ? "payout" : "push")?.ends;
  return ends === undefined ? complete(unit, at, transaction) : fail(unit, at, transaction, ends);
};

/** A reversal alone takes a completed payment back. Assumed: fees stay, a payout's amount returns to the float. */
const reverse = (unit: Unit, at: At, transaction: Transaction): Transaction => {
  if (transaction.group === "b2c") {
    const { id, reference, amount } = transaction;
    post(unit, at, { wallet: "b2c", type: "B2C_PAYOUT", amount, reference, description: "Reversal of payout", transactionId: id });
    const { b2cVolume, b2cCount } = unit.core();
    unit.change({ b2cVolume: b2cVolume - amount, b2cCount: b2cCount - 1 });
  }
  return ended(unit, at, transaction, { status: "REVERSED", reason: "Reversed by the provider.", metadata: transaction.metadata });
};

/** What is due on one transaction. */
export const advanceTransaction = (unit: Unit, at: At, transaction: Transaction): void => {
  const dueMs = transaction.dueMs ?? at.nowMs;
  // What happens late has happened by its due time: whoever looks first dates it so.
  const then: At = { ...at, nowMs: dueMs };
  if (transaction.next === "expire") fail(unit, then, transaction, { status: "EXPIRED", reason: "The prompt expired without an answer.", code: 1019 });
  else if (transaction.next === "reverse") reverse(unit, then, transaction);
  else if (waitsForPhone(at, transaction)) postpone(unit, at, transaction);
  else resolve(unit, then, transaction);
};

const waitsForPhone = (at: At, transaction: Transaction): boolean =>
  at.phoneIsWatched && transaction.group === "standard" && fitting(transaction.scenario, "push")?.ends === undefined;
const postpone = (unit: Unit, at: At, transaction: Transaction): void => {
  const expiresMs = transaction.createdMs + promptLifeMs;
  const dueMs = Math.min(at.nowMs + 1_000, expiresMs);
  unit.tables.put("tx", { ...transaction, dueMs: Math.max(dueMs, at.nowMs + 1), next: at.nowMs + 1_000 >= expiresMs ? "expire" : "resolve" });
};

/** The phone simulator's answer to a prompt. */
export const answerPrompt = (unit: Unit, at: At, id: string, chosen: PromptAction): Transaction => {
  const transaction = unit.tables.get("tx", id);
  if (transaction === undefined || transaction.group !== "standard") throw notFound("The prompt");
  if (transaction.status !== "SENT") throw new Refusal(409, "ALREADY_FINAL", `The transaction is ${transaction.status} already.`);
  if (chosen === "approve") return complete(unit, at, transaction);
  if (chosen === "decline") return fail(unit, at, transaction, { status: "CANCELLED", reason: "Request cancelled by user.", code: 1032 });
  if (chosen === "wrong-pin") return fail(unit, at, transaction, { status: "FAILED", reason: "The initiator information is invalid: wrong PIN.", code: 2001 });
  const ignored: Transaction = { ...transaction, dueMs: transaction.createdMs + promptLifeMs, next: "expire" };
  unit.tables.put("tx", ignored);
  return ignored;
};

/** Counts a query of a payment that first shows another status (027, 028), and gives the payment as this query shows it. */
export const countQuery = (unit: Unit, at: At, transaction: Transaction): Transaction => {
  const lags = transaction.scenario === "query-lags" || transaction.scenario === "query-contradicts";
  if (!lags) return transaction;
  const first = transaction.steps[0]?.status ?? transaction.status;
  const shown = transaction.shown ?? { status: transaction.scenario === "query-lags" ? first : "FAILED", left: 3 };
  if (shown.left > 0) {
    unit.tables.put("tx", { ...transaction, shown: { ...shown, left: shown.left - 1 } });
    return { ...transaction, shown };
  }
  return isOpen(transaction.status) ? complete(unit, at, { ...transaction, shown }) : transaction;
};

/** Confirms a crypto payment (service 1.7): its fee is taken as for a push, converted to KES. */
export const confirmCrypto = (unit: Unit, at: At, { asset, amount: units }: { readonly asset: string; readonly amount: number }): Transaction => {
  const rate = Object.hasOwn(cryptoRates, asset) ? cryptoRates[asset] : undefined;
  if (rate === undefined) throw invalid("asset", `asset must be one of ${Object.keys(cryptoRates).join(", ")}.`);
  const amount = toMinor(units * rate);
  if (!(amount >= 1) || amount > toMinor(amountUnitsMax)) throw invalid("amount", "amount must be a positive number of the asset, worth a cent or more.");
  const id = nextId(unit, "TX");
  const transaction: Transaction = {
    id,
    group: "standard",
    reference: `CRYPTO-${id}`,
    amount,
    status: "SENT",
    provider: `CRYPTO_${asset}`,
    providerRef: lettersOf(unit.core().seed, unit.core().sequence, 24),
    metadata: { asset, assetAmount: units, rate },
    phone: "",
    createdMs: at.nowMs,
    platformFee: pushFee(amount),
    carrierFee: 0,
    steps: [{ status: "PENDING", at: unit.iso(at.nowMs) }],
  };
  return complete(unit, at, transaction);
};

export const transactionOf = (unit: Unit, id: string): Transaction => {
  const found = unit.tables.get("tx", id);
  if (found === undefined) throw notFound("The transaction");
  return found;
};
