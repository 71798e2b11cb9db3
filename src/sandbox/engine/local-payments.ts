import { stepsUntil } from "./as-of.ts";
import { enqueueCallbacks } from "./callbacks.ts";
import type { PromptAction, Transaction } from "./entities.ts";
import { post, releaseHold } from "./ledger.ts";
import { promptLifeMs } from "./prompt-wait.ts";
import { notFound, Refusal } from "./refusal.ts";
import { fitting } from "./scenarios.ts";
import { type At, countOfId, isoOf, receiptOf, type Unit } from "./unit.ts";

const reversalMs = 3_000;

const isOpen = (status: string): boolean => status === "SENT" || status === "QUEUED" || status === "PROCESSING";

/** Final, unless it is reversed `reversedAfterMs` later. */
type End = Pick<Transaction, "status" | "metadata"> & { readonly reason?: string; readonly reversedAfterMs?: number | undefined };
const endWith = (unit: Unit, at: At, transaction: Transaction, { status, metadata, reason, reversedAfterMs }: End): Transaction => {
  const step = { status, at: isoOf(at.nowMs), ...(reason === undefined ? {} : { reason }) };
  const next: Transaction = {
    ...transaction,
    status,
    metadata,
    dueMs: reversedAfterMs === undefined ? undefined : at.nowMs + reversedAfterMs,
    next: reversedAfterMs === undefined ? undefined : "reverse",
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

/** 037: the carrier moves another amount than was asked for; never more than a payout's hold. */
const amountMoved = ({ scenario, amount, group }: Transaction): number => {
  if (scenario !== "other-amount") return amount;
  if (amount > 100) return amount - 100;
  return group === "b2c" ? amount : amount + 100;
};

/** What its first three queries show instead of what happened (027, 028). */
const shownAtFirst = ({ scenario, shown, steps, status }: Transaction): Transaction["shown"] => {
  if (shown !== undefined) return shown;
  if (scenario === "query-lags") return { status: steps[0]?.status ?? status, left: 3 };
  return scenario === "query-contradicts" ? { status: "FAILED", left: 3 } : undefined;
};

/** The payment completes: money moves, fees are charged whatever the balance is (service 1.8), a receipt is given. */
export const complete = (unit: Unit, at: At, transaction: Transaction): Transaction => {
  if (!isOpen(transaction.status)) throw new Refusal(409, "ALREADY_FINAL", `The transaction is ${transaction.status} already.`);
  const { scenario } = transaction;
  const amount = amountMoved(transaction);
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
  const metadata = { ...transaction.metadata, mobileMoneyReceipt, completedAt: isoOf(at.nowMs) };
  return endWith(
    unit,
    at,
    { ...transaction, amount, shown: shownAtFirst(transaction) },
    { status: "COMPLETED", metadata, reversedAfterMs: scenario === "reversed" ? reversalMs : undefined },
  );
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
  return endWith(unit, at, transaction, { status, reason, metadata: { ...transaction.metadata, resultCode: code, failureReason: reason } });
};

/** It ends as its scenario says. */
export const resolve = (unit: Unit, at: At, transaction: Transaction): Transaction => {
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
  return endWith(unit, at, transaction, { status: "REVERSED", reason: "Reversed by the provider.", metadata: transaction.metadata });
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
  const shown = shownAtFirst(transaction);
  if (shown === undefined) return transaction;
  if (shown.left > 0) {
    unit.tables.put("tx", { ...transaction, shown: { ...shown, left: shown.left - 1 } });
    return { ...transaction, shown };
  }
  return isOpen(transaction.status) ? complete(unit, at, { ...transaction, shown }) : transaction;
};

export const transactionOf = (unit: Unit, id: string): Transaction => {
  const found = unit.tables.get("tx", id);
  if (found === undefined) throw notFound("The transaction");
  return found;
};
