import { payoutBounds } from "../../service/contract/limits.ts";
import type { Bodies } from "../../service/contract/types.ts";
import type { Transaction } from "./entities.ts";
import { placeHold } from "./ledger.ts";
import { complete, resolve } from "./local-payments.ts";
import { amountUnitsMax, cryptoRates, fitsDecimals, payoutCarrierFee, payoutPlatformFee, pushFee, toMinor, toUnits } from "./money.ts";
import { promptWait } from "./prompt-wait.ts";
import { invalid, paymentRequired } from "./refusal.ts";
import { fitting, scenarioOfPhone } from "./scenarios.ts";
import { type At, isoOf, lettersOf, nextId, type Unit } from "./unit.ts";

/** Assumed: the carrier has paid a payout after two seconds. */
const payoutResolveMs = 2_000;
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

type Own = Pick<Transaction, "id" | "group" | "status" | "provider" | "providerRef" | "platformFee"> & Partial<Transaction>;
const newTransaction = (at: At, { phone, amount, reference, description, callbackUrl }: LocalBody, own: Own): Transaction => ({
  reference,
  amount: toMinor(amount),
  metadata: { phone },
  phone,
  description,
  callbackUrl,
  createdMs: at.nowMs,
  carrierFee: 0,
  steps: [{ status: own.status, at: isoOf(at.nowMs) }],
  ...own,
});

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
  const transaction = newTransaction(at, body, {
    id,
    group: "standard",
    status: "SENT",
    provider: "MPESA",
    providerRef: `ws_CO_${lettersOf(unit.core().seed, unit.core().sequence, 16)}`,
    platformFee,
    scenario: scenario?.name,
    ...firstDue(unit, at, scenario),
  });
  unit.tables.put("tx", transaction);
  if (scenario?.name === "callback-early") return resolve(unit, at, transaction);
  return transaction;
};

const firstDue = (unit: Unit, at: At, scenario: { readonly name: string; readonly ends?: unknown } | undefined): Pick<Transaction, "dueMs" | "next"> => {
  if (scenario?.name === "stuck") return {};
  const { waitMs, expires } = promptWait(unit, scenario);
  return { dueMs: at.nowMs + waitMs, next: expires ? "expire" : "resolve" };
};

/** PROCESSING on the way needs no step of its own (`stepsUntil`). */
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
  const transaction = newTransaction(at, body, {
    id,
    group: "b2c",
    status: "QUEUED",
    provider: "MPESA_B2C",
    providerRef: `AG_${conversation}`,
    metadata: { phone: body.phone, originatorConversationId: `OC-${conversation}`, conversationId: `AG_${conversation}` },
    platformFee,
    carrierFee,
    scenario: scenario?.name,
    ...payoutDue(at.nowMs, scenario?.name),
  });
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

/** Confirms a crypto payment (service 1.7): its fee is taken as for a push, converted to KES. */
export const confirmCrypto = (unit: Unit, at: At, { asset, amount: units }: { readonly asset: string; readonly amount: number }): Transaction => {
  const rate = Object.hasOwn(cryptoRates, asset) ? cryptoRates[asset] : undefined;
  if (rate === undefined) throw invalid("asset", `asset must be one of ${Object.keys(cryptoRates).join(", ")}.`);
  const amount = toMinor(units * rate);
  if (!(amount >= 1) || amount > toMinor(amountUnitsMax)) throw invalid("amount", "amount must be a positive number of the asset, worth a cent or more.");
  const id = nextId(unit, "TX");
  const transaction = newTransaction(
    at,
    { phone: "", amount: units * rate, reference: `CRYPTO-${id}` },
    {
      id,
      group: "standard",
      status: "SENT",
      provider: `CRYPTO_${asset}`,
      providerRef: lettersOf(unit.core().seed, unit.core().sequence, 24),
      metadata: { asset, assetAmount: units, rate },
      platformFee: pushFee(amount),
      steps: [{ status: "PENDING", at: isoOf(at.nowMs) }],
    },
  );
  return complete(unit, at, transaction);
};
